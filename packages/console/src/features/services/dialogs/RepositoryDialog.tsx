/** Connects a service to one of the app's repositories, so that pushes build and deploy it, or disconnects it. */
import { RepositoryName } from '@slipway/contract/kernel/fields.ts';
import { runOf } from '@slipway/contract/pipeline/plan.ts';
import { serviceRepositorySet, type Repository, type ServiceRepository } from '@slipway/contract/service/service-operations.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { useController, useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { toastRun } from '#entities/pipeline/index.ts';
import { useChangeRequest } from '#entities/plan/Approval.tsx';
import { hasCode } from '#kit/api/errors.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction, type ConfirmedAction } from '#kit/confirm/confirm-action.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { RadioCardsField } from '#kit/form/ChoiceFields.tsx';
import { RepositoryField, useRepositories } from './RepositoryField.tsx';
import { useApiForm, type ApiForm } from '#kit/form/use-api-form.ts';

interface RepositoryDialogProps {
  service: Service;
  onClose: () => void;
}
type Repo = z.infer<typeof Repository>;
interface Values {
  githubRepositoryName: string;
  build: 'now' | 'push';
}

/** Pushes deploy to development only. */
const purposes: Readonly<Record<Service['environment'], string>> = {
  development: 'A push to its main branch builds an image and deploys it to development.',
  production: 'In production it is a link: pushes deploy to development alone. Here is built what you ask for now.',
};

const placeOf = ({ app, environment, name }: Service) => ({ app, env: environment, service: name });

const meant = ({ githubRepositoryName, build }: Values): z.input<typeof ServiceRepository> => ({
  githubRepositoryName,
  buildNow: build === 'now',
});
const schema = z.pipe(
  z.object({ githubRepositoryName: z.string(), build: z.enum(['now', 'push']) }),
  z.pipe(z.transform(meant), z.object({ githubRepositoryName: RepositoryName, buildNow: z.boolean() })),
);

/** Sends the repository name, or null for none, and refreshes the service's pages. */
const useRepositorySet = (service: Service) => {
  const write = useWrite(serviceRepositorySet);
  const ask = useChangeRequest();
  return async (body: z.input<typeof ServiceRepository>, done: string): Promise<void> => {
    try {
      toastRun(done, runOf(await write.send({ params: placeOf(service), body })));
    } catch (error) {
      if (!hasCode(error, 'ApprovalRequired')) throw error;
      const { app, environment, name } = service;
      await ask({ app, environment, request: { operation: serviceRepositorySet.id, service: name, body } });
    }
    await refresh({ kind: 'service', ...placeOf(service) });
  };
};

export default function RepositoryDialog({ service, onClose }: RepositoryDialogProps) {
  const set = useRepositorySet(service);
  const disconnection = useDisconnection(service);
  const connected = service.githubRepositoryName;
  const form = useApiForm<Values, z.output<typeof schema>>({
    schema,
    defaultValues: { githubRepositoryName: connected ?? '', build: 'push' },
    labels: { githubRepositoryName: 'Repository', build: 'First build' },
    onSubmit: async (body) => {
      await set(body, `${service.name} is being connected to ${body.githubRepositoryName}`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={`Connect ${service.name} to a repository`}
      description={purposes[service.environment]}
      label="Connect to a repository"
      submitLabel="Connect"
      busyLabel="Connecting"
      footNote={
        connected === null ? undefined : (
          <Button
            variant="quiet"
            onClick={() => {
              onClose();
              confirmAction(disconnection);
            }}
          >
            Disconnect
          </Button>
        )
      }
    >
      <RepositoryField
        form={form}
        name="githubRepositoryName"
        app={service.app}
        hint={connected === null ? `Repositories of ${service.app}.` : `Connected to ${connected} now.`}
      />
      <Chosen form={form} service={service} />
    </FormDialog>
  );
}

/** The chosen repository: its clone URL, and whether it has anything to build. */
function Chosen({ form, service }: { form: ApiForm<Values>; service: Service }) {
  const name = useWatch({ control: form.control, name: 'githubRepositoryName' });
  const { data } = useRepositories(service.app);
  const repository = data?.find((known) => known.name === name);
  if (!repository) return null;
  const others = repository.services.filter((other) => other !== service.name);
  return (
    <>
      <FirstBuild form={form} repository={repository} environment={service.environment} />
      {others.length > 0 && service.environment === 'development' && (
        <Notice tone="idle">Its pushes build {others.join(', ')}, too.</Notice>
      )}
      <div className="stack stack-4">
        <h3>Clone it</h3>
        <CommandLine command={`git clone ${repository.cloneUrl}`} />
        <p className="meta">Git asks for a password: any user name and one of your API tokens with the scope git.</p>
      </div>
    </>
  );
}

function FirstBuild({ form, repository, environment }: { form: ApiForm<Values>; repository: Repo; environment: string }) {
  const { field } = useController({ control: form.control, name: 'build' });
  const { headCommit, defaultBranch } = repository;
  if (headCommit === null) {
    return (
      <Notice tone="idle">
        The repository is empty{environment === 'production' ? '.' : `: the first push to ${defaultBranch} builds it.`}
      </Notice>
    );
  }
  return (
    <RadioCardsField
      form={form}
      name={field.name}
      options={[
        environment === 'production'
          ? { value: 'push', label: 'Nothing now', note: 'Run the pipeline with the tag that you want.' }
          : { value: 'push', label: 'With the next push', note: 'Nothing that runs changes now.' },
        {
          value: 'now',
          label: 'Now',
          tag: headCommit.slice(0, 7),
          note: `Builds the newest commit of ${defaultBranch}, and deploys it to ${environment}.`,
        },
      ]}
    />
  );
}

/** Returns the confirmation for `confirmAction`. */
const useDisconnection = (service: Service): ConfirmedAction => {
  const set = useRepositorySet(service);
  const name = service.githubRepositoryName ?? '';
  return {
    title: `Disconnect ${service.name} from ${name}?`,
    consequences: service.environment === 'production' ? [] : [`Pushes to ${name} build and deploy it no more`],
    description: 'What runs goes on running. The repository with its commits and the images stay.',
    confirmLabel: 'Disconnect',
    busyLabel: 'Disconnecting',
    run: () => set({ githubRepositoryName: null }, `${service.name} is being disconnected from ${name}`),
  };
};
