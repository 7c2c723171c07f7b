/** A value of the flag's type. */
import { isOfType, type FlagType } from '@slipway/contract/flag/flag-rule.ts';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { NumberField } from '@slipway/ui/form/NumberField.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { useState } from 'react';

interface ValueFieldProps {
  label: string;
  type: FlagType;
  value: unknown;
  onChange: (value: unknown) => void;
}
const sides = [
  { value: 'true', label: 'On' },
  { value: 'false', label: 'Off' },
] as const;

export function ValueField({ label, type, value, onChange }: ValueFieldProps) {
  if (type === 'JSON') return <JsonField label={label} value={value} onChange={onChange} />;
  return (
    <Field label={label} isGroup={type === 'BOOLEAN'}>
      {type === 'BOOLEAN' && (
        <Segmented
          label={label}
          options={[...sides]}
          value={value === true ? 'true' : 'false'}
          onChange={(side) => onChange(side === 'true')}
        />
      )}
      {type === 'STRING' && <Input value={typeof value === 'string' ? value : ''} onChange={(event) => onChange(event.target.value)} />}
      {type === 'NUMBER' && <NumberField value={typeof value === 'number' ? value : null} onChange={(next) => onChange(next ?? 0)} />}
    </Field>
  );
}

export function JsonField({ label, value, hint, onChange }: Omit<ValueFieldProps, 'type'> & { hint?: string }) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [isWrong, setWrong] = useState(false);
  return (
    <Field label={label} hint={hint} error={isWrong ? 'Write valid JSON' : undefined}>
      <Textarea
        rows={4}
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          try {
            const next: unknown = JSON.parse(event.target.value);
            setWrong(!isOfType('JSON', next));
            if (isOfType('JSON', next)) onChange(next);
          } catch {
            setWrong(true);
          }
        }}
      />
    </Field>
  );
}
