/** A single-line text field bound to a form. */
import { Field, type FieldProps } from '@slipway/ui/form/Field.tsx';
import { Input, type InputProps } from '@slipway/ui/form/Input.tsx';
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
