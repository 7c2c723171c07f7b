/** The type of a new schema. The sample content follows the type until the user edits it. */
import { schemaTypeLabels, schemaTypes, type SchemaType } from '@slipway/contract/streaming/schema.ts';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { useController, type FieldPath, type FieldValues } from 'react-hook-form';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { schemaSamples } from './schema-samples.ts';

interface SchemaTypeFieldProps<Values extends FieldValues> {
  form: ApiForm<Values>;
  name: FieldPath<Values>;
  content: string;
  onContent: (content: string) => void;
  onType?: () => void;
}

export function SchemaTypeField<Values extends FieldValues>({ form, name, content, onContent, onType }: SchemaTypeFieldProps<Values>) {
  const {
    field: { ref, value, onChange, onBlur },
    fieldState,
  } = useController({ control: form.control, name });
  const choose = (next: SchemaType): void => {
    if (Object.values(schemaSamples).includes(content)) onContent(schemaSamples[next]);
    onType?.();
    onChange(next);
  };
  return (
    <Field label={form.labels[name]} error={fieldState.error?.message}>
      <Select
        ref={ref}
        name={name}
        options={schemaTypes.map((type) => ({ value: type, label: schemaTypeLabels[type] }))}
        value={schemaTypes.find((type) => type === value) ?? 'AVRO'}
        onChange={choose}
        onBlur={onBlur}
      />
    </Field>
  );
}
