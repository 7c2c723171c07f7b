/** Points of metrics: written by the replica that holds the runtime, thinned out, and read as evenly stepped series. */
import { sql } from 'kysely';
import type { MetricPoint, MetricRange } from '@slipway/contract/service/metrics.ts';
import type { Db } from '#db/database.ts';
import type { EdgeStats } from '#ports/runtime.ts';
import type { AverageUse } from './stats-window.ts';

/** Seconds that a point covers, of those that are written and of those that are kept. */
export const FINE_SECONDS = 15;
const COARSE_SECONDS = 300;

export type EdgeCount = Pick<EdgeStats, 'app' | 'environment' | 'service' | 'requests' | 'errors5xx' | 'p95Ms'>;

/** One statement however many services there are. `at` is the beginning of the spell that was measured; counts are of that spell. */
export const writePoints = async (db: Db, at: Date, use: ReadonlyMap<string, AverageUse>, edge: readonly EdgeCount[]): Promise<void> => {
  const instances = [...use].map(([id, { cpuMillicores, memoryMegabytes }]) => ({ id, cpu: cpuMillicores, memory: memoryMegabytes }));
  await sql`with seen as (
      select * from jsonb_to_recordset(${JSON.stringify(instances)}::jsonb) as seen (id text, cpu real, memory real)),
    edge as (
      select * from jsonb_to_recordset(${JSON.stringify(edge)}::jsonb)
        as edge (app text, environment text, service text, requests integer, "errors5xx" integer, "p95Ms" real)),
    revisions as (
      insert into revision_metric (revision_id, step_seconds, at, cpu_millicores, memory_megabytes, max_memory_megabytes, ready)
      select instance.revision_id, ${FINE_SECONDS}, ${at}, sum(seen.cpu), sum(seen.memory), max(seen.memory),
        count(*) filter (where instance.state = 'READY')
      from instance left join seen on seen.id = instance.id group by instance.revision_id
      on conflict do nothing)
    insert into service_metric (service_id, step_seconds, at, requests, errors, p95_ms)
    select service.id, ${FINE_SECONDS}, ${at}, edge.requests, edge."errors5xx", case when edge.requests > 0 then edge."p95Ms" end
    from edge join service on service.app_id = edge.app and service.environment = edge.environment and service.name = edge.service
    on conflict (service_id, step_seconds, at) do update
      set requests = service_metric.requests + excluded.requests, errors = service_metric.errors + excluded.errors`.execute(db);
};

/** Makes the coarse points of what is over since the last time, however long ago that was, and drops what is too old. */
export const thinOut = async (db: Db, now: Date = new Date()): Promise<void> => {
  // A point of the last moment may still be on its way.
  const until = sql`date_bin('300 s', ${now}::timestamptz - interval '30 s', 'epoch')`;
  const since = (table: 'revision_metric' | 'service_metric') =>
    sql`coalesce((select max(at) + interval '300 s' from ${sql.table(table)} where step_seconds = ${COARSE_SECONDS}), '-infinity')`;
  await sql`insert into revision_metric (revision_id, step_seconds, at, cpu_millicores, memory_megabytes, max_memory_megabytes, ready)
    select revision_id, ${COARSE_SECONDS}, date_bin('300 s', at, 'epoch') as bin, avg(cpu_millicores), avg(memory_megabytes),
      max(max_memory_megabytes), avg(ready)
    from revision_metric where step_seconds = ${FINE_SECONDS} and at >= ${since('revision_metric')} and at < ${until}
    group by revision_id, bin on conflict do nothing`.execute(db);
  await sql`insert into service_metric (service_id, step_seconds, at, requests, errors, p95_ms)
    select service_id, ${COARSE_SECONDS}, date_bin('300 s', at, 'epoch') as bin, sum(requests), sum(errors),
      sum(p95_ms * requests) / nullif(sum(requests), 0)
    from service_metric where step_seconds = ${FINE_SECONDS} and at >= ${since('service_metric')} and at < ${until}
    group by service_id, bin on conflict do nothing`.execute(db);
  for (const table of ['revision_metric', 'service_metric']) {
    await sql`delete from ${sql.table(table)} where step_seconds = ${FINE_SECONDS} and at < ${now}::timestamptz - interval '6 hours 10 minutes'
      or step_seconds = ${COARSE_SECONDS} and at < ${now}::timestamptz - interval '14 days 1 hour'`.execute(db);
  }
};

interface Span {
  readonly seconds: number;
  readonly stepSeconds: number;
}
const HOUR = 3600;
export const spans: Readonly<Record<MetricRange, Span>> = {
  '1h': { seconds: HOUR, stepSeconds: FINE_SECONDS },
  '6h': { seconds: 6 * HOUR, stepSeconds: 60 },
  '24h': { seconds: 24 * HOUR, stepSeconds: COARSE_SECONDS },
  '14d': { seconds: 14 * 24 * HOUR, stepSeconds: HOUR },
};

/** From the first step's beginning to the last one's end: whole steps that are over. */
export const boundsOf = (range: MetricRange, now: Date): { readonly from: Date; readonly to: Date } => {
  const { seconds, stepSeconds } = spans[range];
  const to = Math.floor(now.getTime() / 1000 / stepSeconds) * stepSeconds;
  return { from: new Date((to - seconds) * 1000), to: new Date(to * 1000) };
};

type Row = { readonly at: Date } & Omit<MetricPoint, 'at'>;

const series = async (
  db: Db,
  revisions: ReturnType<typeof sql>,
  serviceId: string,
  range: MetricRange,
  now: Date,
): Promise<MetricPoint[]> => {
  const { stepSeconds } = spans[range];
  const { from, to } = boundsOf(range, now);
  const step = sql`make_interval(secs => ${stepSeconds})`;
  // Short ranges are made of fine points. Long ones are made of coarse points, and of fine ones where those are not made yet.
  const chosen = (table: 'revision_metric' | 'service_metric', whose: ReturnType<typeof sql>) =>
    stepSeconds < COARSE_SECONDS
      ? sql`select * from ${sql.table(table)} where ${whose} and step_seconds = ${FINE_SECONDS} and at >= ${from} and at < ${to}`
      : sql`select * from ${sql.table(table)} as point where ${whose} and at >= ${from} and at < ${to}
          and (step_seconds = ${COARSE_SECONDS} or at >= coalesce((select max(made.at) + interval '300 s' from ${sql.table(table)} as made
            where made.step_seconds = ${COARSE_SECONDS}), '-infinity'))`;
  const { rows } = await sql<Row>`with
    moments as (
      select at, sum(cpu_millicores) as cpu, sum(memory_megabytes) as memory, max(max_memory_megabytes) as largest, sum(ready) as ready
      from (${chosen('revision_metric', sql`revision_id in (${revisions})`)}) as chosen group by at),
    ran as (
      select date_bin(${step}, at, 'epoch') as bin, avg(cpu) as cpu, avg(memory) as memory, max(largest) as largest, avg(ready) as ready
      from moments group by bin),
    asked as (
      select date_bin(${step}, at, 'epoch') as bin, sum(requests) as requests, sum(errors) as errors,
        sum(p95_ms * requests) / nullif(sum(requests), 0) as p95
      from (${chosen('service_metric', sql`service_id = ${serviceId}`)}) as chosen group by bin)
    select grid.at, round(ran.cpu)::float8 as "cpuMillicores", round(ran.memory)::float8 as "memoryMegabytes",
      round(ran.largest)::float8 as "maxMemoryMegabytes", round(ran.ready::numeric, 1)::float8 as instances,
      asked.requests::float8 as requests, asked.errors::float8 as errors, round(asked.p95::numeric, 1)::float8 as "p95Ms"
    from generate_series(${from}::timestamptz, ${to}::timestamptz - ${step}, ${step}) as grid (at)
      left join ran on ran.bin = grid.at left join asked on asked.bin = grid.at
    order by grid.at`.execute(db);
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
};

/** All revisions of the service together. Every step of the range has a point; what nobody measured is null. */
export const serviceSeries = (db: Db, serviceId: string, range: MetricRange, now: Date = new Date()): Promise<MetricPoint[]> =>
  series(db, sql`select id from revision where service_id = ${serviceId}`, serviceId, range, now);

/** The revision's own instances, with the requests of its service. */
export const revisionSeries = (
  db: Db,
  { id, serviceId }: { readonly id: string; readonly serviceId: string },
  range: MetricRange,
  now: Date = new Date(),
): Promise<MetricPoint[]> => series(db, sql`values (${id})`, serviceId, range, now);
