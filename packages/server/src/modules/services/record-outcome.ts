/** What came of a service's pipeline, in the activity log: in the transaction that ends the run. */
import type { Transaction } from 'kysely';
import type { DB } from '#db/types.ts';
import { recordRunOutcome } from '#modules/activity/index.ts';
import type { FinishedRun } from '#modules/pipelines/index.ts';
import { hint } from './pipelines/rollout.sql.ts';
import type { ServiceKey } from './services.sql.ts';

export const recordOutcome =
  (what: string) =>
  async (trx: Transaction<DB>, run: FinishedRun<ServiceKey, object>): Promise<void> => {
    await recordRunOutcome(trx, what, run);
    await hint(trx, run.input);
  };
