/** The schema of a new stream's messages: a new schema, checked while the user types, or an existing one. */
import { compatibilityTexts } from '@slipway/contract/streaming/schema.ts';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { useMemo, useRef } from 'react';
import { CodeField } from '#kit/form/CodeField.tsx';
import { NameField } from '#features/streaming/parts/NameField.tsx';
import { SchemaTypeField } from '#features/streaming/schema/SchemaTypeField.tsx';
import { codeIssues, useVerdict } from '#features/streaming/schema/verdict/use-verdict.ts';
import { verdictLook } from '#features/streaming/schema/verdict/verdict-look.ts';
import { SchemaChoice } from '#features/streaming/topic-form/SchemaFields.tsx';
import type { EventsPlace } from '#features/streaming/use-place.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { newSchema, useStreamValues, type StreamForm, type StreamValues } from './use-stream-form.ts';

type Draft = NonNullable<StreamValues['schema']>;

interface SchemaPartProps {
  form: StreamForm;
  place: EventsPlace;
  isReadOnly: boolean;
}

export function SchemaPart({ form, place, isReadOnly }: SchemaPartProps) {
  const { schema, topic } = useStreamValues(form);
  const written = useRef(newSchema(''));
  const choose = (way: 'new' | 'old'): void => {
    if (way === 'new') {
      form.setValue('schema', { ...written.current, name: written.current.name === '' ? topic.name : written.current.name });
      form.setValue('topic.spec.valueSchema', undefined);
      return;
    }
    if (schema) written.current = schema;
    form.setValue('schema', undefined);
    form.setValue('topic.spec.valueSchema', { resourceId: '', resourceType: 'SCHEMA' });
  };
  return (
    <section className="stack stack-12" aria-labelledby="stream-schema">
      <div className="row row-wrap">
        <h2 id="stream-schema">Schema</h2>
        <span className="push">
          <Segmented
            label="Schema"
            options={[
              { value: 'new', label: 'Write a new one' },
              { value: 'old', label: 'Use existing' },
            ]}
            value={schema ? 'new' : 'old'}
            onChange={choose}
          />
        </span>
      </div>
      {schema ? (
        <NewSchemaFields form={form} place={place} isReadOnly={isReadOnly} draft={schema} />
      ) : (
        <SchemaChoice form={form} name="topic.spec.valueSchema.resourceId" place={place} hint="What a message looks like." />
      )}
    </section>
  );
}

function NewSchemaFields({ form, place, isReadOnly, draft }: SchemaPartProps & { draft: Draft }) {
  const { content, type = 'AVRO', compatibility = 'BACKWARD' } = draft;
  const verdict = useVerdict(place, undefined, { type, content, compatibility, uses: [] });
  const issues = useMemo(() => codeIssues(verdict), [verdict]);
  const look = verdict.answer && verdictLook(verdict.answer.verdict, type);
  const [problem] = verdict.answer?.verdict.problems ?? [];
  return (
    <>
      <div className="pair">
        <NameField form={form} name="schema.name" of="schema" place={place} />
        <SchemaTypeField form={form} name="schema.type" content={content} onContent={(text) => form.setValue('schema.content', text)} />
      </div>
      <CodeField
        form={form}
        name="schema.content"
        language={type === 'PROTOBUF' ? 'protobuf' : 'json'}
        issues={issues}
        rows={10}
        isReadOnly={isReadOnly}
        hint={
          <span role="status">
            {look && (
              <Status tone={look.tone} isTinted>
                {look.title}
              </Status>
            )}{' '}
            {problem ? `Line ${problem.line}: ${problem.message}` : `Compatibility: ${compatibilityTexts[compatibility].label} (editable)`}
          </span>
        }
      />
    </>
  );
}
