/** From nothing to a running app: choose a template and a name, then watch the progress. */
import { applicationDelete, applicationView } from '@slipway/contract/application.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate, QuickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { useMyTeamList } from '#entities/team/me.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { CheckboxesField } from '#kit/form/ChoiceFields.tsx';
import { PageForm } from '#kit/form/PageForm.tsx';
import { NameHint, toName } from '#entities/service/NameHint.tsx';
import { TeamField } from '#entities/team/TeamField.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm, type ApiForm } from '#kit/form/use-api-form.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { paths } from '#entities/paths.ts';
import { addQuickstartEntry } from './quickstart-entries.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { QuickstartFailed } from './QuickstartFailed.tsx';
import { QuickstartScreen, showRun } from './QuickstartScreen.tsx';
import { TemplateField, templateLabel, useTemplates } from './TemplateField.tsx';

interface Values {
  template: string;
  id: string;
  displayName: string;
  teamId: string;
  parts: string[];
}
/** Values of the choice `parts`. */
const databasePart = 'database';
const streamPart = 'stream';
const partOptions = [
  { value: databasePart, label: 'A PostgreSQL database. The program writes a row and reads it back.' },
  { value: streamPart, label: 'A Kafka topic. The program writes a message and reads it back.' },
];
const schema = z.pipe(
  z.object({ template: z.string(), id: z.string(), displayName: z.string(), teamId: z.string(), parts: z.array(z.string()) }),
  z.pipe(
    z.transform(({ displayName, parts, ...rest }: Values): z.input<typeof QuickstartApplicationCreate> => ({
      ...rest,
      withDatabase: parts.includes(databasePart),
      withStream: parts.includes(streamPart),
      displayName: displayName.trim() || wordsOf(rest.id),
    })),
    QuickstartApplicationCreate,
  ),
);
const defaults = { pipeline: '' };
const nameShown = 'app-name';

/** `yard-planner` → `Yard planner`. */
const wordsOf = (name: string): string => {
  const words = name.replaceAll('-', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export function Component() {
  const { state, set } = useUrlState(defaults);
  const create = useWrite(quickstartApplicationCreate);
  const teams = useMyTeamList();
  const { data: templates } = useTemplates();
  const form = useApiForm({
    schema,
    defaultValues: {
      template: 'node-http-api',
      id: '',
      displayName: '',
      teamId: teams.length === 1 ? (teams[0]?.id ?? '') : '',
      parts: [] as string[],
    },
    labels: { template: 'Template', id: 'App name', displayName: 'Display name', teamId: 'Team', parts: 'With' },
    onSubmit: async (body) => {
      const run = await create.send({ body });
      addQuickstartEntry(run.pipelineId, 0);
      await showRun(run);
      set({ pipeline: run.pipelineId });
    },
  });
  const [id, template, parts] = useWatch({ control: form.control, name: ['id', 'template', 'parts'] });
  const name = id || nameShown;
  /** The form still has its values. After a reload, most of them are restored from the run. */
  const goBack = ({ subject, facts }: PipelineRun): void => {
    if (id === '' && subject.app) form.setValue('id', subject.app);
    if (id === '' && facts['template']) form.setValue('template', facts['template']);
    if (id === '') form.setValue('parts', [...(facts['database'] ? [databasePart] : []), ...(facts['topic'] ? [streamPart] : [])]);
    set({ pipeline: '' });
  };
  return (
    <QuickstartScreen
      title="Quickstart"
      lede="From nothing to a running service at a URL, in seconds."
      pipelineId={state.pipeline}
      highlight={name}
      names={{
        app: name,
        env: 'development',
        service: name,
        isNewApp: true,
        withDatabase: parts.includes(databasePart),
        withStream: parts.includes(streamPart),
        template: templateLabel(templates?.find((item) => item.id === template)),
      }}
      form={<AppFields form={form} />}
      failed={(run) => <Failed app={run.subject.app ?? id} run={run} onBack={() => goBack(run)} />}
    />
  );
}

function Failed({ app, run, onBack }: { app: string; run: PipelineRun; onBack: () => void }) {
  const discard = useWrite(applicationDelete);
  const { data } = useQuery(applicationView, { params: { app } });
  return (
    <QuickstartFailed
      run={run}
      name={app}
      onBack={onBack}
      discardReason={reasonOf(data?.can, 'delete', { team: data?.teamName ?? '' })}
      discard={async () => {
        await discard.send({ params: { app } });
        toast.success(`${app} is being discarded`, { detail: 'Its name is free again in a moment.' });
      }}
    />
  );
}

function AppFields({ form }: { form: ApiForm<Values> }) {
  const id = useWatch({ control: form.control, name: 'id' });
  return (
    <PageForm form={form} label="Quickstart" submitLabel="Create app" busyLabel="Starting" cancelHref={paths.newApp()}>
      <TemplateField form={form} name="template" />
      <TextField
        form={form}
        name="id"
        spellCheck={false}
        autoCapitalize="off"
        normalise={toName}
        hint={<NameHint name={id} rules="Lowercase letters, numbers and dashes." />}
      />
      <TextField form={form} name="displayName" labelNote="optional" placeholder={wordsOf(id)} hint="Shown in the console." />
      <TeamField form={form} name="teamId" />
      <CheckboxesField
        form={form}
        name="parts"
        labelNote="optional"
        options={partOptions}
        hint="Its address and password are set for the service. You can add both later, too."
      />
    </PageForm>
  );
}
