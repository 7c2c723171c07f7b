/** Form field to choose development or production. */
import { environments } from '@slipway/contract/kernel/fields.ts';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { useController, type FieldValues } from 'react-hook-form';
import type { BoundField } from '#kit/form/bound-field.ts';

export function EnvironmentField<Values extends FieldValues>({ form, name, hint }: BoundField<Values>) {
  const { field, fieldState } = useController({ control: form.control, name });
  const label = form.labels[name] ?? 'Environment';
  return (
    <Field label={label} isGroup hint={hint} error={fieldState.error?.message}>
      <Segmented
        label={label}
        value={field.value}
        onChange={field.onChange}
        options={environments.map((value) => ({ value, label: value === 'production' ? 'Production' : 'Development' }))}
      />
    </Field>
  );
}
