/**
 * Performs or plans every write to a service. A transaction validates the request and computes its impact. Then it either returns the plan
 * or starts the prepared change, so the two cannot disagree.
 */
import type { Transaction } from 'kysely';
import type { PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type { Actor } from '@slipway/contract/kernel/rights.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { planOf, runFor, type PlanDraft } from '#modules/pipelines/index.ts';
import { lockOf, lockService, type ServiceKey } from './services.sql.ts';

export interface Prepared {
  readonly draft: PlanDraft;
  /** Writes rows and activity, starts the pipeline, and returns its id. */
  start(trx: Transaction<DB>): Promise<string>;
}
/** Checks and prepares a change in one transaction. Calls to engines happened before. */
export type Prepare = (trx: Transaction<DB>) => Promise<Prepared>;

/** Returns the steps that a run with this impact executes, from the table that the run uses. */
export const planned = <Impact>(
  pipeline: { readonly type: string; stepsFor(impact: Impact): string[] },
  impact: Impact,
): Pick<PlanDraft, 'pipelineType' | 'steps'> => ({ pipelineType: pipeline.type, steps: pipeline.stepsFor(impact) });

/** Plans or performs a write. Locks the service's row when performing. A new service has no row yet. */
export const write = async (
  { db }: { readonly db: Db },
  { caller, query }: { readonly caller: Actor; readonly query: { readonly dryRun: boolean } },
  key: ServiceKey,
  prepare: Prepare | Promise<Prepare>,
): Promise<PlanOrRun> => {
  const prepared = await prepare;
  if (query.dryRun) return planOf(db, lockOf(key), (await transaction(db, prepared)).draft);
  const pipelineId = await transaction(db, async (trx) => {
    await lockService(trx, key);
    return (await prepared(trx)).start(trx);
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

export { note } from '#modules/pipelines/index.ts';
