/** A number field bound to a form; its value is null while the field is empty. */
import { Field } from '@slipway/ui/form/Field.tsx';
import { NumberField, type NumberFieldProps } from '@slipway/ui/form/NumberField.tsx';
import { useController, type FieldValues } from 'react-hook-form';
import type { BoundField } from './TextField.tsx';

type NumberInputFieldProps<Values extends FieldValues> = BoundField<Values> &
  Pick<NumberFieldProps, 'unit' | 'min' | 'max' | 'step' | 'placeholder'>;

export function NumberInputField<Values extends FieldValues>({ form, name, hint, labelNote, ...rest }: NumberInputFieldProps<Values>) {
  const {
    field: { ref, value, onChange, onBlur },
    fieldState,
  } = useController({ control: form.control, name });
  return (
    <Field label={form.labels[name]} labelNote={labelNote} hint={hint} error={fieldState.error?.message}>
      <NumberField {...rest} ref={ref} name={name} value={value ?? null} onChange={onChange} onBlur={onBlur} />
    </Field>
  );
}
