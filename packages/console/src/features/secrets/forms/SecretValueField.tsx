/** An input for a secret value: masked until revealed, multi-line. A hidden multi-line value shows its size. */
import { utf8Bytes } from '@slipway/contract/secret/secret-entry.ts';
import { Field } from '@slipway/ui/form/Field.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Eye, EyeOff } from 'lucide-react';
import { useState, type ClipboardEvent, type ReactNode, type RefCallback } from 'react';
import css from './SecretValueField.module.css';

export interface SecretValueFieldProps {
  /** Name of the key, used in labels. */
  name: string;
  value: string;
  onChange: (value: string) => void;
  onBlur: () => void;
  ref: RefCallback<HTMLElement>;
  error?: string | undefined;
  hint?: ReactNode;
  isKept: boolean;
}

const linesIn = (text: string): number => text.split('\n').length;
const mostRows = 8;

export function SecretValueField({ name, value, onChange, onBlur, ref, error, hint, isKept }: SecretValueFieldProps) {
  const [isShown, setShown] = useState(false);
  const lines = linesIn(value);
  // A single-line input would drop line breaks.
  const pasteWhole = (event: ClipboardEvent<HTMLInputElement>): void => {
    const text = event.clipboardData.getData('text/plain');
    if (value !== '' || !text.includes('\n')) return;
    event.preventDefault();
    onChange(text);
  };
  const common = { ref, onBlur, spellCheck: false, autoComplete: 'off', autoCapitalize: 'off', 'data-1p-ignore': true };
  return (
    <Field label={`Value of ${name}`} isLabelHidden error={error} hint={hint}>
      <div className={css.value}>
        {isShown ? (
          <Textarea
            {...common}
            isMono
            rows={Math.min(Math.max(lines, 2), mostRows)}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        ) : lines > 1 ? (
          <Input {...common} readOnly value={`Hidden: ${count(lines, 'line')}, ${bytes(utf8Bytes(value))}`} />
        ) : (
          <Input
            {...common}
            type="password"
            autoComplete="new-password"
            isMono
            value={value}
            placeholder={isKept ? 'Unchanged' : 'Value'}
            onPaste={pasteWhole}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
        <IconButton
          variant="quiet"
          label={isShown ? `Hide the value of ${name}` : `Show the value of ${name}, with room for more lines`}
          icon={isShown ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
          onClick={() => setShown(!isShown)}
        />
      </div>
    </Field>
  );
}
