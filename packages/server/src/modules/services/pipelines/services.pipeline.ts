/** Pipelines of a service: deploy a tag, build and deploy a commit, activate, enable, delete. */
import { definePipeline, type PipelineDefinition, type StepDefinition } from '#modules/pipelines/index.ts';
import { dropEdgeCredential } from '#modules/secret-groups/index.ts';
import type { Builder } from '#ports/builder.ts';
import { activationPipeline, type ActivationInput } from './activation.pipeline.ts';
import { buildSteps, type BuildInput } from './build.steps.ts';
import { imageRepositoryOf, servicesOnImage } from '../image-repository.ts';
import { recordOutcome } from '../record-outcome.ts';
import { revisionActivationPipeline, type RevisionActivationInput, type RevisionActivationState } from './revision-activation.pipeline.ts';
import { imageRepository, rolloutSteps, type RolloutInput, type RolloutState } from './rollout.steps.ts';
import { hint, wantRevision } from './rollout.sql.ts';
import { sameService } from './same-service.ts';
import { serviceRow, type ServiceKey } from '../services.sql.ts';
import { rollbackPipeline, updatePipeline, type SettingsPipeline } from './settings.pipeline.ts';
import type { SettingsEngines } from './settings.steps.ts';
import { stopAll } from './stop-all.ts';
import { waitUntilDeleted } from './wait.ts';
import type { ServiceSpec } from '@slipway/contract/service-spec.ts';

export interface ServiceEngines extends SettingsEngines {
  readonly builder: Builder;
}
export interface DeployInput extends RolloutInput {
  readonly imageTag: string;
  /** Deploys what runs anew, whatever the tag names by now. */
  readonly imageDigest?: string;
}
export interface RevisionInput extends ServiceKey {
  readonly revisionId: string;
  readonly revision: string;
}
export interface RemoveInput extends ServiceKey {
  readonly stateBefore: string;
  /** The repository that a failed creation may have left; the source of a service that was created outlives it. */
  readonly leftOver: string | null;
}
export interface ServicePipelines {
  readonly deploy: PipelineDefinition<DeployInput, RolloutState>;
  readonly buildAndDeploy: PipelineDefinition<BuildInput, RolloutState>;
  readonly activation: PipelineDefinition<ActivationInput, object>;
  readonly enableRevision: PipelineDefinition<RevisionActivationInput, RevisionActivationState>;
  readonly deleteRevision: PipelineDefinition<RevisionInput, object>;
  readonly remove: PipelineDefinition<RemoveInput, object>;
  readonly update: SettingsPipeline;
  readonly rollback: SettingsPipeline;
}

const deleteSteps = ({ db }: ServiceEngines): StepDefinition<RevisionInput, object>[] => [
  {
    code: 'DeleteRevision',
    isPointOfNoReturn: true,
    run: async ({ input, signal }) => {
      await wantRevision(db, input, input.revisionId, { replicas: 0, enabled: false, isDeleting: true });
      await waitUntilDeleted(db, input.revisionId, signal);
    },
  },
];

const removeService = ({ db, registry, source }: ServiceEngines): PipelineDefinition<RemoveInput, object> =>
  definePipeline<RemoveInput, object>({
    type: 'DeleteService',
    steps: [
      { code: 'StopInstances', isPointOfNoReturn: true, run: ({ input, signal, log }) => stopAll(db, input, signal, log) },
      {
        code: 'DeleteService',
        run: async ({ input, log }) => {
          const service = await serviceRow(db, input);
          const images = service ? imageRepositoryOf(service.spec as ServiceSpec) : undefined;
          const users = service && images !== undefined ? await servicesOnImage(db, input.app, images, service.id) : [];
          // Its own images alone, and not while another service runs them.
          if (users.length > 0) log(`The images in ${images} stay: ${users.join(', ')} runs them`);
          else if (images === imageRepository(input)) await registry.repositoryDelete(images);
          if (input.leftOver !== null) await source.deleteRepository({ owner: input.app, name: input.leftOver });
          if (service) await db.deleteFrom('service').where('id', '=', service.id).execute();
          await dropEdgeCredential(db, input);
          await hint(db, input);
        },
      },
    ],
    onFinished: async (trx, run) => {
      const service = await serviceRow(trx, run.input);
      if (service && run.outcome === 'CANCELED')
        await trx.updateTable('service').set({ state: run.input.stateBefore }).where('id', '=', service.id).execute();
      await recordOutcome('DeleteService')(trx, run);
    },
  });

export const servicePipelines = (engines: ServiceEngines): ServicePipelines => {
  const chosenTag: StepDefinition<DeployInput, RolloutState>[] = rolloutSteps(engines).map((step) =>
    step.code === 'ValidateContainerImage'
      ? {
          ...step,
          run: async (c) => {
            const { imageTag, imageDigest } = c.input;
            const result = await step.run({ ...c, state: { ...c.state, imageTag: imageDigest ?? imageTag } });
            return { ...result, state: { ...(result ?? {}).state, imageTag } };
          },
        }
      : step,
  );
  const { db } = engines;
  const deploy = definePipeline<DeployInput, RolloutState>({ type: 'Deploy', steps: chosenTag, onFinished: recordOutcome('Deploy') });
  const buildAndDeploy = definePipeline<BuildInput, RolloutState>({
    type: 'BuildAndDeploy',
    steps: [...buildSteps(engines), ...rolloutSteps(engines)],
    onFinished: recordOutcome('BuildAndDeploy'),
  });
  const deleteRevision = definePipeline<RevisionInput, object>({
    type: 'DeleteRevision',
    steps: deleteSteps(engines),
    onFinished: recordOutcome('DeleteRevision'),
  });
  return {
    deploy: sameService(db, deploy),
    buildAndDeploy: sameService(db, buildAndDeploy),
    activation: sameService(db, activationPipeline(engines)),
    enableRevision: sameService(db, revisionActivationPipeline(engines)),
    deleteRevision: sameService(db, deleteRevision),
    remove: sameService(db, removeService(engines)),
    update: sameService(db, updatePipeline(engines)),
    rollback: sameService(db, rollbackPipeline(engines)),
  };
};
