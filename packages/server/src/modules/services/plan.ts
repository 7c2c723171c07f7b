/**
 * Deeds and their dry runs. A use case is prepared in a transaction: its rules are checked and its plan is worked out there. Then either
 * the plan is answered, or what was prepared is started in the same transaction: the two cannot disagree.
 */
import type { Transaction } from 'kysely';
import type { Plan, PlanNote, PlanOrRun } from '@slipway/contract/plan.ts';
import type { Actor } from '@slipway/contract/rights.ts';
import { stepNameOf } from '@slipway/contract/steps.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { runFor, usualMsOf } from '#modules/pipelines/index.ts';
import { lockOf, lockService, type ServiceKey } from './services.sql.ts';

/** What is left out is empty. `steps`: codes, in order, of the steps that will have something to do. */
export interface PlanDraft extends Partial<Pick<Plan, 'changes' | 'consequences' | 'warnings' | 'image' | 'secretVersions'>> {
  readonly pipelineType: string;
  readonly steps: readonly string[];
}
export interface Prepared {
  readonly draft: PlanDraft;
  /** Writes rows and activity, and starts the pipeline; answers its id. */
  start(trx: Transaction<DB>): Promise<string>;
}

const planOf = async (db: Db, key: ServiceKey, draft: PlanDraft): Promise<Plan> => {
  const usual = await usualMsOf(db, draft.pipelineType, lockOf(key));
  const steps = draft.steps.map((code) => ({ code, name: stepNameOf(code), usualMs: usual.get(code) ?? null }));
  return {
    isPlan: true,
    pipelineType: draft.pipelineType,
    changes: draft.changes ?? [],
    consequences: draft.consequences ?? [],
    warnings: draft.warnings ?? [],
    steps,
    usualMs: usual.size > 0 ? steps.reduce((sum, { usualMs }) => sum + (usualMs ?? 0), 0) : null,
    image: draft.image ?? null,
    secretVersions: draft.secretVersions ?? [],
  };
};

/** The service's row is locked where something shall be done; for a service that is yet to be made there is none. */
export const planOrRun = async (
  { db }: { readonly db: Db },
  caller: Actor,
  { key, isDryRun }: { readonly key: ServiceKey; readonly isDryRun: boolean },
  prepare: (trx: Transaction<DB>) => Promise<Prepared>,
): Promise<PlanOrRun> => {
  if (isDryRun) return planOf(db, key, (await transaction(db, prepare)).draft);
  const pipelineId = await transaction(db, async (trx) => {
    await lockService(trx, key);
    return (await prepare(trx)).start(trx);
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

export const note = (code: string, context: PlanNote['context'] = {}, field?: string): PlanNote => ({
  code,
  context,
  ...(field ? { field } : {}),
});
