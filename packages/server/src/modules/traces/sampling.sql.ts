/**
 * Decides which traces stay. Spans are stored first, because errors and durations are known only when a trace is over. A minute later, all
 * traces with an error and the slowest calls of each name stay, and a tenth of the others.
 */
import { sql } from 'kysely';
import { transaction, type Database, type Db } from '#db/database.ts';
import { tracePartitions } from './span-writer.ts';

const SPANS = 5000;
/** Traces of 256 that stay without an error and without being slow. */
const SHARE = 26;
const SLOWEST = 5;

/** Decides about a batch of traces whose newest span is a minute old. Returns true if there may be more. */
export const sampleTraces = (db: Db, ageSeconds: number): Promise<boolean> =>
  transaction(db, async (trx) => {
    const turn = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(hashtextextended('traces sample', 0)) as taken`.execute(
      trx,
    );
    if (turn.rows[0]?.taken !== true) return false;
    const { rows } = await sql<{ due: number }>`with oldest as (
        select trace_id from trace_span where not is_kept and received_at < now() - make_interval(secs => ${ageSeconds})
        order by received_at limit ${SPANS}),
      due as (select distinct trace_id from oldest),
      kept as (
        select trace_id from due where ('x' || right(trace_id, 2))::bit(8)::integer < ${SHARE}
          or exists (select from trace_span as span where span.trace_id = due.trace_id and (is_error or is_kept or (is_entry and (
            select count(*) from (select from trace_span as other
              where other.service_id = span.service_id and other.name = span.name and other.is_entry
                and other.duration_us > span.duration_us
                and other.started_at between span.started_at - interval '1 hour' and span.started_at + interval '1 hour'
              limit ${SLOWEST}) as slower) < ${SLOWEST})))),
      marked as (update trace_span set is_kept = true where not is_kept and trace_id in (select trace_id from kept)),
      gone as (
        delete from trace_span where not is_kept and trace_id in (select trace_id from due except select trace_id from kept)
        returning team_id, (received_at at time zone 'UTC')::date as day),
      freed as (
        update trace_usage set spans = greatest(0, trace_usage.spans - gone_of.n)
        from (select team_id, day, count(*)::integer as n from gone group by team_id, day) as gone_of
        where trace_usage.team_id = gone_of.team_id and trace_usage.day = gone_of.day)
      select count(*)::integer as due from oldest`.execute(trx);
    return (rows[0]?.due ?? 0) >= SPANS;
  });

/** Makes the partitions of the next days and drops the old ones. */
export const tidyTraces = async ({ db, pool }: Pick<Database, 'db' | 'pool'>, now: Date = new Date()): Promise<void> => {
  await tracePartitions.ensure(pool, now);
  await tracePartitions.dropOld(pool, now);
  await sql`delete from trace_usage where day < current_date - 2`.execute(db);
};
