/** Pipelines of a service: deploy a tag, build and deploy a commit, activate, enable, delete. */
import type { Service } from '@slipway/contract/service/service.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { StepFailure, type PipelineDefinition } from '#modules/pipelines/index.ts';
import { dropEdgeCredential } from '#modules/secret-groups/index.ts';
import type { Builder } from '#ports/builder.ts';
import { activationPipeline, type ActivationPipeline } from './activation.pipeline.ts';
import { buildCommit, readSource, type BuildInput } from './build.steps.ts';
import { imageRepository, imageRepositoryOf, servicesOnImage } from '../image-repository.ts';
import { revisionActivationPipeline, type RevisionActivationPipeline } from './revision-activation.pipeline.ts';
import { findImage, rolloutImpactIn, rolloutRows, type RolloutImpact, type RolloutInput, type RolloutState } from './rollout.steps.ts';
import { hint, wantRevision } from './rollout.sql.ts';
import {
  recordOutcome,
  requireRow,
  serviceOf,
  servicePipeline,
  type ServiceContext,
  type ServicePipeline,
  type StepRow,
} from './service-pipeline.ts';
import { serviceById, shownSpec, type ServiceKey } from '../services.sql.ts';
import { settingsPipeline, type SettingsPipeline } from './settings.pipeline.ts';
import type { SettingsEngines } from './settings.steps.ts';
import { stopAll, waitUntilDeleted } from './wait.ts';

export interface ServiceEngines extends SettingsEngines {
  readonly builder: Builder;
}
export interface DeployInput extends RolloutInput {
  readonly imageTag: string;
  /** Redeploys the running image, even if the tag has moved. */
  readonly imageDigest?: string;
}
export interface RevisionInput extends ServiceKey {
  readonly revisionId: string;
  readonly revision: string;
}
export interface RemoveInput extends ServiceKey {
  readonly stateBefore: Service['state'];
  /** Repository that a failed creation may have left. The repository of a successfully created service is kept. */
  readonly leftOver: string | null;
}
export interface ServicePipelines {
  readonly deploy: ServicePipeline<DeployInput, RolloutState, RolloutImpact>;
  readonly buildAndDeploy: ServicePipeline<BuildInput, RolloutState, RolloutImpact>;
  readonly activation: ActivationPipeline;
  readonly enableRevision: RevisionActivationPipeline;
  readonly deleteRevision: ServicePipeline<RevisionInput, object, object>;
  readonly remove: ServicePipeline<RemoveInput, object, object>;
  readonly update: SettingsPipeline;
  readonly rollback: SettingsPipeline;
}

const deployTable = (engines: ServiceEngines): StepRow<DeployInput, RolloutState, RolloutImpact>[] =>
  rolloutRows(
    engines,
    findImage(engines, ({ input }: ServiceContext<DeployInput, RolloutState>) => ({ tag: input.imageTag, digest: input.imageDigest })),
  );

const buildTable = (engines: ServiceEngines): StepRow<BuildInput, RolloutState, RolloutImpact>[] => [
  { code: 'ReadSource', run: (c) => readSource(engines, c, c.input) },
  { code: 'BuildImage', run: (c) => buildCommit(engines, c, c.input) },
  ...rolloutRows(engines),
];

const deleteRevisionTable = (engines: ServiceEngines): StepRow<RevisionInput, object, object>[] => [
  { code: 'DeleteRevision', run: deleteRevision(engines), isPointOfNoReturn: true },
];

const removeTable = (engines: ServiceEngines): StepRow<RemoveInput, object, object>[] => [
  { code: 'StopInstances', run: stop(engines), isPointOfNoReturn: true },
  { code: 'DeleteService', run: remove(engines) },
];

const deleteRevision =
  ({ db }: ServiceEngines) =>
  async ({ service, input, signal }: ServiceContext<RevisionInput, object>): Promise<void> => {
    await requireRow(db, service);
    await wantRevision(db, service, input.revisionId, { replicas: 0, enabled: false, isDeleting: true });
    await waitUntilDeleted(db, input.revisionId, signal);
  };

type Removal = ServiceContext<RemoveInput, object>;
const stop =
  ({ db }: ServiceEngines) =>
  async ({ service, signal, log }: Removal): Promise<void> => {
    await requireRow(db, service);
    await stopAll(db, service, signal, log);
  };
const remove =
  (engines: ServiceEngines) =>
  async (c: Removal): Promise<void> => {
    const { db } = engines;
    const row = await serviceById(db, c.service.id);
    // A retry may find the row already deleted. A rerun fails, since another service may have the name now.
    if (!row && c.attempt === 1) throw new StepFailure('Discarded');
    if (row) await removeRow(engines, c, shownSpec(row.spec));
    // Keeps the secret groups that the service reads.
    await dropEdgeCredential(db, c.service);
    await hint(db, c.service);
  };
const removeRow = async ({ db, registry, source }: ServiceEngines, { service, input, log }: Removal, spec: ServiceSpec): Promise<void> => {
  const images = imageRepositoryOf(spec);
  const users = await servicesOnImage(db, service.app, images, service.id);
  // Deletes only the service's default repository, and only if no other service uses its images.
  if (users.length > 0) log(`The images in ${images} stay: ${users.join(', ')} runs them`);
  else if (images === imageRepository(service)) await registry.repositoryDelete(images);
  if (input.leftOver !== null) await source.deleteRepository({ owner: service.app, name: input.leftOver });
  await db.deleteFrom('service').where('id', '=', service.id).execute();
};

const removed: NonNullable<PipelineDefinition<RemoveInput, object>['onFinished']> = async (trx, run) => {
  const { id } = serviceOf(run);
  if (run.outcome === 'CANCELED') await trx.updateTable('service').set({ state: run.input.stateBefore }).where('id', '=', id).execute();
  await recordOutcome('DeleteService')(trx, run);
};

const always = (): object => ({});

export const servicePipelines = (engines: ServiceEngines): ServicePipelines => ({
  deploy: servicePipeline({ type: 'Deploy', steps: deployTable(engines), impactIn: rolloutImpactIn(engines) }),
  buildAndDeploy: servicePipeline({ type: 'BuildAndDeploy', steps: buildTable(engines), impactIn: rolloutImpactIn(engines) }),
  activation: activationPipeline(engines),
  enableRevision: revisionActivationPipeline(engines),
  deleteRevision: servicePipeline({ type: 'DeleteRevision', steps: deleteRevisionTable(engines), impactIn: always }),
  remove: servicePipeline({ type: 'DeleteService', steps: removeTable(engines), impactIn: always, onFinished: removed }),
  update: settingsPipeline(engines, 'UpdateService'),
  rollback: settingsPipeline(engines, 'Rollback'),
});
