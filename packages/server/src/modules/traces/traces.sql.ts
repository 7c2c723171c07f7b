/** Reads the traces of the last day: the slowest calls of a service, its failed calls, and one trace. */
import { sql } from 'kysely';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { maxTraceSpans, type FailedCall, type ServiceTrace, type ServiceTraces, type SlowCall } from '@slipway/contract/service/traces.ts';
import type { Db } from '#db/database.ts';
import { placeSql } from '#modules/resources/index.ts';

const LISTED = 20;
/** Instrumentations that know no route name a call after its method only, so its path is added. */
const called = sql`case when name ~ '^[A-Z]+$' then concat_ws(' ', name, coalesce(attributes->>'url.path', attributes->>'http.target'))
  else name end`;
const recent = sql`started_at > now() - interval '1 day'`;

export const readTraces = async (db: Db, { serviceId, cap }: { serviceId: string; cap: number }): Promise<ServiceTraces> => {
  const slowest = await sql<SlowCall>`select ${called} as name, max(duration_us) / 1000.0::float8 as "slowestMs",
      percentile_cont(0.5) within group (order by duration_us) / 1000.0::float8 as "medianMs",
      count(*)::integer as stored, count(*) filter (where is_error)::integer as failed,
      (array_agg(trace_id order by duration_us desc))[1] as "traceId"
    from trace_span where service_id = ${serviceId} and is_entry and ${recent}
    group by 1 order by max(duration_us) desc limit ${LISTED}`.execute(db);
  const failed = await sql<Omit<FailedCall, 'at'> & { at: Date }>`select ${called} as name, started_at as at,
      coalesce(nullif(message, ''), 'HTTP ' || (attributes->>'http.response.status_code'), '') as message, duration_us / 1000.0::float8 as "durationMs", trace_id as "traceId"
    from trace_span where service_id = ${serviceId} and is_entry and is_error and ${recent} order by started_at desc limit ${LISTED}`.execute(
    db,
  );
  const usage = await sql<{ isFull: boolean }>`select spans >= ${cap} as "isFull" from trace_usage
    where day = (now() at time zone 'UTC')::date
      and team_id = (select app.team_id from service join app on app.id = service.app_id where service.id = ${serviceId})`.execute(db);
  return {
    slowest: slowest.rows,
    failed: failed.rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() })),
    isFull: usage.rows[0]?.isFull ?? false,
  };
};

type Place = { readonly app: string; readonly environment: Environment; readonly serviceId: string };
/**
 * Returns the spans of a trace that services of the app sent in the environment. Spans of other apps are left out, because members of this
 * app may not read them. Undefined if the service has no span in the trace.
 */
export const readTrace = async (db: Db, { serviceId, ...place }: Place, traceId: string): Promise<ServiceTrace | undefined> => {
  type Row = ServiceTrace['spans'][number] & { at: Date; isOwn: boolean };
  const { rows } = await sql<Row>`select span_id as id, parent_id as parent, service.name as service, revision, trace_span.name, kind,
      extract(epoch from started_at - min(started_at) over ())::float8 * 1000 as "offsetMs", duration_us / 1000.0::float8 as "durationMs",
      is_error as "isError", message, attributes, min(started_at) over () as at, service.id = ${serviceId} as "isOwn"
    from trace_span join service on service.id = trace_span.service_id
    where trace_id = ${traceId} and ${placeSql(place, 'service')} and ${recent}
    order by service.id = ${serviceId} desc, started_at, span_id limit ${maxTraceSpans + 1}`.execute(db);
  const [first] = rows;
  if (!first?.isOwn) return undefined;
  const spans = rows.slice(0, maxTraceSpans).map(({ at: _at, isOwn: _isOwn, ...span }) => span);
  return { traceId, startedAt: first.at.toISOString(), spans, isCut: rows.length > maxTraceSpans };
};
