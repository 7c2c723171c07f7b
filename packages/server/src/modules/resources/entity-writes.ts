/**
 * Use cases of an entity. Each checks its rules, writes row and activity in one transaction, and starts a pipeline in it if the route
 * returns one.
 */
import type { Transaction } from 'kysely';
import { isErrorCode } from '@slipway/contract/kernel/errors.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { subjectKey } from '@slipway/contract/kinds.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { note, PipelineActive, type PipelineDefinition, type PipelineEngine, triggerBy } from '#modules/pipelines/index.ts';
import type { PlanDraft, StartOptions } from '#modules/pipelines/index.ts';
import type { AnyEntity, Call, EntityView, Inserted, Names, PlanParts } from './entity.ts';
import type { EntityPipelines } from './entity-pipelines.ts';
import { entityBy, eraseRow, lockEntity, pipelineOf, requireEntity, setEntity, type Readable } from './entity-rows.ts';
import { recordChange, subjectIn } from './record-change.ts';

export interface EntityDeps {
  readonly db: Db;
  readonly engine: PipelineEngine;
  readonly pipelines: EntityPipelines;
}
/** Result of a write, complete if it has no pipeline. */
export interface Done {
  readonly names: Names;
  readonly pipelineId: string | undefined;
}

/** Thrown by a dry run at the point of the write, to roll back the transaction. */
export class DryRunEnded extends Error {
  readonly draft: PlanDraft;
  readonly lock: string;
  constructor(lock: string, draft: PlanDraft) {
    super('Nothing was done: this was a dry run');
    this.lock = lock;
    this.draft = draft;
  }
}
/** Returns the draft of a plan. Every plan in production ends with a warning of that. */
export const draftIn = <I extends object>(
  names: Names,
  { type, steps }: Pick<PipelineDefinition<I, object>, 'type' | 'steps'>,
  { skips = [], warnings = [], ...notes }: PlanParts,
): PlanDraft => ({
  ...notes,
  pipelineType: type,
  steps: steps.map(({ code }) => code).filter((code) => !skips.includes(code)),
  warnings: [...warnings, ...(names['env'] === 'production' ? [note('ProductionChange')] : [])],
});
const endDryRun = ({ pipelines }: EntityDeps, entity: AnyEntity, by: keyof EntityPipelines, names: Names, parts: PlanParts = {}): never => {
  const definition = pipelines[by];
  const subject = subjectIn(entity.resource.shape.kind, names, undefined);
  if (!definition || !subject) throw new Error(`${entity.resource.shape.kind.kind}: what is done at once has no plan`);
  throw new DryRunEnded(subjectKey(subject), draftIn(names, definition, parts));
};

/** Starts a pipeline on an entity. Rejects with the specification's conflict if another one is running. */
export const startOn = async <I extends object, S extends object>(
  engine: PipelineEngine,
  trx: Transaction<DB>,
  entity: AnyEntity,
  { names, definition, ...options }: StartOptions<I> & { readonly names: Names; readonly definition: PipelineDefinition<I, S> },
): Promise<string> => {
  try {
    const { pipelineId } = await engine.start(trx, definition, options);
    await setEntity(trx, entity, names, { pipeline_id: pipelineId });
    return pipelineId;
  } catch (error) {
    if (error instanceof PipelineActive) throw new Problem('WorkflowExecutionAlreadyStarted', { cause: error });
    throw error;
  }
};

const started = async (
  { engine, pipelines }: EntityDeps,
  trx: Transaction<DB>,
  entity: AnyEntity,
  wanted: {
    by: keyof EntityPipelines;
    caller: Caller;
    names: Names;
    team: string | undefined;
    stateBefore: string;
    creation?: string | undefined;
  },
): Promise<string | undefined> => {
  const { by, caller, names, team, stateBefore, creation } = wanted;
  const definition = pipelines[by];
  const subject = subjectIn(entity.resource.shape.kind, names, team);
  if (!definition || !subject) return undefined;
  const input = { ...subject.names, stateBefore, ...(creation === undefined ? {} : { creation }) };
  return startOn(engine, trx, entity, { names, definition, input, subject, createdBy: caller, trigger: triggerBy(caller) });
};

/** Throws the code with which `can` rejects the verb, for the given field if any. */
export const requireCan = ({ can }: Pick<EntityView, 'can'>, verb: string, field?: string): void => {
  const verdict = can[verb] ?? true;
  if (verdict === true) return;
  throw isErrorCode(verdict) ? new Problem(verdict, field === undefined ? {} : { field }) : new Error(`${verdict} is no code`);
};

/** Locks a row and checks its rules, before a write or its plan. */
export const lockFor = async <View extends EntityView>(
  trx: Db,
  entity: Readable<View>,
  { caller, names }: Pick<Call<unknown>, 'caller' | 'names'>,
  verb: string,
): Promise<View> => {
  await lockEntity(trx, entity, names);
  const view = await requireEntity(trx, entity, names, caller);
  requireCan(view, verb);
  return view;
};

const teamOf = (entity: AnyEntity, { owner }: Call<unknown>, view: EntityView): string | undefined =>
  entity.teamOf?.(view) ?? owner?.teamId;

/** `wanted` is the result of `prepare`. `route` is the called route, if it is not the resource's own. */
export const createEntity = (
  deps: EntityDeps,
  entity: AnyEntity,
  call: Call<unknown>,
  route: RouteShape = entity.resource.create,
): Promise<Done> =>
  transaction(deps.db, async (trx) => {
    const { shape } = entity.resource;
    const { caller, owner, wanted } = call;
    const name = entity.create.name(wanted);
    const names = { ...call.names, [shape.name]: name };
    const inserted: Inserted | undefined = await entity.create.insert({ ...call, names, trx });
    if (!inserted) throw new Problem(shape.codes.taken, { field: entity.create.field });
    if (call.isDryRun) endDryRun(deps, entity, 'create', names, entity.plan?.create(call));
    const { team = owner?.teamId, title = name, ...written } = inserted;
    const pipelineId = await started(deps, trx, entity, { by: 'create', caller, names, team, stateBefore: 'NOT_CREATED' });
    await recordChange(trx, entity.resource, route, { after: wanted, ...written, caller, names, team, title, pipelineId });
    return { names, pipelineId };
  });

export const updateEntity = (deps: EntityDeps, entity: AnyEntity, call: Call<unknown>): Promise<Done> =>
  transaction(deps.db, async (trx) => {
    const { caller, names } = call;
    const before = await lockFor(trx, entity, call, 'update');
    const wanted = entity.complete ? entity.complete(before, call.wanted) : call.wanted;
    const planned = call.isDryRun ? entity.plan?.update(before, wanted) : undefined;
    const { change, ...written } = (await entity.update({ ...call, wanted, trx, before })) ?? {};
    if (change) await setEntity(trx, entity, names, { change: JSON.stringify(change) });
    if (call.isDryRun) endDryRun(deps, entity, 'update', names, planned);
    const after = (await entityBy(trx, entity, names, caller)) ?? before;
    const team = teamOf(entity, call, after);
    const { state: stateBefore = '' } = before;
    // A failed creation or deletion left it. Its pipeline can still be re-run, and the change does not complete it.
    const isLeft = stateBefore === 'NOT_CREATED' || stateBefore === 'DELETING';
    const creation = isLeft ? ((await pipelineOf(trx, entity, names)) ?? undefined) : undefined;
    const pipelineId = await started(deps, trx, entity, { by: 'update', caller, names, team, stateBefore, creation });
    const said = { before: entity.before(before), after: wanted, ...written };
    await recordChange(trx, entity.resource, entity.resource.update, {
      ...said,
      caller,
      names,
      team,
      title: entity.title(after),
      pipelineId,
    });
    return { names, pipelineId };
  });

export const deleteEntity = (deps: EntityDeps, entity: AnyEntity, call: Call<unknown>): Promise<Done> =>
  transaction(deps.db, async (trx) => {
    const { caller, names } = call;
    const before = await lockFor(trx, entity, call, 'delete');
    if (call.isDryRun) endDryRun(deps, entity, 'remove', names, entity.plan?.remove(before));
    const team = teamOf(entity, call, before);
    if (deps.pipelines.remove) await setEntity(trx, entity, names, { state: 'DELETING' });
    else await eraseRow(trx, entity, names);
    const pipelineId = await started(deps, trx, entity, { by: 'remove', caller, names, team, stateBefore: before.state ?? '' });
    const change = { caller, names, team, title: entity.title(before), pipelineId };
    await recordChange(trx, entity.resource, entity.resource.remove, { before: entity.before(before), ...change });
    return { names, pipelineId };
  });
