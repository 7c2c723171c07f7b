/** One key of the form: name, value, last day, and a remove button. */
import { maxSecretValueBytes, utf8Bytes } from '@slipway/contract/secret/secret-entry.ts';
import { Field } from '@slipway/ui/form/Field.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { Trash2, Undo2 } from 'lucide-react';
import { memo } from 'react';
import { useController } from 'react-hook-form';
import css from './EntriesEditor.module.css';
import type { GroupForm } from './group-form.ts';
import { SecretValueField } from './SecretValueField.tsx';

export interface EntryFieldsProps {
  control: GroupForm['control'];
  index: number;
  /** The previous version has the key: its name is fixed, and its value may be kept. */
  isKnown: boolean;
  onRemove: (index: number) => void;
}

/** The size is shown from this length on, in bytes. */
const tellFrom = maxSecretValueBytes / 2;

export const EntryFields = memo(function EntryFields({ control, index, isKnown, onRemove }: EntryFieldsProps) {
  const key = useController({ control, name: `entries.${index}.key` });
  const value = useController({ control, name: `entries.${index}.value` });
  const expiry = useController({ control, name: `entries.${index}.expiresAt` });
  const kept = useController({ control, name: `entries.${index}.isKept` });
  const name = key.field.value || `key ${index + 1}`;
  const isKept = kept.field.value;
  const size = utf8Bytes(value.field.value);
  const change = (text: string): void => {
    if (isKept) kept.field.onChange(false);
    value.field.onChange(text);
  };
  const keep = (): void => {
    value.field.onChange('');
    kept.field.onChange(true);
  };
  return (
    <li className={css.row}>
      <Field label={`Key ${index + 1}`} isLabelHidden error={key.fieldState.error?.message}>
        <Input {...key.field} isMono readOnly={isKnown} spellCheck={false} autoCapitalize="off" placeholder="DB_PASSWORD" />
      </Field>
      <SecretValueField
        name={name}
        ref={value.field.ref}
        value={value.field.value}
        onChange={change}
        onBlur={value.field.onBlur}
        error={value.fieldState.error?.message}
        isKept={isKept}
        hint={size > tellFrom ? `${bytes(size)} of ${bytes(maxSecretValueBytes)}` : isKnown && !isKept ? <Tag>New value</Tag> : undefined}
      />
      <Field label={`Last day of ${name}`} isLabelHidden error={expiry.fieldState.error?.message}>
        <Input {...expiry.field} type="date" />
      </Field>
      <span className={`row ${css.actions}`}>
        {isKnown && !isKept && (
          <IconButton variant="quiet" label={`Keep the old value of ${name}`} icon={<Undo2 aria-hidden="true" />} onClick={keep} />
        )}
        <IconButton variant="quiet" label={`Remove ${name}`} icon={<Trash2 aria-hidden="true" />} onClick={() => onRemove(index)} />
      </span>
    </li>
  );
});
