/** Every row of the platform's database, so that a test can say which rows a write has touched. */
import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';

/** Columns that the platform's own watchers and clocks change, whoever writes. */
const ticking: Readonly<Record<string, readonly string[]>> = {
  notification_event: ['expanded_at'],
  app_overview: ['updated_at'],
  database: ['watched_at', 'observed_at', 'size_bytes', 'connections', 'stat_counters'],
  account: ['watched_at', 'compared_at', 'drift'],
  topic: ['observed', 'drift'],
  instance: ['cpu_millicores', 'memory_megabytes'],
  monitor: ['last_seen_at'],
  webhook: ['lease', 'leased_until'],
};
/** Tables of measurements, leases, sums that are gathered later, and answers kept for repeats. */
const skipped = new Set([
  'app_tally',
  'database_metric',
  'edge_stat',
  'idempotency',
  'instance_event',
  'lasting_condition',
  'mail_outbox',
  'monitor_count',
  'notice',
  'notice_tray',
  'notification_delivery',
  'notification_delivery_notice',
  'registry_usage',
  'revision_metric',
  'runtime_holder',
  'schema_watch',
  'service_metric',
  'topic_watch',
]);

export type Row = Readonly<Record<string, unknown>>;
/** Rows by table and primary key. */
export type Rows = ReadonlyMap<string, Row>;

const keysSql = `select t.relname as table, array_agg(a.attname::text) as key from pg_index i join pg_class t on t.oid = i.indrelid
  join pg_namespace n on n.oid = t.relnamespace join pg_attribute a on a.attrelid = t.oid and a.attnum = any (i.indkey)
  where i.indisprimary and n.nspname = current_schema() group by t.relname order by 1`;

export const readRows = async (pool: pg.Pool): Promise<Rows> => {
  const { rows: tables } = await pool.query<{ table: string; key: string[] }>(keysSql);
  const found = new Map<string, Row>();
  for (const { table, key } of tables.filter((one) => !skipped.has(one.table))) {
    const { rows } = await pool.query<{ row: Record<string, unknown> }>(`select to_jsonb(t) as row from "${table}" t`);
    for (const { row } of rows) {
      const id = `${table} ${key.map((name) => String(row[name])).join(' ')}`;
      for (const name of ticking[table] ?? []) delete row[name];
      found.set(id, row);
    }
  }
  return found;
};

/** Rows that are in `after` and not in `before`. */
export const added = (before: Rows, after: Rows): Rows => new Map([...after].filter(([id]) => !before.has(id)));

/** The rows of `of` that are still there, as they are now. */
export const kept = (of: Rows, now: Rows): Rows => new Map([...now].filter(([id]) => of.has(id)));

/** One line for each row of `of` that `now` no longer has, or has with other values. */
export const changes = (of: Rows, now: Rows): string[] =>
  [...of].flatMap(([id, was]) => {
    const is = now.get(id);
    if (!is) return [`${id} is gone`];
    return Object.keys(was).flatMap((name) =>
      isDeepStrictEqual(was[name], is[name]) ? [] : [`${id}.${name}: ${JSON.stringify(was[name])} → ${JSON.stringify(is[name])}`],
    );
  });
