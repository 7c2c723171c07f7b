/** The rows of one moment: a transaction that sees the database as it was when everything else was pinned, however long the reading takes. */
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { createClient } from '#db/connections.ts';
import { readMigrations } from '#db/migrator.ts';
import { StartError } from '#kernel/start-error.ts';
import type { Manifest } from './archive-format.ts';

/**
 * What a restored platform must not believe. Each is made anew: uploads by whoever pushes, sessions by signing in, instances and their
 * holder by the runtime, and the state by the replica that starts. Which replica works on a run is forgotten after the restore.
 */
export const leftOut: ReadonlySet<string> = new Set([
  'schema_migration',
  'platform_state',
  'registry_upload',
  'registry_upload_part',
  'oidc_payload',
  'sign_in_attempt',
  'instance',
  'runtime_holder',
  'unreadable_row',
  // Their files stay on this machine.
  'database_backup',
]);

/** The same text for the same value, whatever the database is set to. */
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
  /** As the transaction sees it. */
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>;
  /** Pieces of a table's rows, each of some megabytes. */
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
    // As pg_dump does: locked before the first look, so that no migration changes a table between the look and the copy.
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

/** Ours are in one schema, the one that the migrations made them in. */
export async function tableNames(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') order by relname`,
  );
  return rows.map(({ name }) => name);
}

/** Of all tables, without generated columns: `COPY` neither reads nor writes those. */
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
