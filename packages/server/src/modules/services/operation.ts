/**
 * Performs or plans every write to a service. A transaction validates the request and computes its impact. Then it either returns the plan
 * or starts the prepared change, so the two cannot disagree.
 */
import type { ServiceChange } from '@slipway/contract/pipeline/service-change.ts';
import type { Transaction } from 'kysely';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { BodyOf, ParamsOf, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { planFreeze, refuseFrozen } from '#modules/freezes/index.ts';
import { planOf, runFor, type PlanDraft } from '#modules/pipelines/index.ts';
import { planApproval, refuseUnapproved, voidChanges } from './approvals/approval-rule.ts';
import type { By, ServiceDeps } from './service-context.ts';
import { lockOf, lockService, type ServiceKey } from './services.sql.ts';

export interface Prepared {
  readonly draft: PlanDraft;
  /** Digest of the image that the plan names by its tag, or the commit that it builds. */
  readonly digest?: string;
  /** The changes that are made, if the plan lists others, too. */
  readonly carried?: readonly ServiceChange[];
  /** The settings that the change asks for. */
  readonly settings?: ServiceSettings;
  /** Writes rows and activity, starts the pipeline, and returns its id. */
  start(trx: Transaction<DB>): Promise<string>;
}
/** Checks and prepares a change in one transaction. Calls to engines happened before. */
export type Prepare = (trx: Transaction<DB>) => Promise<Prepared>;

/** The input of a write without its author, so that it can be stored and performed later. */
export interface AnyChange {
  readonly params: Readonly<Record<string, string>>;
  readonly environment: Environment;
  readonly body: unknown;
}
export interface Change<R extends RouteShape> extends AnyChange {
  readonly params: ParamsOf<R>;
  readonly body: BodyOf<R>;
}
export interface Pinned {
  /** True if the run takes the image or commit that was planned, even if the tag or the branch moves before the run. */
  readonly isPinned?: boolean | undefined;
}
interface Author extends Pinned {
  readonly by: By;
}
/** One write of a service: the service that it changes, and how it is prepared. */
export interface Operation<D extends ServiceDeps = ServiceDeps, C extends AnyChange = AnyChange> {
  readonly route: RouteShape;
  /** True if the write needs no approval in production. */
  readonly isExempt?: true;
  /** True for a change that turns something off, which is possible while production is frozen. Exempt writes always are. */
  turnsOff?(change: C): boolean;
  key(change: C): ServiceKey;
  prepare(deps: D, author: Author, key: ServiceKey, change: C): Prepare | Promise<Prepare>;
}

/** Whether a freeze of production lets the change pass: a rollback, or turning something off. */
export const mayPassFreeze = <D extends ServiceDeps, C extends AnyChange>({ isExempt, turnsOff }: Operation<D, C>, change: C): boolean =>
  isExempt === true || turnsOff?.(change) === true;

/** Returns the steps that a run with this impact executes, from the table that the run uses. */
export const planned = <Impact>(
  pipeline: { readonly type: string; stepsFor(impact: Impact): string[] },
  impact: Impact,
): Pick<PlanDraft, 'pipelineType' | 'steps'> => ({ pipelineType: pipeline.type, steps: pipeline.stepsFor(impact) });

/** Plans or performs a write. Locks the service's row when performing. A new service has no row yet. */
export const write = async <D extends ServiceDeps, C extends AnyChange>(
  deps: D,
  call: C & { readonly caller: Caller; readonly query: { readonly dryRun: boolean } },
  operation: Operation<D, C>,
): Promise<PlanOrRun> => {
  const { db, requests } = deps;
  const { caller, query } = call;
  const { route, isExempt } = operation;
  const key = operation.key(call);
  const prepared = await operation.prepare(deps, { by: caller }, key, call);
  if (query.dryRun) {
    const { draft } = await transaction(db, prepared);
    const approval = isExempt ? {} : await planApproval(db, caller, key, { route, change: call });
    const freeze = mayPassFreeze(operation, call) ? {} : await planFreeze(db, caller, key);
    return planOf(db, lockOf(key), { ...draft, ...approval, ...freeze });
  }
  const pipelineId = await transaction(db, async (trx) => {
    await lockService(trx, key);
    const { start } = await prepared(trx);
    if (!mayPassFreeze(operation, call)) await refuseFrozen(trx, key);
    if (!isExempt) await refuseUnapproved(trx, key);
    const started = await start(trx);
    await voidChanges(trx, requests, key, `${caller.displayName} changed the service meanwhile`);
    return started;
  });
  return runFor(db, pipelineId, caller);
};

/** Throws DeployPipelineAlreadyRunning if a pipeline is active. Dry runs need this check because they start no pipeline that would fail. */
export const requireIdle = async (db: Db, key: ServiceKey): Promise<void> => {
  if (await activePipeline(db, key)) throw new Problem('DeployPipelineAlreadyRunning');
};
export const activePipeline = async (db: Db, key: ServiceKey): Promise<string | undefined> => {
  const row = await db
    .selectFrom('pipeline_run')
    .select('pipeline_id')
    .where('subject', '=', lockOf(key))
    .where('state', 'in', ['QUEUED', 'PENDING', 'RUNNING'])
    .executeTakeFirst();
  return row?.pipeline_id;
};
