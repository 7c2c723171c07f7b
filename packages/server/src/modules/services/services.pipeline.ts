/** Pipelines of a service: deploy a tag, build and deploy a commit, activate, enable, delete. */
import type { Db } from '#db/database.ts';
import { recordActivity } from '#modules/activity/index.ts';
import { definePipeline, type FinishedRun, type PipelineDefinition, type StepDefinition } from '#modules/pipelines/index.ts';
import type { Builder } from '#ports/builder.ts';
import type { SourceHost } from '#ports/source.ts';
import type { Transaction } from 'kysely';
import type { DB } from '#db/types.ts';
import { buildSteps, type BuildInput } from './build.steps.ts';
import { imageRepository, replicasOf, rolloutSteps, type RolloutEngines, type RolloutInput, type RolloutState } from './rollout.steps.ts';
import { hint, olderRevisions, setServing, wantRevision } from './rollout.sql.ts';
import { serviceRow, type ServiceKey } from './services.sql.ts';
import { startInstances } from './start-instances.ts';
import { waitUntilStopped } from './wait.ts';
import type { ServiceSpec } from '@slipway/contract/service-spec.ts';

export interface ServiceEngines extends RolloutEngines {
  readonly source: SourceHost;
  readonly builder: Builder;
}
export interface DeployInput extends RolloutInput {
  readonly imageTag: string;
}
export interface ActivationInput extends ServiceKey {
  readonly active: boolean;
}
export interface RevisionInput extends ServiceKey {
  readonly revisionId: string;
  readonly revision: string;
}
export interface ServicePipelines {
  readonly deploy: PipelineDefinition<DeployInput, RolloutState>;
  readonly buildAndDeploy: PipelineDefinition<BuildInput, RolloutState>;
  readonly activation: PipelineDefinition<ActivationInput, object>;
  readonly enableRevision: PipelineDefinition<RevisionInput & { enabled: boolean }, RolloutState>;
  readonly deleteRevision: PipelineDefinition<RevisionInput, object>;
  readonly remove: PipelineDefinition<ServiceKey, object>;
}

/** The outcome in the activity log, in the transaction that ends the run. */
export const recordOutcome =
  (what: string) =>
  async (trx: Transaction<DB>, run: FinishedRun<ServiceKey, object>): Promise<void> => {
    const { app, environment, service } = run.input;
    const words = { COMPLETED: 'completed', FAILED: 'failed', CANCELED: 'was cancelled' }[run.outcome];
    await recordActivity(trx, {
      type: what,
      reason: run.outcome,
      level: run.outcome === 'FAILED' ? 'ERROR' : 'INFO',
      message: `${what} of ${service} ${words}${run.failure ? ` at ${run.failure.step}` : ''}`,
      actor: run.createdBy,
      origin: 'pipeline',
      outcome: run.outcome === 'COMPLETED' ? 'DONE' : 'FAILED',
      app,
      env: environment,
      service,
      pipelineId: run.pipelineId,
    });
    await hint(trx, { app, environment, service });
  };

const stopAll = async (db: Db, key: ServiceKey, signal: AbortSignal, log: (line: string) => void): Promise<void> => {
  await setServing(db, key, []);
  for (const revision of await olderRevisions(db, key, '')) {
    await wantRevision(db, key, revision.id, { replicas: 0 });
    await waitUntilStopped(db, revision.id, signal);
    log(`${revision.name} stopped`);
  }
};

const activation = (engines: ServiceEngines): PipelineDefinition<ActivationInput, object> =>
  definePipeline<ActivationInput, object>({
    type: 'ServiceActivation',
    steps: [
      {
        code: 'StopInstances',
        isPointOfNoReturn: true,
        run: async ({ input, signal, log }) => {
          if (input.active) return { skipped: true };
          await stopAll(engines.db, input, signal, log);
          return {};
        },
      },
      {
        code: 'StartInstances',
        run: async (c) => {
          if (!c.input.active) return { skipped: true };
          const service = await serviceRow(engines.db, c.input);
          const newest = service && (await newestRevision(engines.db, service.id));
          if (!service || !newest) return { skipped: true };
          const spec = newest.spec as ServiceSpec;
          await wantRevision(engines.db, c.input, newest.id, { replicas: replicasOf(spec), enabled: true });
          await startInstances(engines, c, { key: c.input, id: newest.id, spec });
          await setServing(engines.db, c.input, [newest.name]);
          return {};
        },
      },
    ],
    onFinished: recordOutcome('ServiceActivation'),
  });

/** What an activation starts again: the newest revision that was not given up. */
const newestRevision = (db: Db, serviceId: string) =>
  db
    .selectFrom('revision')
    .select(['id', 'name', 'spec'])
    .where('service_id', '=', serviceId)
    .where('status', '!=', 'DELETED')
    .where('deleting_at', 'is', null)
    .where('failed_at', 'is', null)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Enabling is the same rollout onto an existing revision (decisions §11): its steps from the start of the instances on. */
const enableRevision = (engines: ServiceEngines): ServicePipelines['enableRevision'] => {
  type Input = RevisionInput & { enabled: boolean } & RolloutInput;
  const { db } = engines;
  const select: StepDefinition<Input, RolloutState> = {
    code: 'ValidateService',
    run: async ({ input }) => ({
      state: {
        revisionId: input.revisionId,
        revision: input.revision,
        older: input.enabled ? await olderRevisions(db, input, input.revisionId) : [],
      },
    }),
  };
  const disable: StepDefinition<Input, RolloutState> = {
    code: 'StopInstances',
    run: async ({ input, signal }) => {
      if (input.enabled) {
        await wantRevision(db, input, input.revisionId, { enabled: true, isFailed: false });
        return { skipped: true };
      }
      const service = await serviceRow(db, input);
      if (service?.serving.includes(input.revision))
        await setServing(
          db,
          input,
          service.serving.filter((name) => name !== input.revision),
        );
      await wantRevision(db, input, input.revisionId, { replicas: 0, enabled: false });
      await waitUntilStopped(db, input.revisionId, signal);
      return {};
    },
  };
  const rollout = rolloutSteps(engines)
    .filter(({ code }) => ['StopOldRevisions', 'StartInstances', 'ShiftTraffic', 'RetireOldRevisions'].includes(code))
    .map((step): StepDefinition<Input, RolloutState> => ({
      ...step,
      run: (c) => (c.input.enabled ? step.run(c) : Promise.resolve({ skipped: true })),
    }));
  return definePipeline<Input, RolloutState>({
    type: 'RevisionActivation',
    steps: [select, disable, ...rollout],
    onFinished: recordOutcome('RevisionActivation'),
  }) as ServicePipelines['enableRevision'];
};

const deleteSteps = ({ db }: ServiceEngines): StepDefinition<RevisionInput, object>[] => [
  {
    code: 'DeleteRevision',
    isPointOfNoReturn: true,
    run: async ({ input, signal }) => {
      await wantRevision(db, input, input.revisionId, { replicas: 0, enabled: false, isDeleting: true });
      await waitUntilStopped(db, input.revisionId, signal);
    },
  },
];

const removeService = ({ db, registry }: ServiceEngines): PipelineDefinition<ServiceKey, object> =>
  definePipeline<ServiceKey, object>({
    type: 'DeleteService',
    steps: [
      { code: 'StopInstances', isPointOfNoReturn: true, run: ({ input, signal, log }) => stopAll(db, input, signal, log) },
      {
        code: 'DeleteService',
        run: async ({ input }) => {
          await registry.repositoryDelete(imageRepository(input));
          const service = await serviceRow(db, input);
          if (service) await db.deleteFrom('service').where('id', '=', service.id).execute();
          await hint(db, input);
        },
      },
    ],
    onFinished: recordOutcome('DeleteService'),
  });

export const servicePipelines = (engines: ServiceEngines): ServicePipelines => {
  const chosenTag: StepDefinition<DeployInput, RolloutState>[] = rolloutSteps(engines).map((step) =>
    step.code === 'ValidateContainerImage'
      ? {
          ...step,
          run: (c) =>
            step
              .run({ ...c, state: { ...c.state, imageTag: c.input.imageTag } })
              .then((result) => ({ ...result, state: { ...(result ?? {}).state, imageTag: c.input.imageTag } })),
        }
      : step,
  );
  return {
    deploy: definePipeline<DeployInput, RolloutState>({ type: 'Deploy', steps: chosenTag, onFinished: recordOutcome('Deploy') }),
    buildAndDeploy: definePipeline<BuildInput, RolloutState>({
      type: 'BuildAndDeploy',
      steps: [...buildSteps(engines), ...rolloutSteps(engines)],
      onFinished: recordOutcome('BuildAndDeploy'),
    }),
    activation: activation(engines),
    enableRevision: enableRevision(engines),
    deleteRevision: definePipeline<RevisionInput, object>({
      type: 'DeleteRevision',
      steps: deleteSteps(engines),
      onFinished: recordOutcome('DeleteRevision'),
    }),
    remove: removeService(engines),
  };
};
