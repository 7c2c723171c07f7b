/**
 * Writes packages/server/src/db/types.ts, Kysely's view of the tables, from a database that all migrations have just made, and from
 * column-types.ts, which says what PostgreSQL does not.
 * `node scripts/gen-db.ts` after adding a migration; with `--check` it fails when the file is stale.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../packages/server/src/db/database.ts';
import { startEmbeddedPostgres } from '../engines/postgres/src/embedded-postgres.ts';
import { migrate } from '../packages/server/src/db/migrator.ts';
import { columnTypes, typeSources } from './column-types.ts';
import { tableTypes, type Column } from './table-types.ts';

const TARGET = fileURLToPath(new URL('../packages/server/src/db/types.ts', import.meta.url));

const COLUMNS = `
  select c.relname as "table", a.attname as name, coalesce(e.typname, b.typname, t.typname) as type, t.typelem <> 0 and t.typcategory = 'A' as "isArray",
    not a.attnotnull as "isNullable", a.atthasdef or a.attidentity = 'd' as "hasDefault", a.attgenerated <> '' or a.attidentity = 'a' as "isComputed",
    (select pg_get_constraintdef(k.oid) from pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum] limit 1) as check
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid
  join pg_type t on t.oid = a.atttypid
  left join pg_type b on b.oid = t.typbasetype
  left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
    and c.relname <> 'schema_migration' and a.attnum > 0 and not a.attisdropped
  order by c.relname collate "C", a.attnum`;

async function readColumns(): Promise<Column[]> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-gen-'));
  // As root PostgreSQL runs as a user of its own, who must be able to pass through.
  fs.chmodSync(directory, 0o711);
  const log = { debug() {}, info() {}, warn: console.warn, error: console.error };
  const server = await startEmbeddedPostgres({ dataDir: directory, log, isDurable: false, settings: { fsync: 'off' } });
  const { pool, close } = openDatabase(server.connection);
  try {
    await migrate(server.connection, { log });
    return (await pool.query<Column>(COLUMNS)).rows;
  } finally {
    await close();
    await server.stop();
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

const current = fs.existsSync(TARGET) ? fs.readFileSync(TARGET, 'utf8') : '';
const generated = tableTypes(await readColumns(), { columns: columnTypes, sources: typeSources });
if (!process.argv.includes('--check')) {
  // Renamed into place: a reader never sees half a file.
  fs.writeFileSync(`${TARGET}.new`, generated);
  fs.renameSync(`${TARGET}.new`, TARGET);
} else if (current !== generated) {
  console.error('packages/server/src/db/types.ts is stale: run `node scripts/gen-db.ts`');
  process.exitCode = 1;
}
