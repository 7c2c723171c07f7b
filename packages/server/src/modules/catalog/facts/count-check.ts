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

/** Makes the sums over all kinds, which have the kind '', those of their kinds. A replica that sums up meanwhile adds the same to both. */
const repairSums = async (trx: Db): Promise<CountDifference[]> => {
  const { rows } = await sql<CountDifference>`
    with lacking as (select facet, value, sum(case when kind = '' then -n else n end) as n from catalog_total group by facet, value
        having sum(case when kind = '' then -n else n end) <> 0),
      corrected as (insert into catalog_total as total (facet, kind, value, n) select facet, '', value, n from lacking order by facet, value
        on conflict (facet, kind, value) do update set n = total.n + excluded.n),
      -- Replicas read the counters again.
      summed as (update catalog_sum set n = n + 1 where exists (select from lacking))
    select '' as kind, facet, value, n::integer as n from lacking`.execute(trx);
  return rows;
};

/** Returns the differences that it repaired. Only one replica at a time runs it. Others return an empty list. */
export const repairCounts = (db: Db, log: Log): Promise<CountDifference[]> =>
  transaction(db, async (trx) => {
    await sql`set local statement_timeout = '10min'`.execute(trx);
    const { rows } = await sql<{ isMine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('slipway:catalog counts', 0)) as "isMine"`.execute(trx);
    if (rows[0]?.isMine !== true) return [];
    const { rows: differences } = await sql<CountDifference>`insert into catalog_count (kind, facet, value, n)
      select kind, facet, value, n from catalog_count_differences() returning kind, facet, value, n`.execute(trx);
    differences.push(...(await repairSums(trx)));
    if (differences.length > 0)
      log.error({ differences: differences.slice(0, shown) }, 'The catalog counted wrong: its counters are corrected. Please report this.');
    return differences;
  });
