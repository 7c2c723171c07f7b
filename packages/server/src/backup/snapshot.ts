/** The rows at one point in time: a transaction with a snapshot from the moment of pinning, however long reading takes. */
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { createClient } from '#db/connections.ts';
import { readMigrations } from '#db/migrator.ts';
import { StartError } from '#kernel/start-error.ts';
import type { Manifest } from './archive-format.ts';

/**
 * Tables that a backup leaves out, because their rows are invalid after a restore. They are recreated: uploads by clients, sessions by
 * signing in, instances and their holder by the runtime, the state and the replicas by the starting replica. A restore also clears the workers of runs.
 */
export const leftOut: ReadonlySet<string> = new Set([
  'schema_migration',
  'platform_state',
  'platform_replica',
  'platform_backup',
  'registry_upload',
  'registry_upload_part',
  'oidc_payload',
  'sign_in_attempt',
  'instance',
  'runtime_holder',
  'unreadable_row',
  // Telemetry of browsers: too large, and it expires. Errors and counts are kept.
  'monitor_event',
  'monitor_session',
  'monitor_count_new',
  'monitor_gone',
  // Traces of services: too large, and they expire within a day.
  'trace_span',
  'trace_usage',
  // Their files stay on this machine.
  'database_backup',
]);

/** Session settings that make the text format of values independent of the database's settings. */
export const plainSettings = `
  set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
  set client_encoding = 'UTF8'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC';
  set extra_float_digits = 3; set bytea_output = 'hex'; set row_security = off`;

const PART_BYTES = 4 << 20;
const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const copyText = ({ name, columns }: Manifest['tables'][number], direction: 'to stdout' | 'from stdin'): string =>
  `copy ${quote(name)} (${columns.map(quote).join(', ')}) ${direction}`;

export interface Snapshot {
  readonly migrations: Manifest['migrations'];
  readonly tables: Manifest['tables'];
  /** Runs a query in the snapshot. */
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>;
  /** Yields a table's rows in chunks of a few megabytes. */
  rows(table: Manifest['tables'][number]): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

export async function openSnapshot(connection: pg.ClientConfig): Promise<Snapshot> {
  const client = createClient({ ...connection, application_name: 'slipway backup' });
  try {
    await client.connect();
    await client.query(plainSettings);
    await checkMigrations(client);
    const names = await tableNames(client);
    // Locks the tables before the first read, as pg_dump does, so that no migration changes a table in between.
    await client.query('begin isolation level repeatable read, read only');
    await client.query(`lock table ${names.map(quote).join(', ')} in access share mode`);
    return await look(client, names);
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

async function look(client: pg.Client, names: readonly string[]): Promise<Snapshot> {
  const query = async <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> => (await client.query<Row>(sql)).rows;
  const migrations = await query<Manifest['migrations'][number]>('select name, checksum from schema_migration order by number');
  const columns = await columnsOf(client);
  const tables = names.filter((name) => !leftOut.has(name)).map((name) => ({ name, columns: columns.get(name) ?? [] }));
  return { migrations, tables, query, rows: (table) => pieces(client, table), close: () => client.end() };
}

async function checkMigrations(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ there: boolean }>(`select to_regclass('schema_migration') is not null as there`);
  if (!rows[0]?.there) throw new StartError('The database is empty: there is no platform to back up');
  const known = new Set(readMigrations().map(({ name }) => name));
  const { rows: applied } = await client.query<{ name: string }>('select name from schema_migration order by number');
  const newer = applied.find(({ name }) => !known.has(name));
  if (newer)
    throw new StartError(`The database has migration ${newer.name}, which this version does not know: back up with the newer version`);
}

/** Returns the platform's tables: all tables of the schema that the migrations use. */
export async function tableNames(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`,
  );
  return rows.map(({ name }) => name);
}

/** Returns the columns of all tables, without generated columns: `COPY` neither reads nor writes them. */
export async function columnsOf(client: pg.ClientBase): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select relname as name, array_agg(attname::text order by attnum) as columns from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and attnum > 0 and not attisdropped and attgenerated = ''
     group by relname`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

async function* pieces(client: pg.Client, table: Manifest['tables'][number]): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of client.query(copyTo(copyText(table, 'to stdout'))) as AsyncIterable<Buffer>) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
