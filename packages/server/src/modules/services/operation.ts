/**
 * Every write to a service, done or only planned. It is prepared in a transaction: its rules are checked, and its impact is worked out
 * there. Then either the plan is answered, or what was prepared is started in the same transaction: the two cannot disagree.
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
  /** Writes rows and activity, and starts the pipeline; answers its id. */
  start(trx: Transaction<DB>): Promise<string>;
}
/** What engines must be asked was asked already: what is left is checked and done in one transaction. */
export type Prepare = (trx: Transaction<DB>) => Promise<Prepared>;

/** The steps that a run of the pipeline goes through with this impact: from the table that runs. */
export const planned = <Impact>(
  pipeline: { readonly type: string; stepsFor(impact: Impact): string[] },
  impact: Impact,
): Pick<PlanDraft, 'pipelineType' | 'steps'> => ({ pipelineType: pipeline.type, steps: pipeline.stepsFor(impact) });

/** The service's row is locked where something shall be done; for a service that is yet to be made there is none. */
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

/** A dry run starts nothing, so nothing else tells it that a pipeline is at work. Throws DeployPipelineAlreadyRunning. */
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
