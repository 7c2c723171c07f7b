/**
 * Compares the counters of facets with the entries, and adds what they lack. Triggers keep both in sync. This catches changes that bypass
 * triggers, such as rows restored by hand.
 */
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import type { Log } from '#ports/log.ts';

interface CountDifference {
  readonly kind: string;
  readonly facet: string;
  readonly value: string;
  readonly n: number;
}
/** Enough differences to diagnose a problem. */
const shown = 20;

/** Returns the differences that it repaired. Only one replica at a time runs it. Others return an empty list. */
export const repairCounts = (db: Db, log: Log): Promise<CountDifference[]> =>
  transaction(db, async (trx) => {
    await sql`set local statement_timeout = '10min'`.execute(trx);
    const { rows } = await sql<{ isMine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('slipway:catalog counts', 0)) as "isMine"`.execute(trx);
    if (rows[0]?.isMine !== true) return [];
    const { rows: differences } = await sql<CountDifference>`insert into catalog_count (kind, facet, value, n)
      select kind, facet, value, n from catalog_count_differences() returning kind, facet, value, n`.execute(trx);
    if (differences.length > 0)
      log.error({ differences: differences.slice(0, shown) }, 'The catalog counted wrong: its counters are corrected. Please report this.');
    return differences;
  });
