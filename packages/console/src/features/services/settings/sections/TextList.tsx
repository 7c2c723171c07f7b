/** A short list of texts with one field each: excluded path prefixes, hosts. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { Field, Was } from '@slipway/ui/form/Field.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Plus, Trash2 } from 'lucide-react';
import { focusField } from '#features/services/settings/focus-field.ts';
import { fieldId, useSettingField, useSettingsState } from '#features/services/settings/settings-context.ts';

interface TextListProps {
  path: string;
  /** Singular noun for one entry. */
  word: string;
  placeholder: string;
  isLowerCase?: boolean;
}

export function TextList({ path, word, placeholder, isLowerCase = false }: TextListProps) {
  const field = useSettingField<string[]>(path);
  const errors = useSettingsState((state) => state.errors);
  const errorOf = (index: number): { error?: string } => {
    const error = errors.find((item) => item.field === `${path}.${index}`)?.message;
    return error === undefined ? {} : { error };
  };
  const title = word.charAt(0).toUpperCase() + word.slice(1);
  const normalised = (text: string): string => (isLowerCase ? text.trim().toLowerCase() : text.trim());
  const add = (): void => {
    field.set([...field.value, '']);
    // The field is rendered by then.
    requestAnimationFrame(() => focusField(`${path}.${field.value.length}`));
  };
  return (
    <Field label={field.label} isGroup error={field.error}>
      <ul className="stack stack-8" id={field.id}>
        {field.value.map((text, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- texts without a key of their own; none of them holds state
          <li key={index} className="row">
            <Field label={`${title} ${index + 1}`} isLabelHidden id={fieldId(`${path}.${index}`)} className="grow" {...errorOf(index)}>
              <Input
                isMono
                spellCheck={false}
                readOnly={field.isLocked}
                value={text}
                placeholder={placeholder}
                onChange={({ target }) => field.set(field.value.with(index, normalised(target.value)))}
              />
            </Field>
            {!field.isLocked && (
              <IconButton
                size="sm"
                variant="quiet"
                label={`Remove ${text || `${word} ${index + 1}`}`}
                icon={<Trash2 aria-hidden="true" />}
                onClick={() => field.set(field.value.toSpliced(index, 1))}
              />
            )}
          </li>
        ))}
      </ul>
      {field.was !== undefined && (
        <Was id={`${field.id}-was`} label={field.label} onPutBack={field.putBack}>
          {field.was}
        </Was>
      )}
      {!field.isLocked && (
        <div>
          <Button size="sm" icon={<Plus aria-hidden="true" />} onClick={add}>
            Add a {word}
          </Button>
        </div>
      )}
    </Field>
  );
}
