/** The schemas of a topic's messages: one for the values, and optionally one for the keys. */
import { schemaList, schemaTypeLabels, type Schema } from '@slipway/contract/streaming/schema.ts';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { useState, type ReactNode } from 'react';
import { useWatch, type FieldPath, type FieldValues } from 'react-hook-form';
import { paths, type AppRef } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { ComboboxField } from '#kit/form/ChoiceFields.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import type { NewTopicForm } from './new-topic-form.ts';

/** Maximum per search. The server searches, so the user finds other schemas by typing. */
const mostOffered = 50;

interface SchemaChoiceProps<Values extends FieldValues> {
  form: ApiForm<Values>;
  place: AppRef;
  name: FieldPath<Values>;
  hint: ReactNode;
}

export function SchemaChoice<Values extends FieldValues>({ form, place: { app, env }, name, hint }: SchemaChoiceProps<Values>) {
  const [text, setText] = useState('');
  const chosen = useWatch({ control: form.control, name });
  const query = { size: mostOffered, readyOnly: 'true', ...(text.trim() === '' ? {} : { query: text.trim() }) };
  const { data, isLoading } = useQuery(schemaList, { params: { app, env }, query }, { keepPreviousData: true, pollMs: 0 });
  const [kept, setKept] = useState<Schema>();
  const found = data?.content ?? [];
  const inHand = found.find(({ id }) => id === chosen);
  // Keeps the chosen schema's name when the search changes.
  if (inHand && inHand.id !== kept?.id) setKept(inHand);
  const options = kept && kept.id === chosen && !inHand ? [kept, ...found] : found;
  return (
    <ComboboxField
      form={form}
      name={name}
      hint={hint}
      options={options.map(({ id, name: label, type, revisionId }) => ({
        value: id,
        label,
        note: `${schemaTypeLabels[type]}, version ${revisionId ?? '–'}`,
      }))}
      isLoading={isLoading}
      onSearch={setText}
      searchLabel="Search schemas"
      emptyText="No schema fits. Make one first."
      placeholder="Choose a schema"
    />
  );
}

export function SchemaFields({ form, place }: { form: NewTopicForm; place: AppRef }) {
  const keySchema = useWatch({ control: form.control, name: 'spec.keySchema' });
  const hasKey = keySchema !== null && keySchema !== undefined;
  return (
    <div className="stack stack-12">
      <SchemaChoice
        form={form}
        name="spec.valueSchema.resourceId"
        place={place}
        hint={
          <>
            What a message looks like.{' '}
            <Link className="in" href={paths.newSchema(place)}>
              New schema
            </Link>
          </>
        }
      />
      <Checkbox
        label="Messages have a key schema"
        checked={hasKey}
        onChange={() => form.setValue('spec.keySchema', hasKey ? null : { resourceId: '', resourceType: 'SCHEMA' })}
      />
      {hasKey && (
        <SchemaChoice
          form={form}
          name="spec.keySchema.resourceId"
          place={place}
          hint="Messages with the same key stay in order, in the same partition."
        />
      )}
    </div>
  );
}
