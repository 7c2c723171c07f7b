/** Text fields bound to a form: one line, and several lines. */
import { Field, type FieldProps } from '@slipway/ui/form/Field.tsx';
import { Input, type InputProps } from '@slipway/ui/form/Input.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { useController, type FieldPath, type FieldValues } from 'react-hook-form';
import type { ApiForm } from './use-api-form.ts';

export interface BoundField<Values extends FieldValues> extends Pick<FieldProps, 'hint' | 'labelNote'> {
  form: ApiForm<Values>;
  name: FieldPath<Values>;
}

type TextFieldProps<Values extends FieldValues> = BoundField<Values> &
  Omit<InputProps, 'name' | 'form' | 'value' | 'onChange'> & {
    /** Corrects the typed text, for example replaces spaces with dashes. */
    normalise?: (text: string) => string;
  };

export function TextField<Values extends FieldValues>({ form, name, hint, labelNote, normalise, ...rest }: TextFieldProps<Values>) {
  const { field, fieldState } = useController({ control: form.control, name });
  return (
    <Field label={form.labels[name]} labelNote={labelNote} hint={hint} error={fieldState.error?.message}>
      <Input
        {...rest}
        {...field}
        value={field.value ?? ''}
        onChange={(event) => field.onChange(normalise ? normalise(event.target.value) : event.target.value)}
      />
    </Field>
  );
}

export function TextareaField<Values extends FieldValues>({
  form,
  name,
  hint,
  labelNote,
  rows = 3,
}: BoundField<Values> & { rows?: number }) {
  const { field, fieldState } = useController({ control: form.control, name });
  return (
    <Field label={form.labels[name]} labelNote={labelNote} hint={hint} error={fieldState.error?.message}>
      <Textarea {...field} rows={rows} value={field.value ?? ''} />
    </Field>
  );
}
