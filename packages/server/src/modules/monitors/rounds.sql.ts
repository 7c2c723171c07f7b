/** Background work of workers: adds new counts, makes and drops partitions, and deletes what has expired or belongs to deleted monitors. */
import { sql } from 'kysely';
import { transaction, type Database, type Db } from '#db/database.ts';
import { monitorPartitions } from './partitions.ts';

const FOLDED = 50_000;
const DELETED = 10_000;
/** Deleted monitors that one round looks at. */
const GONE = 100;

/** Takes the lock of one kind of work until the transaction ends. Returns false if another replica has it. */
const hasTurn = async (trx: Db, work: string): Promise<boolean> => {
  const { rows } = await sql<{
    taken: boolean;
  }>`select pg_try_advisory_xact_lock(hashtextextended(${`monitors ${work}`}, 0)) as taken`.execute(trx);
  return rows[0]?.taken === true;
};

/** Adds new counts to those of their hour and day. Each row is deleted in the transaction that adds it. Returns true if there are more. */
export const foldCounts = (db: Db): Promise<boolean> =>
  transaction(db, async (trx) => {
    if (!(await hasTurn(trx, 'fold'))) return false;
    const { rows } = await sql<{ taken: number }>`with taken as (
        delete from monitor_count_new where ctid = any (array(select ctid from monitor_count_new limit ${FOLDED})) returning *),
      steps as (
        select 'HOUR' as step, hour as at, taken.* from taken
        union all select 'DAY', date_trunc('day', hour, 'UTC'), taken.* from taken),
      added as (
        insert into monitor_count as count (monitor_id, step, metric, dimension, name, at, bin, rating, n)
        select monitor_id, step, metric, dimension, steps.name, at, bin, rating, sum(n) from steps
        where exists (select from monitor where monitor.id = monitor_id)
        group by monitor_id, step, dimension, metric, steps.name, at, bin, rating
        on conflict (monitor_id, step, dimension, metric, name, at, bin, rating) do update set n = count.n + excluded.n),
      seen as (
        update monitor set last_seen_at = now() where id in (select distinct monitor_id from taken))
      select count(*)::integer as taken from taken`.execute(trx);
    return (rows[0]?.taken ?? 0) >= FOLDED;
  });

/** Deletes a batch of rows. Returns true if there may be more. */
const deleteSome = async (db: Db, table: string, condition: ReturnType<typeof sql>): Promise<boolean> => {
  const of = sql.table(table);
  const { numAffectedRows = 0n } = await sql`delete from ${of} where ${condition} and (tableoid, ctid) in (
    select tableoid, ctid from ${of} where ${condition} limit ${DELETED})`.execute(db);
  return numAffectedRows >= BigInt(DELETED);
};

/** Deletes what deleted monitors collected. A monitor stays in the list for ten minutes, because payloads may have been in flight. */
export const eraseGone = (db: Db): Promise<boolean> =>
  transaction(db, async (trx) => {
    if (!(await hasTurn(trx, 'erase'))) return false;
    const { rows } = await sql<{ id: string }>`select monitor_id as id from monitor_gone order by at limit ${GONE}`.execute(trx);
    for (const { id } of rows) {
      if (await deleteSome(trx, 'monitor_event', sql`monitor_id = ${id}`)) return true;
      await sql`delete from monitor_gone where monitor_id = ${id} and at < now() - interval '10 minutes'`.execute(trx);
    }
    return false;
  });

interface Kept {
  readonly id: string;
  readonly retentionDays: number;
}
const expired = ({ id, retentionDays: days }: Kept): readonly (readonly [table: string, condition: ReturnType<typeof sql>])[] => [
  ['monitor_session', sql`monitor_id = ${id} and last_at < now() - make_interval(days => ${days})`],
  ['monitor_error', sql`monitor_id = ${id} and last_at < now() - make_interval(days => ${days})`],
  ['monitor_error_user', sql`monitor_id = ${id} and last_on < current_date - ${days}::integer`],
  ['monitor_name', sql`monitor_id = ${id} and last_on < current_date - 30`],
];
const oldCounts = [sql`step = 'HOUR' and at < now() - interval '16 days'`, sql`step = 'DAY' and at < now() - interval '62 days'`] as const;
/** Makes the partitions of the next days and deletes what has expired. */
export const tidy = async ({ db, pool }: Pick<Database, 'db' | 'pool'>, now: Date = new Date()): Promise<void> => {
  await monitorPartitions.ensure(pool, now);
  await monitorPartitions.dropOld(pool, now);
  const { rows } = await sql<Kept>`select id, retention_days as "retentionDays" from monitor`.execute(db);
  for (const monitor of rows) for (const [table, condition] of expired(monitor)) while (await deleteSome(db, table, condition));
  for (const condition of oldCounts) while (await deleteSome(db, 'monitor_count', condition));
};
