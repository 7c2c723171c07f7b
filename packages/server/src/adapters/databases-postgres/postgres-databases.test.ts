/** The same suite on an administrator's server: another PostgreSQL, reached over TCP by a role that is no superuser. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#db/connections.ts';
import { databasesSuite } from '#ports/databases.suite.ts';
import type { Log } from '#ports/log.ts';
import { freePort } from '#testing/free-port.ts';
import { roleServer, type RoleServer } from '#testing/role-server.ts';
import { DsnServer } from './dsn-server.ts';
import { PostgresDatabases } from './postgres-databases.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
const region = 'NORTHEUROPE';
const target = { region, database: 'berth_1' };
const limits = { maxConnections: 10, statementTimeoutMs: 1000, tempFileBytes: 1024, workMemoryBytes: 65_536 };
let server: RoleServer;
let dsn: string;

beforeAll(async () => {
  server = await roleServer([
    'grant set on parameter temp_file_limit to platform',
    'revoke connect on database postgres, template1 from public',
    `do $$ begin if not exists (select from pg_roles where rolname = 'weak') then create role weak login password 'weak'; end if; end $$`,
    'grant connect on database slipway to weak',
  ]);
  dsn = server.url;
});
afterAll(() => server?.stop());

const databasesAt = (address: string, mark = 'suite') =>
  new PostgresDatabases({ kind: 'postgres', servers: { [region]: new DsnServer(address) }, mark, log: silent });

databasesSuite('databases on a server of one’s own', async () => {
  const databases = databasesAt(dsn);
  const admin = async (sql: string) => {
    const client = createClient({ connectionString: dsn });
    await client.connect();
    try {
      return (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name);
    } finally {
      await client.end();
    }
  };
  return {
    databases,
    region,
    inventory: async () => ({
      databases: await admin('select datname::text as name from pg_database'),
      roles: await admin('select rolname::text as name from pg_roles'),
    }),
    asOther: async (sql) => void (await admin(sql)),
    asked: admin,
    close: () => databases.close(),
  };
});

test('another platform on the same server has its own, and neither touches those of the other', async () => {
  const [ours, theirs] = [databasesAt(dsn), databasesAt(dsn, 'another platform')];
  await theirs.ensure(target, limits);
  expect([await ours.list(region), await theirs.list(region)]).toEqual([expect.not.arrayContaining([target.database]), [target.database]]);
  await expect(ours.drop(target)).rejects.toMatchObject({ kind: 'conflict' });
  await theirs.drop(target);
  await Promise.all([ours.close(), theirs.close()]);
});

test('a server that is not there is unavailable, and a role without rights is refused with the reason', async () => {
  const nowhere = databasesAt(`postgresql://platform:x@127.0.0.1:${await freePort()}/slipway`);
  await expect(nowhere.check()).rejects.toMatchObject({ kind: 'unavailable', context: { engine: 'database server' } });
  await expect(nowhere.ensure(target, limits)).rejects.toMatchObject({ kind: 'unavailable' });
  const weak = databasesAt(dsn.replace(/\/\/.*@/, '//weak:weak@'));
  await expect(weak.check()).resolves.toBeUndefined();
  await expect(weak.ensure(target, limits)).rejects.toMatchObject({ kind: 'rejected', code: 'DatabaseServerRefused' });
  await Promise.all([nowhere.close(), weak.close()]);
});

test('a DSN says how the server is reached', async () => {
  const reached = new DsnServer('postgresql://admin:p%40ss@db.example.com/main?sslmode=require');
  expect(await reached.endpoint()).toEqual({ host: 'db.example.com', port: 5432, sslMode: 'require' });
  expect(await reached.login()).toMatchObject({ user: 'admin', password: 'p@ss', database: 'main', ssl: { rejectUnauthorized: false } });
});
