/** Use cases of an entity: each checks its rules, writes row and activity, and starts the pipeline, in one transaction. */
import type { Transaction } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { PipelineActive, type PipelineDefinition, type PipelineEngine, triggerBy } from '#modules/pipelines/index.ts';
import { type AnyEntity, type EntityInput, type EntityView, type Names, subjectIn } from './entity.ts';
import type { EntityPipelines } from './entity-pipelines.ts';
import { entityBy, lockEntity, setEntity } from './entity-rows.ts';

export interface EntityDeps {
  readonly db: Db;
  readonly engine: PipelineEngine;
  readonly pipelines: EntityPipelines;
}
interface Writing {
  readonly caller: Caller;
  readonly names: Names;
}

const start = async (
  { engine }: EntityDeps,
  entity: AnyEntity,
  trx: Transaction<DB>,
  definition: PipelineDefinition<EntityInput, object>,
  { caller, names, stateBefore }: Writing & { stateBefore: string },
): Promise<string> => {
  const subject = subjectIn(entity, names);
  try {
    const { pipelineId } = await engine.start(trx, definition, {
      input: { ...subject.names, stateBefore },
      subject,
      createdBy: caller,
      trigger: triggerBy(caller),
    });
    await setEntity(trx, entity, names, { pipeline_id: pipelineId });
    return pipelineId;
  } catch (error) {
    if (error instanceof PipelineActive) throw new Problem('WorkflowExecutionAlreadyStarted', { cause: error });
    throw error;
  }
};

const locked = async (trx: Db, entity: AnyEntity, { caller, names }: Writing): Promise<EntityView> => {
  await lockEntity(trx, entity, names);
  const view = await entityBy(trx, entity, names, caller);
  if (!view) throw new Problem(entity.resource.shape.codes.missing);
  return view;
};

const done = { Create: ['created', 'Created'], Update: ['changed', 'Updated'], Delete: ['deleted', 'Deleted'] } as const;
/** The entry of the activity log: who did what to which. */
const entry = (entity: AnyEntity, verb: keyof typeof done, { caller, names }: Writing, title: string) => {
  const { kind } = entity.resource.shape;
  const [word, reason] = done[verb];
  return {
    type: `${kind.kind}${verb}`,
    reason,
    message: `${caller.displayName} ${word} the ${kind.label.toLowerCase()} ${title}`,
    subject: subjectIn(entity, names),
  };
};

export const createEntity = (
  deps: EntityDeps,
  entity: AnyEntity,
  { caller, names: above, wanted }: Writing & { wanted: unknown },
): Promise<string> =>
  transaction(deps.db, async (trx) => {
    const { shape } = entity.resource;
    const names = { ...above, [shape.name]: entity.create.name(wanted) };
    if (!(await entity.create.insert({ trx, caller, names, wanted }))) throw new Problem(shape.codes.taken, { field: entity.create.field });
    const pipelineId = await start(deps, entity, trx, deps.pipelines.create, { caller, names, stateBefore: 'NOT_CREATED' });
    const written = entry(entity, 'Create', { caller, names }, entity.create.title(wanted));
    await recordWrite(trx, caller, { ...written, pipelineId, after: wanted });
    return pipelineId;
  });

export const updateEntity = (
  deps: EntityDeps,
  entity: AnyEntity,
  { caller, names, wanted }: Writing & { wanted: unknown },
): Promise<string> =>
  transaction(deps.db, async (trx) => {
    const before = await locked(trx, entity, { caller, names });
    await entity.update({ trx, caller, names, wanted });
    const pipelineId = await start(deps, entity, trx, deps.pipelines.update, { caller, names, stateBefore: before.state });
    const after = (await entityBy(trx, entity, names, caller)) ?? before;
    const written = entry(entity, 'Update', { caller, names }, entity.title(after));
    await recordWrite(trx, caller, { ...written, pipelineId, before: entity.before(before), after: wanted });
    return pipelineId;
  });

export const deleteEntity = (deps: EntityDeps, entity: AnyEntity, { caller, names }: Writing): Promise<string> =>
  transaction(deps.db, async (trx) => {
    const before = await locked(trx, entity, { caller, names });
    const kept = await entity.whyKept?.(trx, names);
    if (kept !== undefined) throw new Problem(kept);
    await setEntity(trx, entity, names, { state: 'DELETING' });
    const pipelineId = await start(deps, entity, trx, deps.pipelines.remove, { caller, names, stateBefore: before.state });
    const written = entry(entity, 'Delete', { caller, names }, entity.title(before));
    await recordWrite(trx, caller, { ...written, pipelineId, before: entity.before(before) });
    return pipelineId;
  });
