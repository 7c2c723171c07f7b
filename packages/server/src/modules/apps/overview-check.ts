/**
 * Compares the dashboard's read model with its source rows (migration 0017), and rebuilds rows that differ. Triggers keep both in sync.
 * This catches changes that bypass triggers, such as rows restored by hand.
 */
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import type { Log } from '#ports/log.ts';

export interface OverviewDifference {
  readonly kind: 'app' | 'run' | 'day' | 'tally' | 'team' | 'pipeline';
  readonly id: string;
  readonly kept: unknown;
  readonly fresh: unknown;
}

/** Enough differences to diagnose a problem. */
const shown = 20;

/** Reads all rows. Empty if there are no differences. */
export const overviewDifferences = async (db: Db): Promise<OverviewDifference[]> => {
  const { rows } = await sql<OverviewDifference>`select kind, id, kept, fresh from app_overview_differences() limit ${shown}`.execute(db);
  return rows;
};

/** Returns the differences that it repaired. Only one replica at a time runs it. Others return an empty list. */
export const repairOverview = (db: Db, log: Log): Promise<OverviewDifference[]> =>
  transaction(db, async (trx) => {
    await sql`set local statement_timeout = '10min'`.execute(trx);
    const { rows } = await sql<{ isMine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('slipway:overview', 0)) as "isMine"`.execute(trx);
    if (rows[0]?.isMine !== true) return [];
    const differences = await overviewDifferences(trx);
    if (differences.length === 0) return [];
    log.error({ differences }, 'The home page showed what is not so: its rows are made anew. Please report this.');
    await sql`select rebuild_app_overview()`.execute(trx);
    return differences;
  });
