/**
 * Decides which traces stay. Spans are stored first, because errors and durations are known only when a trace is over. A minute after its
 * newest span, or after an hour, a trace stays if it has an error or one of the slowest calls of its name, and so does a tenth of the others.
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
    // In the order of writers.
    await sql`select from trace_usage order by team_id, day for update`.execute(trx);
    const { rows } = await sql<{ due: number }>`with oldest as (
        select trace_id from trace_span where not is_kept and received_at < now() - make_interval(secs => ${ageSeconds})
        and (received_at < now() - interval '1 hour' or not exists (select from trace_span as newer
          where newer.trace_id = trace_span.trace_id and newer.received_at >= now() - make_interval(secs => ${ageSeconds})))
        order by received_at limit ${SPANS}),
      due as (select distinct trace_id from oldest),
      calls as (select distinct service_id, name from trace_span where is_entry and not is_kept and trace_id in (select trace_id from due)),
      -- One threshold for each name, so that the cost does not grow with the number of slow calls.
      bars as (select service_id, name, (array_agg(duration_us order by duration_us desc))[${sql.lit(SLOWEST)}] as us
        from trace_span join calls using (service_id, name) where is_entry and started_at > now() - interval '1 hour'
        group by service_id, name),
      kept as (
        select trace_id from due where ('x' || right(trace_id, 2))::bit(8)::integer < ${SHARE}
          or exists (select from trace_span as span left join bars using (service_id, name)
            where span.trace_id = due.trace_id and (is_error or is_kept or (is_entry and duration_us >= coalesce(bars.us, 0))))),
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
