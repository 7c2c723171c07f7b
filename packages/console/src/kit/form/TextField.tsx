/** Text fields bound to a form: one line, and several lines. */
import { Field } from '@slipway/ui/form/Field.tsx';
import { Input, type InputProps } from '@slipway/ui/form/Input.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import type { FieldValues } from 'react-hook-form';
import { useBound, type BoundField } from './bound-field.ts';

type TextFieldProps<Values extends FieldValues> = BoundField<Values> &
  Omit<InputProps, 'name' | 'form' | 'value' | 'onChange'> & {
    /** Corrects the typed text, for example replaces spaces with dashes. */
    normalise?: (text: string) => string;
  };

export function TextField<Values extends FieldValues>({ form, name, hint, labelNote, normalise, ...rest }: TextFieldProps<Values>) {
  const { field, frame } = useBound({ form, name, hint, labelNote });
  return (
    <Field {...frame}>
      <Input
        {...rest}
        {...field}
        value={field.value ?? ''}
        onChange={(event) => field.onChange(normalise ? normalise(event.target.value) : event.target.value)}
      />
    </Field>
  );
}

export function TextareaField<Values extends FieldValues>({ rows = 3, ...props }: BoundField<Values> & { rows?: number }) {
  const { field, frame } = useBound(props);
  return (
    <Field {...frame}>
      <Textarea {...field} rows={rows} value={field.value ?? ''} />
    </Field>
  );
}
