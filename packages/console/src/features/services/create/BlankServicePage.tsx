/** Creates a service without a template: settings and URL. The user pushes the image. */
import { applicationView } from '@slipway/contract/application.ts';
import { environmentOf, type Environment } from '@slipway/contract/kernel/fields.ts';
import { pipelineView } from '@slipway/contract/pipeline/pipeline.ts';
import { serviceCreate } from '@slipway/contract/service/service-operations.ts';
import { useWatch } from 'react-hook-form';
import { useParams } from 'react-router';
import { keepAnswer, useQuery } from '#kit/api/query.ts';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { useWrite } from '#kit/api/write.ts';
import { PageError } from '#entities/PageError.tsx';
import { reasonOf } from '#kit/error/messages.ts';
import { NotFound } from '#entities/NotFound.tsx';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { ConfirmChanges } from '#entities/plan/ConfirmChanges.tsx';
import { UnsavedGuard } from '#kit/page/UnsavedGuard.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import { usePlannedForm, type PlannedForm } from '#entities/plan/use-planned-form.ts';
import { blankDefaults, blankSchema, imageBelow, type BlankValues } from './blank-service.ts';
import { BlankServiceForm } from './BlankServiceForm.tsx';
import { CreationProgress } from './CreationProgress.tsx';
import { ServicePreview } from './ServicePreview.tsx';

const defaults = { pipeline: '' };

export function Component() {
  const { app = '', env: segment = '' } = useParams();
  const env = environmentOf(segment);
  const query = useQuery(applicationView, { params: { app } });
  if (env === undefined) return <NotFound />;
  if (query.error && !query.data) return <PageError what={`app ${app}`} query={query} />;
  const team = query.data?.teamName ?? '';
  return <BlankService key={app} app={app} env={env} reason={reasonOf(query.data?.can, 'createService', { team })} />;
}

interface BlankServiceProps {
  app: string;
  env: Environment;
  /** Why the user may not create a service. */
  reason: string | undefined;
}

/** The form stays mounted while the pipeline is shown, so going back after a failure restores all values. */
function BlankService({ app, env, reason }: BlankServiceProps) {
  const { state, set } = useUrlState(defaults);
  const planned = useBlankForm(app, env, (pipelineId) => set({ pipeline: pipelineId }));
  if (state.pipeline !== '') return <CreationProgress pipelineId={state.pipeline} onBack={() => set(defaults)} />;
  return <BlankScreen app={app} env={env} reason={reason} planned={planned} />;
}

const prefixOf = (app: string): string => `${runtimeConfig().registryHost}/${app}/`;

const useBlankForm = (app: string, env: Environment, onMaking: (pipelineId: string) => void): PlannedForm<BlankValues> => {
  const create = useWrite(serviceCreate);
  return usePlannedForm({
    schema: blankSchema(app, prefixOf(app)),
    defaultValues: blankDefaults(app, env),
    labels: {
      environment: 'Environment',
      name: 'Service name',
      githubRepositoryName: 'Repository',
      'spec.containerImageName': 'Container image',
      'spec.exposedPort': 'Port',
      'spec.template.healthCheck.http.path': 'Health check path',
      'spec.resources.cpuMillicores': 'CPU',
      'spec.resources.memoryMegabytes': 'Memory',
    },
    send: ({ environment, ...body }, isDryRun) =>
      create.send({ params: { app, env: environment }, ...(isDryRun ? { query: { dryRun: 'true' } } : {}), body }),
    onStarted: async (run) => {
      await keepAnswer(pipelineView, { params: { pipelineId: run.pipelineId } }, run);
      onMaking(run.pipelineId);
    },
  });
};

function BlankScreen({ app, env, reason, planned }: BlankServiceProps & { planned: PlannedForm<BlankValues> }) {
  const { form, plan, confirm, dismiss, isStarted } = planned;
  const prefix = prefixOf(app);
  // Every field has a default, which the form library's type does not express.
  const { environment, name: typed, githubRepositoryName, spec } = useWatch({ control: form.control }) as BlankValues;
  const name = typed === '' || typed === `${app}-` ? `${app}-service` : typed;
  return (
    <PlainPage
      name="New blank service"
      title={['New service', app, environment]}
      lede={`A service of ${app} with its settings and its address. Nothing runs before its first pipeline.`}
    >
      <BlankServiceForm
        form={form}
        app={app}
        env={env}
        prefix={prefix}
        reason={reason}
        aside={
          <ServicePreview
            place={{ app, env: environment, service: name }}
            image={`${prefix}${imageBelow(prefix, spec.containerImageName) || name}`}
            repository={githubRepositoryName}
            resources={spec.resources}
          />
        }
      />
      <UnsavedGuard isDirty={form.isDirty} isReleased={isStarted} />
      {plan && (
        <ConfirmChanges
          plan={plan}
          title={`Create ${name}?`}
          subject={app}
          environment={environment}
          confirmLabel={environment === 'production' ? 'Create in production' : 'Create service'}
          busyLabel="Creating"
          onConfirm={confirm}
          onClose={dismiss}
        />
      )}
    </PlainPage>
  );
}
