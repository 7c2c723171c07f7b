/** Deploys, activates and deletes a service: each change is prepared, then planned or performed (see operation.ts). */
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { replicasOf } from '@slipway/contract/service/replicas.ts';
import type { Revision } from '@slipway/contract/service/revision.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { note } from '#modules/pipelines/index.ts';
import { isStarted, type ActivationInput } from './pipelines/activation.pipeline.ts';
import { imageRepositoryOf } from './image-repository.ts';
import { planned, requireIdle, type Pinned, type Prepare } from './operation.ts';
import { addressOf, productionNotes, rolloutNotes } from './rollout-plan.ts';
import { olderRevisions } from './pipelines/rollout.sql.ts';
import type { SettingsRow } from './settings/settings.sql.ts';
import type { ServiceKey } from './services.sql.ts';
import { revisionToStart } from './pipelines/start-again.ts';
import { recordServiceWrite, requireReady, requireService, startServicePipeline, type By, type ServiceDeps } from './service-context.ts';

/** Checks the tag before the pipeline starts, so that a typo is reported at the field. Throws ImageTagDoesNotExist. */
const requireTag = async ({ db, registry }: ServiceDeps, key: ServiceKey, imageTag: string): Promise<string> => {
  const { spec } = await requireReady(db, key, true);
  const repository = imageRepositoryOf(spec);
  const image = await registry.image(repository, imageTag);
  if (image) return image.digest;
  const context = { tag: imageTag, repository: `${registry.host}/${repository}` };
  throw new Problem('ImageTagDoesNotExist', { field: 'imageTag', context });
};

export interface WantedDeploy extends Pinned {
  readonly imageTag: string;
}
export const prepareDeploy = async (deps: ServiceDeps, by: By, key: ServiceKey, wanted: WantedDeploy): Promise<Prepare> => {
  const { imageTag, isPinned } = wanted;
  const imageDigest = await requireTag(deps, key, imageTag);
  return async (trx) => {
    const service = await requireReady(trx, key, true);
    await requireIdle(trx, key);
    const spec = service.spec;
    const { strategy } = spec.rollout;
    const replaced = await olderRevisions(trx, service.id);
    const image = `${spec.containerImageName}:${imageTag}`;
    const running = await tagThatServes(trx, service.id, service.serving);
    return {
      draft: {
        ...planned(deps.pipelines.deploy, { strategy, replaces: replaced.map(({ name }) => name) }),
        image: { before: running, after: imageTag },
        consequences: [note('MakesRevision', { image }), ...rolloutNotes(strategy, replaced)],
        warnings: [...productionNotes(key), ...healthNotes(spec)],
      },
      digest: imageDigest,
      start: async (tx) => {
        const reason: Revision['reason'] = { type: 'DEPLOY', text: null, commit: null, commitMessage: null };
        const pipelineId = await startServicePipeline(deps, tx, deps.pipelines.deploy, {
          input: { ...key, imageTag, ...(isPinned ? { imageDigest } : {}), reason },
          by,
          trigger: 'person',
          facts: { imageTag },
        });
        const message = `${by.displayName} runs ${key.service} with ${imageTag}`;
        await recordServiceWrite(tx, key, by, { type: 'serviceDeploy', reason: 'Deploy', message, pipelineId, after: { imageTag } });
        return pipelineId;
      },
    };
  };
};

const tagThatServes = async (db: Db, serviceId: string, serving: readonly string[]): Promise<string | null> => {
  const row = await db
    .selectFrom('revision')
    .select('image_tag')
    .where('service_id', '=', serviceId)
    .where('name', 'in', [...serving, ''])
    .executeTakeFirst();
  return row?.image_tag ?? null;
};
const healthNotes = (spec: ServiceSpec): PlanNote[] =>
  spec.template.healthCheck.enabled ? [] : [note('NoHealthCheck', {}, 'spec.template.healthCheck.enabled')];

/** Only an active service can be scaled to zero. */
const restOf = ({ active, serving, scaled_down_at: since }: SettingsRow & { serving: string[] }): Pick<ActivationInput, 'rest'> =>
  active && since ? { rest: { serving, since: since.toISOString() } } : {};

export const prepareActivation =
  (deps: ServiceDeps, by: By, key: ServiceKey, active: boolean): Prepare =>
  async (trx) => {
    const service = await requireReady(trx, key, false);
    await requireIdle(trx, key);
    const isStopped = !service.active && (await olderRevisions(trx, service.id)).length === 0;
    if (active ? isStarted(service) : isStopped) throw new Problem('NothingChanged');
    const starts = active ? await revisionToStart(trx, key, service) : undefined;
    return {
      draft: {
        ...planned(deps.pipelines.activation, { isStart: starts !== undefined, isStop: !active }),
        consequences: active ? startNotes(deps, key, service, starts) : await stopNotes(deps, trx, key, service),
        warnings: productionNotes(key),
      },
      start: async (tx) => {
        await tx.updateTable('service').set({ active }).where('id', '=', service.id).execute();
        const pipelineId = await startServicePipeline(deps, tx, deps.pipelines.activation, {
          input: { ...key, active, ...(active ? restOf(service) : {}) },
          by,
          trigger: 'person',
        });
        const message = `${by.displayName} ${active ? 'activated' : 'deactivated'} ${key.service}`;
        const reason = active ? 'Activated' : 'Deactivated';
        await recordServiceWrite(tx, key, by, {
          type: 'serviceActivation',
          reason,
          message,
          pipelineId,
          before: { active: service.active },
          after: { active },
        });
        return pipelineId;
      },
    };
  };

type Row = Awaited<ReturnType<typeof requireService>>;
const startNotes = (
  { links }: Pick<ServiceDeps, 'links'>,
  key: ServiceKey,
  row: Row,
  found: Awaited<ReturnType<typeof revisionToStart>>,
): PlanNote[] => {
  if (!found) return [note('NothingRuns')];
  const spec = row.spec;
  const { revision, isNew } = found;
  const url = addressOf(links, key, spec);
  return [
    ...(isNew ? [note('MakesRevision', { image: `${spec.containerImageName}:${revision.imageTag}` })] : []),
    note('StartsInstances', { count: String(replicasOf(spec)), revision: isNew ? 'the new revision' : revision.name }),
    ...(url === null ? [] : [note('StartsTraffic', { url })]),
  ];
};
const stopNotes = async ({ links }: Pick<ServiceDeps, 'links'>, db: Db, key: ServiceKey, row: Row): Promise<PlanNote[]> => {
  const running = (await olderRevisions(db, row.id)).reduce((sum, { replicas }) => sum + replicas, 0);
  return [note('StopsInstances', { count: String(running), url: addressOf(links, key, row.spec) ?? key.service })];
};

/** Returns an unused repository that a quickstart created. A repository that the service was only connected to is kept. */
const leftOverOf = async (trx: Db, row: Row): Promise<string | null> => {
  if (row.state !== 'NOT_CREATED') return null;
  const pipelineId = row.creation_pipeline_id ?? '';
  const creation = await trx.selectFrom('pipeline').select('type').where('id', '=', pipelineId).executeTakeFirst();
  return creation?.type.startsWith('Quickstart') ? row.repository_name : null;
};

/** Deletes a service without revisions. A service that was never created is discarded with everything that its pipeline left. */
export const prepareDelete =
  (deps: ServiceDeps, by: By, key: ServiceKey): Prepare =>
  async (trx) => {
    const row = await requireService(trx, key);
    // The creation may be the app's pipeline, which has another subject, so `requireIdle` would miss it.
    if (row.state === 'CREATING') throw new Problem('DeployPipelineAlreadyRunning');
    await requireIdle(trx, key);
    const revision = await trx
      .selectFrom('revision')
      .select('id')
      .where('service_id', '=', row.id)
      .where('status', '!=', 'DELETED')
      .executeTakeFirst();
    if (revision && row.state !== 'NOT_CREATED') throw new Problem('ExistingRevisions');
    const spec = row.spec;
    const url = addressOf(deps.links, key, spec);
    const leftOver = await leftOverOf(trx, row);
    const kept = leftOver === null ? row.repository_name : null;
    return {
      draft: {
        ...planned(deps.pipelines.remove, {}),
        consequences: [
          note('DeletesService', { service: key.service }),
          ...(kept === null ? [] : [note('KeepsRepository', { repository: `${key.app}/${kept}` })]),
          ...(url === null ? [] : [note('FreesAddress', { url })]),
        ],
        warnings: productionNotes(key),
      },
      start: async (tx) => {
        await tx.updateTable('service').set({ state: 'DELETING' }).where('id', '=', row.id).execute();
        const pipelineId = await startServicePipeline(deps, tx, deps.pipelines.remove, {
          input: { ...key, stateBefore: row.state, leftOver },
          by,
          trigger: 'person',
        });
        const message = `${by.displayName} deleted ${key.service}`;
        await recordServiceWrite(tx, key, by, { type: 'serviceDelete', reason: 'Deleted', message, pipelineId });
        return pipelineId;
      },
    };
  };
