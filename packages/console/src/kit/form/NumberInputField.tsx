/** A number field bound to a form; its value is null while the field is empty. */
import { Field } from '@slipway/ui/form/Field.tsx';
import { NumberField, type NumberFieldProps } from '@slipway/ui/form/NumberField.tsx';
import type { FieldValues } from 'react-hook-form';
import { useBound, type BoundField } from './bound-field.ts';

type NumberInputFieldProps<Values extends FieldValues> = BoundField<Values> &
  Pick<NumberFieldProps, 'unit' | 'min' | 'max' | 'step' | 'placeholder'>;

export function NumberInputField<Values extends FieldValues>({ form, name, hint, labelNote, ...rest }: NumberInputFieldProps<Values>) {
  const { field, frame } = useBound({ form, name, hint, labelNote });
  return (
    <Field {...frame}>
      <NumberField {...rest} {...field} value={field.value ?? null} />
    </Field>
  );
}
