import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Log } from '#ports/log.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { migrate, readMigrations } from './migrator.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };

let database: TestDatabase;
let directory: string;
const run = () => migrate(database.config, { log, directory });

beforeAll(async () => {
  database = await testDatabase({ isEmpty: true });
});
afterAll(() => database.drop());

beforeEach(async () => {
  await database.pool.query('drop schema public cascade; create schema public');
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-migrations-'));
  write('0001_boat', 'create table boat (id text primary key)');
  write('0004_berth', `create table berth (id text primary key); insert into boat values ('tug')`);
  return () => fs.rmSync(directory, { recursive: true });
});

const write = (name: string, sql: string) => fs.writeFileSync(path.join(directory, `${name}.sql`), sql);
const rows = async (sql: string) => (await database.pool.query<Record<string, unknown>>(sql)).rows;

test('runs in order, over gaps, and only once', async () => {
  expect(await run()).toEqual(['0001_boat', '0004_berth']);
  expect(await run()).toEqual([]);
  expect(await rows('select id from boat')).toEqual([{ id: 'tug' }]);
});

test('takes a pool as well', async () => {
  expect(await migrate(database.pool, { log, directory })).toHaveLength(2);
});

test('runs what came later, even under a lower number', async () => {
  await run();
  write('0002_quay', 'create table quay (id text)');
  write('0005_crane', 'create table crane (id text)');
  expect(await run()).toEqual(['0002_quay', '0005_crane']);
});

test('a migration that fails leaves no trace of itself, keeps those before it, and names its file', async () => {
  write('0005_crane', 'create table crane (id text); insert into nowhere values (1)');
  await expect(run()).rejects.toThrow('0005_crane.sql: relation "nowhere" does not exist');
  expect(await rows(`select to_regclass('crane') as crane`)).toEqual([{ crane: null }]);
  expect(await rows('select number from schema_migration order by number')).toEqual([{ number: 1 }, { number: 4 }]);
});

test('a file that changed after it ran is refused', async () => {
  await run();
  write('0001_boat', 'create table boat (id integer primary key)');
  await expect(run()).rejects.toThrow('0001_boat.sql was changed after it ran on this database');
});

test('other line ends are no change', async () => {
  write('0005_crane', 'create table crane (\n  id text\n)');
  await run();
  write('0005_crane', 'create table crane (\r\n  id text\r\n)');
  expect(await run()).toEqual([]);
});

test('a database of a newer version is refused', async () => {
  await run();
  fs.rmSync(path.join(directory, '0004_berth.sql'));
  await expect(run()).rejects.toThrow('The database has migration 0004_berth, which this version of Slipway does not know');
});

test('two files with one number and wrong names are refused', () => {
  write('0004_crane', 'select 1');
  expect(() => readMigrations(directory)).toThrow('0004_berth and 0004_crane have the same number');
  fs.renameSync(path.join(directory, '0004_crane.sql'), path.join(directory, '4_crane.sql'));
  expect(() => readMigrations(directory)).toThrow('4_crane.sql is not named NNNN_name.sql');
});

test('four processes that start at once on an empty database run each migration once', async () => {
  write('0001_boat', 'select pg_sleep(0.05); create table boat (id text primary key)');
  write('0005_index', 'create index on boat (id)');
  const module = fileURLToPath(new URL('migrator.ts', import.meta.url));
  const script = `import { migrate } from ${JSON.stringify(module)};
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const [, config, directory] = process.argv;
    process.stdin.once('data', async () => { console.log(JSON.stringify(await migrate(JSON.parse(config), { log, directory }))); process.exit(); });
    console.error('ready');`;
  const args = ['--input-type=module', '-e', script, JSON.stringify(database.config), directory];
  const children = Array.from({ length: 4 }, () => spawn(process.execPath, args));
  await Promise.all(children.map((child) => once(child.stderr, 'data')));
  const lines = children.map(async (child) => ((await once(createInterface(child.stdout), 'line')) as [string])[0]);
  for (const child of children) child.stdin.write('go');
  const ran = (await Promise.all(lines)).flatMap((line) => JSON.parse(line) as string[]);
  expect(ran.sort()).toEqual(['0001_boat', '0004_berth', '0005_index']);
});

test('carries on after the database dropped its connection', async () => {
  write('0005_slow', 'select pg_sleep(0.3); create table slow (id text)');
  const lost: string[] = [];
  const migrating = migrate(database.config, { log: { ...log, warn: (_, message) => lost.push(message) }, directory });
  await killSession(`query like 'select pg_sleep(0.3)%'`);
  expect(await migrating).toEqual(['0001_boat', '0004_berth', '0005_slow']);
  expect(lost).toHaveLength(1);
});

test('gives up when the database stays away', async () => {
  const nowhere = migrate({ ...database.config, host: path.join(os.tmpdir(), 'nowhere') }, { log, directory, timeoutMs: 300 });
  await expect(nowhere).rejects.toMatchObject({ code: 'ENOENT' });
});

test('waits for another migrator, but not for ever', async () => {
  const other = new pg.Client(database.config);
  await other.connect();
  await other.query(`select pg_advisory_lock(hashtextextended('slipway:migrate', 0))`);
  await expect(migrate(database.config, { log, directory, timeoutMs: 200 })).rejects.toThrow('Another process');
  const waiting = run();
  await other.end();
  expect(await waiting).toHaveLength(2);
});

/** Ends the session that matches the condition, as soon as there is one. */
async function killSession(condition: string): Promise<void> {
  const sql = `select pg_terminate_backend(pid) from pg_stat_activity where ${condition} and state = 'active' and pid <> pg_backend_pid()`;
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await database.pool.query(sql)).rowCount) if (performance.now() > deadline) throw new Error('No such session');
}
