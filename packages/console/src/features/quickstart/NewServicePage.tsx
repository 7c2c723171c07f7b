/** Creates a service from a template in an existing app: repository, image and first revision. */
import { applicationView } from '@slipway/contract/application.ts';
import { environmentOf, type Environment } from '@slipway/contract/kernel/fields.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartServiceCreate, QuickstartServiceCreate, serviceNameRule } from '@slipway/contract/quickstart.ts';
import { serviceDelete, serviceView } from '@slipway/contract/service/service.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useWatch } from 'react-hook-form';
import { useParams } from 'react-router';
import * as z from 'zod/mini';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { EnvironmentField } from '#entities/service/EnvironmentField.tsx';
import { PageForm } from '#kit/form/PageForm.tsx';
import { toName } from '#entities/service/NameHint.tsx';
import { ServiceNameHint } from '#entities/service/ServiceNameHint.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm, type ApiForm } from '#kit/form/use-api-form.ts';
import { PageError } from '#entities/PageError.tsx';
import { reasonOf } from '#kit/error/messages.ts';
import { NewServiceWays } from '#entities/service/NewServiceWays.tsx';
import { NotFound } from '#entities/NotFound.tsx';
import { paths } from '#entities/paths.ts';
import { addQuickstartEntry } from './quickstart-entries.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { QuickstartFailed } from './QuickstartFailed.tsx';
import { QuickstartScreen, showRun } from './QuickstartScreen.tsx';
import { TemplateField, templateLabel, useTemplates } from './TemplateField.tsx';

type Values = z.input<typeof QuickstartServiceCreate>;
/** Checks the same rule as the server, before anything is sent. */
const schema = QuickstartServiceCreate.check(
  z.refine(({ app, name }) => serviceNameRule(app, name) === true, { path: ['name'], error: 'ServiceNameMustStartWithApplicationName' }),
);
const defaults = { pipeline: '' };

export function Component() {
  const { app = '', env: segment = '' } = useParams();
  const env = environmentOf(segment);
  const query = useQuery(applicationView, { params: { app } });
  if (env === undefined) return <NotFound />;
  if (query.error && !query.data) return <PageError what={`app ${app}`} query={query} />;
  return (
    <NewService key={app} app={app} env={env} reason={reasonOf(query.data?.can, 'createService', { team: query.data?.teamName ?? '' })} />
  );
}

function NewService({ app, env, reason }: { app: string; env: Environment; reason: string | undefined }) {
  const { state, set } = useUrlState(defaults);
  const create = useWrite(quickstartServiceCreate);
  const { data: templates } = useTemplates();
  const form = useApiForm({
    schema,
    defaultValues: { app, environment: env, name: `${app}-`, template: 'node-http-api' },
    labels: { name: 'Service name', template: 'Template', environment: 'Environment' },
    onSubmit: async (body) => {
      const run = await create.send({ body });
      addQuickstartEntry(run.pipelineId, 1);
      await showRun(run);
      set({ pipeline: run.pipelineId });
    },
  });
  const [name, template, environment = env] = useWatch({ control: form.control, name: ['name', 'template', 'environment'] });
  const service = name === '' || name === `${app}-` ? `${app}-service` : name;
  return (
    <QuickstartScreen
      title="New service from a template"
      lede={`A repository, an image and a running service in ${app}.`}
      pipelineId={state.pipeline}
      highlight={service}
      names={{ app, env: environment, service, isNewApp: false, template: templateLabel(templates?.find((item) => item.id === template)) }}
      form={<ServiceFields form={form} app={app} env={env} reason={reason} />}
      failed={(run) => (
        <Failed
          run={run}
          place={{ app, env: run.subject.env ?? environment, service: run.subject.service ?? name }}
          onBack={() => {
            if (name === `${app}-` && run.subject.service) form.setValue('name', run.subject.service);
            set({ pipeline: '' });
          }}
        />
      )}
    />
  );
}

function Failed(props: { run: PipelineRun; place: { app: string; env: string; service: string }; onBack: () => void }) {
  const { run, place, onBack } = props;
  const discard = useWrite(serviceDelete);
  const { data } = useQuery(serviceView, { params: place });
  return (
    <QuickstartFailed
      run={run}
      name={place.service}
      onBack={onBack}
      discardReason={reasonOf(data?.can, 'delete', { team: run.subject.team ?? '' })}
      discard={async () => {
        await discard.send({ params: place });
        toast.success(`${place.service} is being discarded`, { detail: 'Its name is free again in a moment.' });
      }}
    />
  );
}

function ServiceFields({ form, app, env, reason }: { form: ApiForm<Values>; app: string; env: string; reason: string | undefined }) {
  const [name, environment = env] = useWatch({ control: form.control, name: ['name', 'environment'] });
  return (
    <PageForm
      form={form}
      label="New service from a template"
      submitLabel="Create service"
      busyLabel="Starting"
      disabledReason={reason}
      cancelHref={paths.appServices({ app, env })}
    >
      <NewServiceWays place={{ app, env }} current="quickstart" />
      {reason !== undefined && <Notice tone="warn">{reason}</Notice>}
      <TemplateField form={form} name="template" />
      <TextField
        form={form}
        name="name"
        spellCheck={false}
        autoCapitalize="off"
        normalise={toName}
        hint={<ServiceNameHint place={{ app, env: environment, service: name }} />}
      />
      <EnvironmentField form={form} name="environment" hint="The other environment gets a service of its own." />
    </PageForm>
  );
}
