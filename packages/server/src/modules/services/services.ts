/** Use cases of services: each checks its rules, writes rows and activity, and starts the pipeline, in one transaction. */
import type { Transaction } from 'kysely';
import type { Revision } from '@slipway/contract/revision.ts';
import { revisionDeleteRule } from '@slipway/contract/revision.ts';
import type { ServiceSpec } from '@slipway/contract/service-spec.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { PipelineActive, type PipelineDefinition, type PipelineEngine, triggerBy } from '#modules/pipelines/index.ts';
import type { Registry } from '#ports/registry.ts';
import { imageRepositoryOf } from './image-repository.ts';
import { hint } from './rollout.sql.ts';
import type { ServicePipelines } from './services.pipeline.ts';
import { lockService, serviceRow, subjectOf, teamOf, type ServiceKey, type ServiceLinks } from './services.sql.ts';

export interface ServiceDeps {
  readonly db: Db;
  readonly engine: PipelineEngine;
  readonly pipelines: ServicePipelines;
  readonly registry: Registry;
  readonly links: ServiceLinks;
}
export interface By {
  readonly id: string;
  readonly displayName: string;
  readonly origin: Caller['origin'] | 'platform';
}

export const requireService = async (db: Db, key: ServiceKey) => {
  const row = await serviceRow(db, key);
  if (!row) throw new Problem('ServiceDoesNotExist');
  return row;
};

export const startServicePipeline = async <I extends ServiceKey, S extends object>(
  deps: Pick<ServiceDeps, 'engine'>,
  trx: Transaction<DB>,
  definition: PipelineDefinition<I, S>,
  options: { input: I; by: By; trigger: string; facts?: Record<string, string>; team?: string },
): Promise<string> => {
  const { app, environment, service } = options.input;
  try {
    const { pipelineId } = await deps.engine.start(trx, definition, {
      input: options.input,
      subject: subjectOf(options.input),
      app,
      env: environment,
      service,
      createdBy: { id: options.by.id, displayName: options.by.displayName },
      trigger: options.trigger === 'person' ? triggerBy(options.by) : options.trigger,
      ...(options.facts ? { facts: options.facts } : {}),
      ...(options.team ? { team: options.team } : {}),
    });
    await hint(trx, options.input);
    return pipelineId;
  } catch (error) {
    if (error instanceof PipelineActive) throw new Problem('DeployPipelineAlreadyRunning', { cause: error });
    throw error;
  }
};

const record = (
  trx: Transaction<DB>,
  key: ServiceKey,
  by: By,
  entry: { type: string; reason: string; message: string; pipelineId: string; team?: string; after?: unknown },
) => recordWrite(trx, by, { ...entry, app: key.app, env: key.environment, service: key.service });

const ready = async (db: Db, key: ServiceKey, isActiveNeeded: boolean) => {
  const row = await requireService(db, key);
  if (row.state !== 'ACTIVE') throw new Problem('ServiceNotCreated');
  if (isActiveNeeded && !row.active) throw new Problem('ServiceInactive');
  return row;
};

/** Runs the pipeline with a tag. The tag is looked up first, so that a typing error is told at its field. */
export const deployService = async (deps: ServiceDeps, by: By, key: ServiceKey, imageTag: string): Promise<string> => {
  const { spec } = await ready(deps.db, key, true);
  const repository = imageRepositoryOf(spec as ServiceSpec);
  if (!(await deps.registry.image(repository, imageTag))) {
    throw new Problem('ImageTagDoesNotExist', {
      field: 'imageTag',
      context: { tag: imageTag, repository: `${deps.registry.host}/${repository}` },
    });
  }
  return transaction(deps.db, async (trx) => {
    const reason: Revision['reason'] = { type: 'DEPLOY', text: null, commit: null, commitMessage: null };
    const pipelineId = await startServicePipeline(deps, trx, deps.pipelines.deploy, {
      input: { ...key, imageTag, reason },
      by,
      trigger: 'person',
      facts: { imageTag },
      ...definedTeam(await teamOf(trx, key.app)),
    });
    await record(trx, key, by, {
      type: 'serviceDeploy',
      reason: 'Deploy',
      message: `${by.displayName} runs ${key.service} with ${imageTag}`,
      pipelineId,
      after: { imageTag },
    });
    return pipelineId;
  });
};
const definedTeam = (team: string | undefined): { team?: string } => (team ? { team } : {});

export const activateService = (deps: ServiceDeps, by: By, key: ServiceKey, active: boolean): Promise<string> =>
  transaction(deps.db, async (trx) => {
    await lockService(trx, key);
    const row = await ready(trx, key, false);
    await trx.updateTable('service').set({ active }).where('id', '=', row.id).execute();
    const pipelineId = await startServicePipeline(deps, trx, deps.pipelines.activation, {
      input: { ...key, active },
      by,
      trigger: 'person',
      ...definedTeam(await teamOf(trx, key.app)),
    });
    const verb = active ? 'activated' : 'deactivated';
    await record(trx, key, by, {
      type: 'serviceActivation',
      reason: active ? 'Activated' : 'Deactivated',
      message: `${by.displayName} ${verb} ${key.service}`,
      pipelineId,
      after: { active },
    });
    return pipelineId;
  });

/** Deletes a service without revisions; one that was never created is discarded with whatever its pipeline left. */
export const deleteService = (deps: ServiceDeps, by: By, key: ServiceKey): Promise<string> =>
  transaction(deps.db, async (trx) => {
    await lockService(trx, key);
    const row = await requireService(trx, key);
    // Its creation is the app's pipeline, so the conflict of subjects would not tell.
    if (row.state === 'CREATING') throw new Problem('DeployPipelineAlreadyRunning');
    const revision = await trx
      .selectFrom('revision')
      .select('id')
      .where('service_id', '=', row.id)
      .where('status', '!=', 'DELETED')
      .executeTakeFirst();
    if (revision && row.state !== 'NOT_CREATED') throw new Problem('ExistingRevisions');
    await trx.updateTable('service').set({ state: 'DELETING' }).where('id', '=', row.id).execute();
    const pipelineId = await startServicePipeline(deps, trx, deps.pipelines.remove, {
      input: { ...key, stateBefore: row.state, leftOver: row.state === 'NOT_CREATED' ? row.repository_name : null },
      by,
      trigger: 'person',
      ...definedTeam(await teamOf(trx, key.app)),
    });
    await record(trx, key, by, {
      type: 'serviceDelete',
      reason: 'Deleted',
      message: `${by.displayName} deleted ${key.service}`,
      pipelineId,
    });
    return pipelineId;
  });

export const requireRevision = async (db: Db, key: ServiceKey, name: string) => {
  const service = await requireService(db, key);
  const row = await db.selectFrom('revision').selectAll().where('service_id', '=', service.id).where('name', '=', name).executeTakeFirst();
  if (!row) throw new Problem('RevisionDoesNotExist');
  return { service, row };
};

export const deleteRevision = (deps: ServiceDeps, by: By, key: ServiceKey, name: string): Promise<string> =>
  transaction(deps.db, async (trx) => {
    await lockService(trx, key);
    const { service, row } = await requireRevision(trx, key, name);
    const facts = {
      status: row.status as Revision['status'],
      enabled: row.enabled,
      isServing: service.serving.includes(name),
      isDeleting: row.deleting_at !== null,
    };
    const verdict = revisionDeleteRule(facts);
    if (verdict !== true) throw new Problem(verdict);
    const pipelineId = await startServicePipeline(deps, trx, deps.pipelines.deleteRevision, {
      input: { ...key, revisionId: row.id, revision: name },
      by,
      trigger: 'person',
      facts: { revision: name },
      ...definedTeam(await teamOf(trx, key.app)),
    });
    await record(trx, key, by, {
      type: 'revisionDelete',
      reason: 'Deleted',
      message: `${by.displayName} deleted the revision ${name}`,
      pipelineId,
    });
    return pipelineId;
  });

export const activateRevision = (deps: ServiceDeps, by: By, key: ServiceKey, name: string, enabled: boolean): Promise<string> =>
  transaction(deps.db, async (trx) => {
    await lockService(trx, key);
    const { service, row } = await requireRevision(trx, key, name);
    if (row.deleting_at !== null || row.status === 'DELETED') throw new Problem('RevisionBeingDeleted');
    if (enabled && !service.active) throw new Problem('ServiceInactive');
    const pipelineId = await startServicePipeline(deps, trx, deps.pipelines.enableRevision, {
      input: { ...key, revisionId: row.id, revision: name, enabled },
      by,
      trigger: 'person',
      facts: { revision: name },
      ...definedTeam(await teamOf(trx, key.app)),
    });
    const verb = enabled ? 'enabled' : 'disabled';
    await record(trx, key, by, {
      type: 'revisionActivation',
      reason: enabled ? 'Enabled' : 'Disabled',
      message: `${by.displayName} ${verb} the revision ${name}`,
      pipelineId,
      after: { enabled },
    });
    return pipelineId;
  });
