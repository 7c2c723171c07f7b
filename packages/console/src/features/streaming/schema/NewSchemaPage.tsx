/** Creates a schema: name, type, and content with the verdict beside it. */
import {
  compatibilityLevels,
  compatibilityTexts,
  schemaCreate,
  SchemaCreate,
  schemaLabels,
  type SchemaType,
  type SchemaUse,
} from '@slipway/contract/streaming/schema.ts';
import { useMemo, useRef } from 'react';
import { useWatch } from 'react-hook-form';
import type * as z from 'zod/mini';
import { paths } from '#entities/paths.ts';
import { NewForm, NewPage } from '#entities/resource/NewPage.tsx';
import { useRunForm } from '#entities/resource/use-run-form.ts';
import type { CodeEditorHandle, CodeIssue } from '#kit/code/code-editor-props.ts';
import { SelectField } from '#kit/form/ChoiceFields.tsx';
import { CodeField } from '#kit/form/CodeField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { AwayNotice } from '#features/streaming/BrokerNotice.tsx';
import { Fold } from '#features/streaming/parts/Fold.tsx';
import { NameField } from '#features/streaming/parts/NameField.tsx';
import type { EventsPlace } from '#features/streaming/use-place.ts';
import { ReferencesField } from './ReferencesField.tsx';
import { schemaSamples } from './schema-samples.ts';
import { namedUses } from './schema-uses.ts';
import { SchemaTypeField } from './SchemaTypeField.tsx';
import { codeIssues, useVerdict } from './verdict/use-verdict.ts';
import { VerdictPanel } from './verdict/VerdictPanel.tsx';

type Values = z.input<typeof SchemaCreate>;
type SchemaForm = ApiForm<Values>;

export function Component() {
  return (
    <NewPage title="New schema" lede="What the messages of a topic look like." hrefOf={paths.newSchema} Notices={AwayNotice}>
      {(place, reason) => <NewSchema place={place} reason={reason} />}
    </NewPage>
  );
}

const useNewSchemaForm = (place: EventsPlace): SchemaForm =>
  useRunForm({
    route: schemaCreate,
    schema: SchemaCreate,
    defaultValues: { name: '', type: 'AVRO', content: schemaSamples.AVRO, compatibility: 'BACKWARD', references: [] },
    labels: schemaLabels,
    // Specification §5.
    messages: { LowercaseLetters: 'Schema name can only contain lowercase letters' },
    inputOf: (body) => ({ params: { ...place }, body }),
    doneOf: ({ name }) => `${name} is being created`,
    hrefOf: ({ name }) => paths.schema({ ...place, schema: name }),
    hints: [{ kind: 'schema', ...place }],
  });

function NewSchema({ place, reason }: { place: EventsPlace; reason: string | undefined }) {
  const form = useNewSchemaForm(place);
  // Every field has a default, which the form library's type does not express.
  const { type = 'AVRO', content, compatibility = 'BACKWARD', references = [] } = useWatch({ control: form.control }) as Values;
  const verdict = useVerdict(place, undefined, { type, content, compatibility, uses: namedUses(references) });
  const issues = useMemo(() => codeIssues(verdict), [verdict]);
  const editor = useRef<CodeEditorHandle>(null);
  return (
    <NewForm noun="schema" form={form} disabledReason={reason} cancelHref={paths.events(place, 'schemas')}>
      <div className="pair">
        <NameField form={form} name="name" of="schema" place={place} hint="Lowercase letters only." />
        <div className="pair">
          <SchemaTypeField
            form={form}
            name="type"
            content={content}
            onContent={(text) => form.setValue('content', text)}
            // Schemas can only reference schemas of the same type.
            onType={() => form.setValue('references', [])}
          />
          <SelectField
            form={form}
            name="compatibility"
            options={compatibilityLevels.map((value) => ({ value, label: compatibilityTexts[value].label }))}
            hint={compatibilityTexts[compatibility].text}
          />
        </div>
      </div>
      <div className="split split-side">
        <ContentField
          form={form}
          type={type}
          issues={issues}
          isReadOnly={reason !== undefined}
          onHandle={(handle) => (editor.current = handle)}
        />
        <VerdictPanel verdict={verdict} type={type} isEmpty={content.trim() === ''} onLine={(line) => editor.current?.showLine(line)} />
      </div>
      <Fold title="References" note={referenceNote(references)}>
        <ReferencesField place={place} type={type} uses={references} onChange={(uses) => form.setValue('references', [...uses])} />
      </Fold>
    </NewForm>
  );
}

const referenceNote = (uses: readonly SchemaUse[]): string =>
  uses.length === 0 ? 'Other schemas that the content builds on' : uses.map(({ name }) => name).join(', ');

interface ContentFieldProps {
  form: SchemaForm;
  type: SchemaType;
  issues: readonly CodeIssue[];
  isReadOnly: boolean;
  onHandle: (handle: CodeEditorHandle | null) => void;
}

const ContentField = ({ form, type, issues, isReadOnly, onHandle }: ContentFieldProps) => (
  <CodeField
    form={form}
    name="content"
    language={type === 'PROTOBUF' ? 'protobuf' : 'json'}
    issues={issues}
    rows={16}
    isReadOnly={isReadOnly}
    onHandle={onHandle}
  />
);
