/** Creates a schema: name, type, and content with the verdict beside it. */
import { runOf } from '@slipway/contract/pipeline/plan.ts';
import {
  compatibilityLevels,
  compatibilityTexts,
  schemaCreate,
  SchemaCreate,
  schemaLabels,
  type SchemaType,
  type SchemaUse,
} from '@slipway/contract/streaming/schema.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useMemo, useRef } from 'react';
import { useWatch } from 'react-hook-form';
import { useNavigate } from 'react-router';
import type * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { paths, pipelinePath } from '#entities/paths.ts';
import { useWrite } from '#kit/api/write.ts';
import type { CodeEditorHandle, CodeIssue } from '#kit/code/code-editor-props.ts';
import { SelectField } from '#kit/form/ChoiceFields.tsx';
import { CodeField } from '#kit/form/CodeField.tsx';
import { PageForm } from '#kit/form/PageForm.tsx';
import { useApiForm, type ApiForm } from '#kit/form/use-api-form.ts';
import { Fold } from '#features/streaming/parts/Fold.tsx';
import { FieldsFor } from '#features/streaming/parts/FieldsFor.tsx';
import { NameField } from '#features/streaming/parts/NameField.tsx';
import { NewInEvents } from '#features/streaming/parts/NewInEvents.tsx';
import type { EventsPlace } from '#features/streaming/use-place.ts';
import { ReferencesField } from './ReferencesField.tsx';
import { schemaSamples } from './schema-samples.ts';
import { namedUses } from './schema-uses.ts';
import { SchemaTypeField } from './SchemaTypeField.tsx';
import { codeIssues, useVerdict } from './verdict/use-verdict.ts';
import { VerdictPanel } from './verdict/VerdictPanel.tsx';

type Values = z.input<typeof SchemaCreate>;
type NewForm = ApiForm<Values>;

export function Component() {
  return (
    <NewInEvents title="New schema" lede="What the messages of a topic look like." hrefOf={paths.newSchema}>
      {(place, _, reason) => <NewSchema place={place} reason={reason} />}
    </NewInEvents>
  );
}

const useNewSchemaForm = ({ app, env }: EventsPlace): NewForm => {
  const create = useWrite(schemaCreate);
  const navigate = useNavigate();
  return useApiForm({
    schema: SchemaCreate,
    defaultValues: { name: '', type: 'AVRO', content: schemaSamples.AVRO, compatibility: 'BACKWARD', references: [] },
    labels: schemaLabels,
    // Specification §5.
    messages: { LowercaseLetters: 'Schema name can only contain lowercase letters' },
    onSubmit: async (body) => {
      const run = runOf(await create.send({ params: { app, env }, body }));
      toast.success(`${body.name} is being created`, { href: pipelinePath(run), linkLabel: 'View pipeline' });
      await navigate(paths.schema({ app, env, schema: body.name }));
      await refresh({ kind: 'schema', app, env });
    },
  });
};

function NewSchema({ place, reason }: { place: EventsPlace; reason: string | undefined }) {
  const form = useNewSchemaForm(place);
  // Every field has a default, which the form library's type does not express.
  const { type = 'AVRO', content, compatibility = 'BACKWARD', references = [] } = useWatch({ control: form.control }) as Values;
  const verdict = useVerdict(place, undefined, { type, content, compatibility, uses: namedUses(references) });
  const issues = useMemo(() => codeIssues(verdict), [verdict]);
  const editor = useRef<CodeEditorHandle>(null);
  return (
    <PageForm
      form={form}
      label="New schema"
      startsFocused
      submitLabel="Create schema"
      busyLabel="Creating"
      disabledReason={reason}
      cancelHref={paths.events(place, 'schemas')}
    >
      <FieldsFor legend="New schema" reason={reason}>
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
      </FieldsFor>
    </PageForm>
  );
}

const referenceNote = (uses: readonly SchemaUse[]): string =>
  uses.length === 0 ? 'Other schemas that the content builds on' : uses.map(({ name }) => name).join(', ');

interface ContentFieldProps {
  form: NewForm;
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
