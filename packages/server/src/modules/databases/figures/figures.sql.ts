/** Metric points: written every minute, downsampled, and read as evenly spaced series. */
import { sql, type RawBuilder } from 'kysely';
import type { DatabaseFigures, DatabasePoint, DatabaseRange } from '@slipway/contract/database/figures.ts';
import type { Db } from '#db/database.ts';
import type { DatabaseCounters } from '#ports/databases.ts';

const FINE_SECONDS = 60;
const COARSE_SECONDS = 900;
const HOUR = 3600;
export const spans: Readonly<Record<DatabaseRange, { readonly seconds: number; readonly stepSeconds: number }>> = {
  '1h': { seconds: HOUR, stepSeconds: FINE_SECONDS },
  '24h': { seconds: 24 * HOUR, stepSeconds: 300 },
  '7d': { seconds: 7 * 24 * HOUR, stepSeconds: HOUR },
  '30d': { seconds: 30 * 24 * HOUR, stepSeconds: 3 * HOUR },
};

/** Several workers may measure the same minute. The first sample wins. */
export const writeCounters = async (db: Db, region: string, counters: readonly DatabaseCounters[], now: Date): Promise<void> => {
  await sql`insert into database_metric (database_id, step_seconds, at, size_bytes, connections, max_connections, blocks_hit, blocks_read,
      transactions, rollbacks, deadlocks, temp_bytes)
    select database.id, ${FINE_SECONDS}, date_bin('60 s', ${now}::timestamptz, 'epoch'), seen."sizeBytes", seen.connections, seen.connections,
      seen."blocksHit", seen."blocksRead", seen.transactions, seen.rollbacks, seen.deadlocks, seen."tempBytes"
    from jsonb_to_recordset(${JSON.stringify(counters)}::jsonb) as seen (database text, "sizeBytes" bigint, connections integer,
        "blocksHit" bigint, "blocksRead" bigint, transactions bigint, rollbacks bigint, deadlocks bigint, "tempBytes" bigint)
      join database on database.server_name = seen.database and database.region = ${region}
    on conflict do nothing`.execute(db);
};

/** Downsamples to coarse points: sizes and counters at the end of the interval, mean and maximum of connections. */
export const thinOut = async (db: Db, now: Date): Promise<void> => {
  await sql`insert into database_metric (database_id, step_seconds, at, size_bytes, connections, max_connections, blocks_hit, blocks_read,
      transactions, rollbacks, deadlocks, temp_bytes)
    select database_id, ${COARSE_SECONDS}, date_bin('900 s', at, 'epoch') as bin, (array_agg(size_bytes order by at desc))[1], avg(connections),
      max(max_connections), (array_agg(blocks_hit order by at desc))[1], (array_agg(blocks_read order by at desc))[1],
      (array_agg(transactions order by at desc))[1], (array_agg(rollbacks order by at desc))[1], (array_agg(deadlocks order by at desc))[1],
      (array_agg(temp_bytes order by at desc))[1]
    from database_metric as fine where step_seconds = ${FINE_SECONDS} and at < date_bin('900 s', ${now}::timestamptz - interval '90 s', 'epoch')
      and at >= coalesce((select max(coarse.at) + interval '900 s' from database_metric as coarse
        where coarse.database_id = fine.database_id and coarse.step_seconds = ${COARSE_SECONDS}), '-infinity')
    group by database_id, bin on conflict do nothing`.execute(db);
  await sql`delete from database_metric where step_seconds = ${FINE_SECONDS} and at < ${now}::timestamptz - interval '25 hours'
    or step_seconds = ${COARSE_SECONDS} and at < ${now}::timestamptz - interval '30 days 4 hours'`.execute(db);
};

/** Returns the range in whole, completed steps. */
export const boundsOf = (range: DatabaseRange, now: Date): { readonly from: Date; readonly to: Date } => {
  const { seconds, stepSeconds } = spans[range];
  const to = Math.floor(now.getTime() / 1000 / stepSeconds) * stepSeconds;
  return { from: new Date((to - seconds) * 1000), to: new Date(to * 1000) };
};

/** Returns the increase of a counter since the previous point. After a reset, the whole counter value. */
const grown = (counter: string): RawBuilder<unknown> => {
  const [now, before] = [sql.ref(counter), sql`lag(${sql.ref(counter)}) over (order by at)`];
  return sql`case when ${now} >= ${before} then ${now} - ${before} else case when ${before} is null then null else ${now} end end`;
};

type Row = Omit<DatabasePoint, 'at'> & { readonly at: Date };

/** Returns a point for every step of the range. Values without a sample are null. */
export const pointsOf = async (db: Db, databaseId: string, range: DatabaseRange, now: Date): Promise<DatabasePoint[]> => {
  const { stepSeconds } = spans[range];
  const { from, to } = boundsOf(range, now);
  const step = sql`make_interval(secs => ${stepSeconds})`;
  const isFine = stepSeconds < COARSE_SECONDS;
  // A day uses fine points. Longer ranges use coarse points, and fine points where no coarse ones exist yet. Includes one point before the
  // range to compute increases.
  const which = isFine
    ? sql`step_seconds = ${FINE_SECONDS}`
    : sql`(step_seconds = ${COARSE_SECONDS} or at >= coalesce((select max(made.at) + interval '900 s' from database_metric as made
        where made.database_id = ${databaseId} and made.step_seconds = ${COARSE_SECONDS}), '-infinity'))`;
  const { rows } = await sql<Row>`with
    chosen as (select *, case step_seconds when ${COARSE_SECONDS} then at + interval '840 s' else at end as counted_at from database_metric
      where database_id = ${databaseId} and ${which} and at >= ${from}::timestamptz - interval '900 s' and at < ${to}),
    steps as (select date_bin(${step}, at, 'epoch') as bin, at, size_bytes, connections, max_connections,
        counted_at - lag(counted_at) over (order by at) as spell,
        ${grown('blocks_hit')} as hit, ${grown('blocks_read')} as read, ${grown('transactions')} as transactions,
        ${grown('rollbacks')} as rollbacks, ${grown('deadlocks')} as deadlocks, ${grown('temp_bytes')} as temp
      from chosen),
    summed as (select bin, (array_agg(size_bytes order by at desc))[1] as size, avg(connections) as connections, max(max_connections) as most,
        sum(hit) as hit, sum(read) as read, sum(transactions) as transactions, extract(epoch from sum(spell)) as seconds,
        sum(rollbacks) as rollbacks, sum(deadlocks) as deadlocks, sum(temp) as temp
      from steps group by bin)
    select grid.at, size::float8 as "sizeBytes", round(connections::numeric, 1)::float8 as connections, most::float8 as "maxConnections",
      round(hit / nullif(hit + read, 0), 5)::float8 as "cacheHitRatio",
      round(transactions / nullif(seconds, 0), 2)::float8 as "transactionsPerSecond", rollbacks::float8 as rollbacks,
      deadlocks::float8 as deadlocks, temp::float8 as "tempBytes"
    from generate_series(${from}::timestamptz, ${to}::timestamptz - ${step}, ${step}) as grid (at) left join summed on summed.bin = grid.at
    order by grid.at`.execute(db);
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
};

/** Returns revisions of the services that read the database's secret group. */
export const markersOf = async (db: Db, databaseId: string, from: Date, to: Date): Promise<DatabaseFigures['markers']> => {
  const { rows } = await sql<{ at: Date; service: string; revision: string; type: string }>`
    select revision.created_at as at, service.name as service, revision.name as revision, revision.reason ->> 'type' as type
    from database join secret_group as g on g.app_id = database.app_id and g.environment = database.environment
        and g.name = database.secret_group
      join service on service.app_id = database.app_id and service.environment = database.environment
      join revision on revision.service_id = service.id
    where database.id = ${databaseId} and revision.created_at >= ${from} and revision.created_at < ${to}
      and jsonb_exists(revision.secret_versions, g.name)
    order by revision.created_at limit 200`.execute(db);
  return rows.map(({ at, ...marker }) => ({ at: at.toISOString(), ...marker }));
};

/** Returns the daily growth by linear regression, as `regr_slope` computes it. */
export const growthOf = (points: readonly DatabasePoint[], stepSeconds: number): number | null => {
  const known = points.flatMap(({ sizeBytes }, index) => (sizeBytes === null ? [] : [{ x: index * stepSeconds, y: sizeBytes }]));
  if (known.length < Math.max(2, points.length / 10)) return null;
  const mean = (of: 'x' | 'y'): number => known.reduce((sum, point) => sum + point[of], 0) / known.length;
  const [x, y] = [mean('x'), mean('y')];
  const spread = known.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  const slope = known.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread;
  return Math.round(slope * 86_400);
};

export const hasDatabases = async (db: Db, region: string): Promise<boolean> => {
  const found = await db
    .selectFrom('database')
    .select('id')
    .where('region', '=', region)
    .where('state', '<>', 'CREATING')
    .limit(1)
    .execute();
  return found.length > 0;
};
