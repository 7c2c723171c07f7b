/** Search tags of a topic, typed as a list. */
import { Field } from '@slipway/ui/form/Field.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { useState } from 'react';
import { useController, type FieldPath, type FieldValues } from 'react-hook-form';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { tagsIn } from './tags-in.ts';

/** Replaces the contract's message with one for users. */
export const tagMessages = { DoesNotMatchPattern: 'A tag has lowercase letters, digits and dashes, at most 40' };

/** The input keeps the typed text; the form holds the parsed tags. */
export function TagsField<Values extends FieldValues>({ form, name }: { form: ApiForm<Values>; name: FieldPath<Values> }) {
  const {
    field: { ref, value, onChange, onBlur },
    fieldState,
  } = useController({ control: form.control, name });
  const tags: readonly string[] = value ?? [];
  const [text, setText] = useState(tags.join(', '));
  // The error of one tag, or of the whole list.
  const problem = [fieldState.error].flat().find((error) => error?.message !== undefined);
  return (
    <Field label={form.labels[name]} labelNote="optional" error={problem?.message} hint="To find it by, with commas between.">
      <Input
        ref={ref}
        name={name}
        value={text}
        placeholder="berth, port-call"
        autoCapitalize="off"
        spellCheck={false}
        onChange={(event) => {
          setText(event.target.value);
          onChange(tagsIn(event.target.value));
        }}
        onBlur={() => {
          setText(tags.join(', '));
          onBlur();
        }}
      />
    </Field>
  );
}
