/** A database of its own for a test file: a clone of a template that is migrated once per set of migrations. */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import { administer, clone, dropDatabase, newDatabase, testServer, type TestConnection } from '@slipway/postgres/testing/test-server.ts';
import { openDatabase, type Db } from '#db/database.ts';
import { migrate, readMigrations } from '#db/migrator.ts';
import type { Log } from '#ports/log.ts';

export interface TestDatabase {
  readonly config: TestConnection;
  readonly pool: pg.Pool;
  readonly db: Db;
  /** The same connection as one string, for programs that take DATABASE_URL. */
  readonly url: string;
  /** Closes the pool and removes the database; for `afterAll`. */
  drop(): Promise<void>;
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** A migrated database; with `isEmpty` a database without any table, for tests of the migrations themselves. */
export async function testDatabase({ isEmpty = false } = {}): Promise<TestDatabase> {
  const server = await testServer();
  const template = isEmpty ? 'template0' : await ensureTemplate(server);
  const config = await newDatabase(server, template);
  const { pool, db, close } = openDatabase({ ...config, max: 10 });
  const drop = async () => {
    await close();
    await dropDatabase(server, config);
  };
  return { config, pool, db, url: connectionUrl(config), drop };
}

/** A connection by a socket as one string. */
export const connectionUrl = ({ user, password, database, host }: TestConnection): string =>
  `postgresql://${user}:${password}@localhost/${database}?host=${encodeURIComponent(host)}`;

async function ensureTemplate(server: TestConnection): Promise<string> {
  const checksums = readMigrations().map(({ name, checksum }) => `${name} ${checksum}`);
  const name = `template_${createHash('sha256').update(checksums.join('\n')).digest('hex').slice(0, 16)}`;
  const exists = async (admin: pg.Client) => (await admin.query('select 1 from pg_database where datname = $1', [name])).rowCount === 1;
  await administer(server, async (admin) => {
    if (await exists(admin)) return;
    // Other workers wait here; the lock ends with the connection.
    await admin.query(`select pg_advisory_lock(hashtextextended('test template', 0))`);
    if (await exists(admin)) return;
    await admin.query(`drop database if exists ${name}_new with (force)`);
    await clone(admin, `${name}_new`, 'template0');
    await migrate({ ...server, database: `${name}_new` }, { log: silent });
    // Visible under its name only when whole: a failed migration leaves no template behind.
    await admin.query(`alter database ${name}_new rename to ${name}`);
  });
  return name;
}
