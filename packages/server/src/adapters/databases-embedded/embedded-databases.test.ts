// @long: tries an engine by itself, which the tests of modules use, too
/** The embedded server: passes the suite, keeps its address across restarts, and rejects unauthorized logins. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, chmodSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { PostgresDatabases } from '#adapters/databases-postgres/postgres-databases.ts';
import { createClient } from '#db/connections.ts';
import { errorCode } from '#kernel/caught.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { databasesSuite } from '#ports/databases.suite.ts';
import { loginName, type DatabaseTarget } from '#ports/databases.ts';
import type { Log } from '#ports/log.ts';
import { managedSuite } from '#ports/managed.suite.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { EmbeddedServer } from './embedded-server.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
const region = 'WESTEUROPE';
const limits = { maxConnections: 10, statementTimeoutMs: 1000, tempFileBytes: 1024, workMemoryBytes: 65_536 };
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'slipway-databases-'));
  // As root the cluster runs as its own user.
  chmodSync(directory, 0o711);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const open = (dataDir: string) => {
  const server = new EmbeddedServer({ dataDir, log: silent, isDurable: false });
  return { server, databases: new PostgresDatabases({ kind: 'embedded', servers: { [region]: server }, mark: 'suite', log: silent }) };
};

const administer = (server: EmbeddedServer) => async (sql: string) => {
  const client = createClient(await server.login());
  await client.connect();
  try {
    return (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
};

managedSuite('embedded databases as managed things', async () => {
  const { server, databases } = open(join(directory, 'managed'));
  const admin = administer(server);
  let count = 0;
  return {
    managed: {
      observe: (target: DatabaseTarget) => databases.observe(target),
      create: (target, wanted) => databases.ensure(target, wanted),
      change: (target, wanted) => databases.limit(target, wanted),
      remove: (target) => databases.drop(target),
    },
    fresh: () => ({ region, database: `managed_${++count}` }),
    wishes: [limits, { ...limits, maxConnections: 20 }],
    fulfills: ({ maxConnections }, wanted) => maxConnections === wanted.maxConnections,
    plant: async ({ database }) => void (await admin(`create database ${database} connection limit 7`)),
    isPlanted: async ({ database }) =>
      (await admin(`select datname::text as name from pg_database where datname = '${database}' and datconnlimit = 7`)).length === 1,
    close: () => databases.close(),
  };
});

databasesSuite('the embedded databases', async () => {
  const { server, databases } = open(join(directory, 'suite'));
  const admin = administer(server);
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

test('it is found again after a restart, and a second replica uses the one that runs', async () => {
  const dataDir = join(directory, 'again');
  const target = { region, database: 'kept_1' };
  const one = open(dataDir);
  await one.databases.ensure(target, limits);
  await one.databases.openLogin(target, 'a', 'secret');
  const endpoint = await one.databases.endpoint(region);
  const login = { host: endpoint.host, port: endpoint.port, user: loginName(target, 'a'), password: 'secret', database: target.database };
  const use = async (sql: string) => {
    const client = createClient(login);
    await client.connect();
    return (await client.query(sql).finally(() => client.end())).rows;
  };
  await use('create table berth as select 5 as id');
  // Like another replica's server: the directory is locked.
  await one.databases.close();
  const two = open(dataDir);
  expect(await two.databases.endpoint(region)).toEqual(endpoint);
  expect(await use('select id from berth')).toEqual([{ id: 5 }]);
  if (process.getuid?.() === 0) expect(statSync(join(dataDir, 'pg')).uid).toBe(60_743);
  // The platform's own role can't log in over TCP.
  const { password } = await two.server.login();
  const intruder = createClient({ ...login, user: 'platform', password, database: 'slipway' });
  await expect(intruder.connect()).rejects.toMatchObject({ code: '28000' });
  await two.databases.close();
});

test('a replica that used the server of another one takes it over, and clients connect again', { timeout: PATIENCE_MS }, async () => {
  const dataDir = join(directory, 'taken-over');
  const target = { region, database: 'kept_2' };
  const [one, two] = [open(dataDir), open(dataDir)];
  await one.databases.ensure(target, limits);
  await one.databases.openLogin(target, 'a', 'secret');
  const { host, port } = await two.databases.endpoint(region);
  await one.databases.close();
  const connects = async (): Promise<boolean> => {
    const client = createClient({ host, port, user: loginName(target, 'a'), password: 'secret', database: target.database });
    const isIn = client.connect().then(
      () => true,
      () => false,
    );
    return (await isIn) && client.end().then(() => true);
  };
  await expect.poll(connects).toBe(true);
  await two.databases.close();
});

test('a session that takes all memory gets an error; the others and the server go on', async () => {
  const server = new EmbeddedServer({ dataDir: join(directory, 'memory'), log: silent, isDurable: false, sessionBytes: 128 * 2 ** 20 });
  const databases = new PostgresDatabases({ kind: 'embedded', servers: { [region]: server }, mark: 'suite', log: silent });
  onTestFinished(() => databases.close());
  const target = { region, database: 'greedy_1' };
  await databases.ensure(target, { ...limits, statementTimeoutMs: 60_000 });
  await databases.openLogin(target, 'a', 'secret');
  const { host, port } = await databases.endpoint(region);
  const connect = async () => {
    const client = createClient({ host, port, user: loginName(target, 'a'), password: 'secret', database: target.database });
    await client.connect();
    return client;
  };
  const [greedy, other] = [await connect(), await connect()];
  const started = async () => (await other.query<{ at: Date }>('select pg_postmaster_start_time() as at')).rows[0]?.at;
  const before = await started();
  await greedy.query(`set work_mem = '200GB'; set max_parallel_workers_per_gather = 0`);
  const sorted = `select count(*) from (select g, array_agg(repeat(md5(g::text), 20)) from generate_series(1, 2000000) g group by g) as held`;
  await expect(greedy.query(sorted)).rejects.toMatchObject({ code: '53200' });
  expect((await greedy.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  expect(await started()).toEqual(before);
  await Promise.all([greedy.end(), other.end()]);
});

test('the database that uses most memory loses sessions before all together exhaust the machine; the others and the server go on', async () => {
  const server = new EmbeddedServer({ dataDir: join(directory, 'shared'), log: silent, isDurable: false, sessionsBytes: 500 * 2 ** 20 });
  const databases = new PostgresDatabases({ kind: 'embedded', servers: { [region]: server }, mark: 'suite', log: silent });
  onTestFinished(() => databases.close());
  const { host, port } = await databases.endpoint(region);
  const open = async (database: string) => {
    const target = { region, database };
    await databases.ensure(target, { ...limits, statementTimeoutMs: 60_000 });
    await databases.openLogin(target, 'a', 'secret');
    return async () => {
      const client = createClient({ host, port, user: loginName(target, 'a'), password: 'secret', database });
      client.on('error', () => {});
      await client.connect();
      return client;
    };
  };
  const [greedy, modest] = [await open('greedy_1'), await open('modest_1')];
  const hold = (bytes: number) => `do $$ declare held text := repeat('x', ${bytes}); begin perform pg_sleep(60); end $$`;
  const other = await modest();
  // The largest single session of all, in the database that uses less: at most half of the limit, also while the text is copied.
  const largest = await modest();
  const kept = largest.query(hold(120_000_000)).catch(errorCode);
  const started = async () => (await other.query<{ at: Date }>('select pg_postmaster_start_time() as at')).rows[0]?.at;
  const before = await started();
  const clients = await mapLimited(Array.from({ length: 8 }), greedy, 8);
  const held = clients.map((client) => client.query(hold(100_000_000)).then(() => 'held', errorCode));
  expect(await Promise.race(held)).toBe('57P01');
  expect(await Promise.race([kept, other.query('select 1').then(() => 'goes on')])).toBe('goes on');
  expect(await started()).toEqual(before);
  await other.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and pid <> pg_backend_pid()');
  for (const client of [...clients, largest, other]) await client.end().catch(() => {});
});

test('who connects and does not sign in holds up nobody’s deletion for long', async () => {
  const { databases } = open(join(directory, 'half-open'));
  const target = { region, database: 'held_1' };
  await databases.ensure(target, limits);
  const { host, port } = await databases.endpoint(region);
  const socket = net.connect(port, host);
  // Version 3.0, the user and a terminator. The server's response asks for authentication, which never arrives.
  const text = Buffer.from(`user\0held_1_a\0database\0held_1\0\0`);
  const start = Buffer.alloc(8);
  start.writeInt32BE(8 + text.length, 0);
  start.writeInt32BE(196_608, 4);
  socket.write(Buffer.concat([start, text]));
  await once(socket, 'data');
  const began = performance.now();
  await databases.drop(target);
  expect(performance.now() - began).toBeLessThan(30_000);
  expect(await databases.list(region)).toEqual([]);
  socket.destroy();
  await databases.close();
});
