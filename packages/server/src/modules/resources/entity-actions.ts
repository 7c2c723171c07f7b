/** Writes of an entity other than create, update and delete: rotate, activate, restore. Plan and write share one code path. */
import type { Transaction } from 'kysely';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { subjectKey } from '@slipway/contract/kinds.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import type { PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller, Owner } from '#kernel/http/handle.ts';
import { planOf, runFor, triggerBy, type PipelineDefinition, type PipelineEngine } from '#modules/pipelines/index.ts';
import type { AnyEntity, EntityView, Names, PlanParts, Written } from './entity.ts';
import { requireEntity, type Readable } from './entity-rows.ts';
import { draftIn, DryRunEnded, lockFor, startOn } from './entity-writes.ts';
import { recordChange, subjectIn } from './record-change.ts';

export interface ActionDeps {
  readonly db: Db;
  readonly engine: PipelineEngine;
}
export interface ActionCall {
  readonly caller: Caller;
  readonly owner: Pick<Owner, 'teamId'>;
  readonly params: Names;
  readonly query: { readonly dryRun: boolean };
}
/** An action of an entity. `can` is asked for `verb`, and `route` names the action in the activity log. */
export interface Action<View extends EntityView> {
  readonly entity: Readable<View> & Omit<AnyEntity, 'toView'>;
  readonly route: RouteShape;
  readonly verb: string;
}
/** The pipeline that does the work, its plan, and its activity entry. */
export interface ActionWork<I extends object> extends Written, Omit<PlanParts, 'warnings'> {
  readonly definition: PipelineDefinition<I, object>;
  readonly input: I;
}

type Prepare<View, I extends object> = (view: View, trx: Transaction<DB>) => ActionWork<I> | Promise<ActionWork<I>>;

/** Returns the id of the pipeline. Throws `DryRunEnded` for a dry run, which rolls back the transaction. */
const begin = <View extends EntityView, I extends object>(
  { db, engine }: ActionDeps,
  { entity, route, verb }: Action<View>,
  { caller, owner: { teamId: team }, params: names, query }: ActionCall,
  prepare: Prepare<View, I>,
): Promise<string> =>
  transaction(db, async (trx) => {
    const view = await lockFor(trx, entity, { caller, names }, verb);
    const { definition, input, consequences = [], skips = [], ...written } = await prepare(view, trx);
    const subject = subjectIn(entity.resource.shape.kind, names, team);
    if (!subject) throw new Error(`${entity.resource.shape.kind.kind} has no pipelines`);
    if (query.dryRun) throw new DryRunEnded(subjectKey(subject), draftIn(names, definition, { consequences, skips }));
    const started = { names, definition, input, subject, createdBy: caller, trigger: triggerBy(caller) };
    const pipelineId = await startOn(engine, trx, entity, started);
    await recordChange(trx, entity.resource, route, { caller, names, team, title: entity.title(view), pipelineId, ...written });
    return pipelineId;
  });

/** Starts the pipeline of an action without a dry run. */
export const startAction = async <View extends EntityView, I extends object>(
  deps: ActionDeps,
  action: Action<View>,
  call: Omit<ActionCall, 'query'>,
  prepare: Prepare<View, I>,
): Promise<PipelineRun> => runFor(deps.db, await begin(deps, action, { ...call, query: { dryRun: false } }, prepare), call.caller);

/**
 * Locks the row, asks `can`, and lets `prepare` check rules and write rows. A dry run then rolls back and returns the plan. Otherwise, the
 * pipeline starts in the same transaction.
 */
export const runAction = async <View extends EntityView, I extends object>(
  deps: ActionDeps,
  action: Action<View>,
  call: ActionCall,
  prepare: Prepare<View, I>,
): Promise<PlanOrRun> => {
  try {
    return await runFor(deps.db, await begin(deps, action, call, prepare), call.caller);
  } catch (error) {
    if (error instanceof DryRunEnded) return planOf(deps.db, error.lock, error.draft);
    throw error;
  }
};

/** Runs an action without a pipeline: `change` writes the rows in the transaction. Returns the entity after the change. */
export const changeNow = <View extends EntityView>(
  db: Db,
  { entity, route, verb }: Action<View>,
  { caller, owner: { teamId: team }, params: names }: Omit<ActionCall, 'query'>,
  change: (view: View, trx: Transaction<DB>) => Promise<Written>,
): Promise<View> =>
  transaction(db, async (trx) => {
    const view = await lockFor(trx, entity, { caller, names }, verb);
    const written = await change(view, trx);
    await recordChange(trx, entity.resource, route, { caller, names, team, title: entity.title(view), ...written });
    return requireEntity(trx, entity, names, caller);
  });
