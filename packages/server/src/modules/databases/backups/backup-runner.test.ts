// @long: tries rare cases that take long
/** Backups on a real server: made when due, checked by restoring them, resumed after a kill, and deleted when they expire. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { EmbeddedServer } from '#adapters/databases-embedded/embedded-server.ts';
import { PostgresDatabases } from '#adapters/databases-postgres/postgres-databases.ts';
import { createClient } from '#db/connections.ts';
import { noFloor, type Floor } from '#kernel/disk-floor.ts';
import { noSpace } from '#kernel/no-space.ts';
import { loginName } from '#ports/databases.ts';
import type { Log } from '#ports/log.ts';
import { seedPeople } from '#testing/actors.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { seedApp } from '#testing/fixtures.ts';
import { BackupFiles } from './backup-files.ts';
import { BackupRunner, type BackupRunnerDeps } from './backup-runner.ts';
import { makeBackup, takeUp } from './backup-work.sql.ts';
import { backupPage } from './backups.sql.ts';
import { fill, ROWS } from './copy/copy.fixture.ts';
import { findPgDump } from './copy/pg-programs.fixture.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
const region = 'WESTEUROPE';
const target = { region, database: 'plans_k3f9a2xq' };
const place = { app: 'yard', environment: 'development', database: 'plans' } as const;
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-backups-'));
const pgDump = await findPgDump();
const backupsAt = path.join(directory, 'backups');
let platform: TestDatabase;
let databases: PostgresDatabases;
let runner: BackupRunner;
const files = new BackupFiles({ directory: backupsAt, floor: noFloor });

const newRunner = (more: Partial<BackupRunnerDeps> = {}): BackupRunner =>
  new BackupRunner({ db: platform.db, pool: platform.pool, databases, files, version: '1.2.3', log: silent, ...more });
const asLogin = async <Value>(use: (client: pg.Client) => Promise<Value>): Promise<Value> => {
  await databases.openLogin(target, 'a', 'secret');
  const { host, port } = await databases.endpoint(region);
  const client = createClient({ host, port, user: loginName(target, 'a'), password: 'secret', database: target.database });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
};
const all = async () => (await backupPage(platform.db, place, { page: 0, size: 100 })).content;
const newest = async () => (await all())[0];
const make = () => makeBackup(platform.db, { databaseId: 'db_1', kind: 'ON_DEMAND', by: { id: 'olga', displayName: 'Olga Owner' } });
/** Returns the types of the events that notify the team. */
const noticeTypes = async (): Promise<string[]> => {
  const { rows } = await sql<{ type: string }>`select type from notification_event where team_id is not null order by at`.execute(
    platform.db,
  );
  return rows.map(({ type }) => type);
};
const warnings = async () =>
  (await sql<{ reason: string }>`select reason from activity order by id`.execute(platform.db)).rows.map(({ reason }) => reason);

beforeAll(async () => {
  fs.chmodSync(directory, 0o711);
  platform = await testDatabase();
  await seedPeople(platform.db);
  await seedApp(platform.db, { id: 'yard' });
  const server = new EmbeddedServer({ dataDir: path.join(directory, 'databases'), log: silent, isDurable: false });
  databases = new PostgresDatabases({ kind: 'embedded', servers: { [region]: server }, mark: 'test', log: silent });
  await databases.ensure(target, { maxConnections: 10, statementTimeoutMs: 30_000, tempFileBytes: 2 ** 30, workMemoryBytes: 2 ** 22 });
  await asLogin(fill);
  await sql`insert into database (id, app_id, environment, name, display_name, region, plan, storage_gb, max_connections,
      backup_retention_days, state, secret_group, server_name, created_at, created_by, created_by_name)
    values ('db_1', 'yard', 'development', 'plans', 'Plans', ${region}, 'GENERAL_2', 32, 100, 7, 'ACTIVE', 'yard-plans',
      ${target.database}, now() - interval '3 days', 'olga', 'Olga Owner')`.execute(platform.db);
  runner = newRunner();
});
beforeEach(async () => {
  await sql`delete from activity`.execute(platform.db);
});
afterAll(async () => {
  await databases?.close();
  await platform?.drop();
  fs.rmSync(directory, { recursive: true, force: true });
});

test('a night is made up for, the backup is checked, and the log says that one was missed', async () => {
  await runner.sweep();
  const backup = await newest();
  expect(backup).toMatchObject({ kind: 'SCHEDULED', state: 'COMPLETED', tables: 7, rows: 20 + ROWS + 2000 + 2 + 1 + 1, failure: null });
  expect(backup).toMatchObject({ check: { state: 'PASSED', failure: null }, serverVersion: await databases.version(region) });
  expect(backup).toMatchObject({ platformVersion: '1.2.3', createdBy: null, isOfDeleted: false });
  expect(fs.statSync(files.fileOf(backup?.id ?? '')).size).toBe(backup?.sizeBytes);
  expect(await databases.list(region)).toEqual([target.database]);
  expect(await warnings()).toEqual(['BackupMissed']);
  expect((await noticeTypes()).at(-1)).toBe('backup.missed');
  // Scheduled backups run once a night.
  await newRunner().sweep();
  expect(await all()).toHaveLength(1);
});

test('one of a database at a time', async () => {
  expect(await make()).toBeDefined();
  expect(await make()).toBeUndefined();
  await runner.sweep();
  expect(await newest()).toMatchObject({ kind: 'ON_DEMAND', state: 'COMPLETED', createdBy: { id: 'olga' }, check: { state: 'PASSED' } });
});

test('rows that a policy hides even from the owner are in it', async () => {
  await asLogin((client) => client.query('alter table public.harbours force row level security'));
  await make();
  await runner.sweep();
  expect(await newest()).toMatchObject({ state: 'COMPLETED', rows: 20 + ROWS + 2000 + 2 + 1 + 1, check: { state: 'PASSED' } });
});

test('what a copy would leave out fails it by name without pg_dump, in the log too, and leaves no file', async () => {
  vi.stubEnv('PATH', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  await asLogin((client) => client.query('create aggregate public.total (integer) (sfunc = int4pl, stype = integer)'));
  const id = await make();
  await runner.sweep();
  const objects = 'function public.total(integer)';
  expect(await newest()).toMatchObject({ state: 'FAILED', failure: { code: 'NotCopied', context: { objects } } });
  expect(fs.existsSync(files.fileOf(id ?? ''))).toBe(false);
  expect(await warnings()).toEqual(['BackupFailed']);
  expect((await noticeTypes()).at(-1)).toBe('backup.failed');
  await asLogin((client) => client.query('drop aggregate public.total (integer)'));
});

test.skipIf(pgDump === undefined)('what only pg_dump can copy is copied by it, and restored with the rights of the app', async () => {
  vi.stubEnv('PATH', path.dirname(pgDump ?? ''));
  onTestFinished(() => void vi.unstubAllEnvs());
  await asLogin((client) =>
    client.query(`alter table public.harbours no force row level security;
      create aggregate public.total (integer) (sfunc = int4pl, stype = integer); select lo_create(4711)`),
  );
  await make();
  await runner.sweep();
  expect(await newest()).toMatchObject({ state: 'COMPLETED', rows: 20 + ROWS + 2000 + 2 + 1 + 1, check: { state: 'PASSED' } });
  await asLogin((client) => client.query('drop aggregate public.total (integer); select lo_unlink(4711)'));
});

test('one whose file is damaged fails its check', async () => {
  const backup = (await all()).find(({ state }) => state === 'COMPLETED');
  const id = backup?.id ?? '';
  fs.truncateSync(files.fileOf(id), 1000);
  await sql`update database_backup set check_state = 'PENDING' where id = ${id}`.execute(platform.db);
  await runner.sweep();
  expect((await all()).find((one) => one.id === id)?.check).toMatchObject({ state: 'FAILED', failure: { code: 'FileDamaged' } });
  expect(await warnings()).toEqual(['BackupCheckFailed']);
  expect((await noticeTypes()).at(-1)).toBe('backup.unrestorable');
});

test('a backup of any size is checked; one whose check has no time or no disk says that it was not, and why', async () => {
  const check = async (more: Partial<BackupRunnerDeps>) => {
    await sql`update database_backup set check_state = 'PENDING', size_bytes = 300 * 1024 * 1024 where id = ${id}`.execute(platform.db);
    await newRunner(more).sweep();
    return (await newest())?.check;
  };
  const id = (await make()) ?? '';
  await runner.sweep();
  expect(await check({ checkMinutes: 0 })).toMatchObject({
    state: 'SKIPPED',
    failure: { code: 'CheckOutOfTime', context: { minutes: '0' } },
  });
  const full: Floor = { require: () => Promise.reject(noSpace()) };
  const unroomy = new BackupFiles({ directory: backupsAt, floor: full });
  expect(await check({ files: unroomy })).toMatchObject({ state: 'SKIPPED', failure: { code: 'PlatformDiskFull' } });
  expect(await warnings()).toEqual(['BackupNotChecked', 'BackupNotChecked']);
  expect(await databases.list(region)).toEqual([target.database]);
  expect(await check({})).toMatchObject({ state: 'PASSED', failure: null });
  // A replica of an earlier version leaves this state, because it checks no backup of this size.
  await sql`update database_backup set check_state = 'SKIPPED', checked_at = null where id = ${id}`.execute(platform.db);
  await newRunner().sweep();
  expect((await newest())?.check).toMatchObject({ state: 'PASSED' });
});

test('what a killed runner had begun is done by the next, and neither half files nor scratch databases stay', async () => {
  const id = (await make()) ?? '';
  await sql`update database_backup set state = 'RUNNING', attempts = 1 where id = ${id}`.execute(platform.db);
  for (const name of [`.${id}.tar.zst.4711.part`, `${id}.tar.zst`, 'dbb_of_nobody.tar.zst'])
    fs.writeFileSync(path.join(backupsAt, name), 'half');
  const scratch = { region, database: 'slipway_check_left' };
  await databases.ensure(scratch, { maxConnections: 5, statementTimeoutMs: 0, tempFileBytes: 0, workMemoryBytes: 2 ** 20 });
  await newRunner().sweep();
  expect(await newest()).toMatchObject({ id, state: 'COMPLETED', check: { state: 'PASSED' } });
  const kept = (await all()).filter(({ state }) => state === 'COMPLETED').map((one) => `${one.id}.tar.zst`);
  expect(fs.readdirSync(backupsAt).toSorted()).toEqual(kept.toSorted());
  expect(await databases.list(region)).toEqual([target.database]);
});

test('the third time it is given up', async () => {
  const id = (await make()) ?? '';
  await sql`update database_backup set state = 'RUNNING', attempts = 3 where id = ${id}`.execute(platform.db);
  await takeUp(platform.db);
  expect(await newest()).toMatchObject({ id, state: 'FAILED', failure: { code: 'Interrupted', context: { attempts: '3' } } });
});

test('a runner that is stopped at work leaves it to the next, as if it had not begun', async () => {
  const id = await make();
  const stopping = new AbortController();
  const sweeping = newRunner().sweep(stopping.signal);
  await expect.poll(async () => (await newest())?.state, { timeout: 30_000, interval: 5 }).not.toBe('PENDING');
  stopping.abort();
  await sweeping;
  const left = await newest();
  // If the backup finished before the stop, there is nothing to resume.
  if (left?.state !== 'COMPLETED') expect(left).toMatchObject({ id, state: 'PENDING' });
  await runner.sweep();
  expect(await newest()).toMatchObject({ id, state: 'COMPLETED', check: { state: 'PASSED' } });
});

test('too old ones go with their files; the last good one of a database stays', async () => {
  const before = await all();
  const good = before.filter(({ state }) => state === 'COMPLETED');
  expect(good.length).toBeGreaterThan(1);
  await sql`update database_backup set expires_at = now() - interval '1 minute'`.execute(platform.db);
  await runner.sweep();
  expect((await all()).map(({ id }) => id)).toEqual([good[0]?.id]);
  expect(fs.readdirSync(backupsAt)).toEqual([`${good[0]?.id}.tar.zst`]);
});
