/** Backups over HTTP: make, check, restore beside the old database and after its deletion; permissions and rejected requests. */
import fs from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appActivityList, type ActivityPage } from '@slipway/contract/activity.ts';
import {
  databaseBackupCheck,
  databaseBackupCreate,
  databaseBackupDelete,
  databaseBackupList,
  databaseBackupListAll,
  databaseBackupRestore,
  databaseBackupView,
  type DatabaseBackup,
} from '@slipway/contract/database/backup.ts';
import { databaseActivation, databaseCreate, databaseDelete, databaseView, type Database } from '@slipway/contract/database/database.ts';
import { databaseMetrics, databaseSlowQueries, type DatabaseFigures, type SlowQueries } from '@slipway/contract/database/figures.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { pipelineRerun, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { secretGroupView, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { createClient } from '#db/connections.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { fill, ROWS } from './copy/copy.fixture.ts';

const place = { app: 'berth', env: 'development' };
const of = (database: string, backup = ''): { params: Record<string, string> } => ({ params: { ...place, database, backup } });
let app: TestApp;
const call = (route: RouteShape, request: Request = {}) => app.call('member', route, request);

beforeAll(async () => {
  app = await testApp();
  await seedApp(app.database.db, { id: 'berth' });
  const settings = { displayName: 'Plans', storageGb: 32, backupRetentionDays: 7, maxConnections: 20, plan: 'GENERAL_2' };
  const body = { ...settings, name: 'plans', region: 'WESTEUROPE' };
  const run = await app.run('member', databaseCreate, { params: place, body });
  expect(run.status.state).toBe('COMPLETED');
  await inside('plans', fill);
});
afterAll(() => app?.close());

/** Connects as the database's owner. */
const inside = async <Value>(name: string, use: (client: pg.Client) => Promise<Value>): Promise<Value> => {
  const row = await app.database.db.selectFrom('database').select('server_name').where('name', '=', name).executeTakeFirstOrThrow();
  const { host, port, user, password, database, owner } = await app.adapters.databases.maintenance({
    region: 'WESTEUROPE',
    database: row.server_name,
  });
  const client = createClient({ host, port, user, password, database });
  await client.connect();
  try {
    await client.query(`set role ${owner}`);
    return await use(client);
  } finally {
    await client.end();
  }
};
const berths = (name: string) =>
  inside(name, async (client) => {
    const { rows } = await client.query<{ count: number; sum: string }>(
      `select count(*)::integer as count, md5(string_agg(b::text, '' order by "Id")) as sum from "Odd Names"."Berths; drop" as b`,
    );
    return rows[0];
  });
const list = async (name: string): Promise<DatabaseBackup[]> =>
  ((await call(databaseBackupList, of(name))).body as Page<DatabaseBackup>).content;
const view = async (name: string): Promise<Database> => (await call(databaseView, of(name))).body as Database;
const ended = async (name: string, id: string): Promise<DatabaseBackup> => {
  const found = async () => (await call(databaseBackupView, of(name, id))).body as DatabaseBackup;
  await expect
    .poll(
      async () => ['COMPLETED', 'FAILED'].includes((await found()).state) && !['PENDING', 'RUNNING'].includes((await found()).check.state),
      {
        timeout: PATIENCE_MS,
        interval: 100,
      },
    )
    .toBe(true);
  return found();
};
const backUp = async (name: string): Promise<DatabaseBackup> => {
  const made = await call(databaseBackupCreate, of(name));
  expect(made.status).toBe(202);
  return ended(name, (made.body as DatabaseBackup).id);
};
const stepsOf = ({ status }: PipelineRun) => status.steps.map(({ code, state }) => `${code} ${state}`);
const set = (id: string, change: string) => app.database.pool.query(`update database_backup set ${change} where id = $1`, [id]);

test('made now, checked by itself, and shown with the database', async () => {
  const backup = await backUp('plans');
  expect(backup).toMatchObject({ kind: 'ON_DEMAND', state: 'COMPLETED', createdBy: { id: 'mats' }, check: { state: 'PASSED' } });
  expect(backup).toMatchObject({ rows: 20 + ROWS + 2000 + 2 + 1 + 1, can: { delete: true, check: true, restore: true } });
  const { backups } = await view('plans');
  expect(backups).toMatchObject({
    count: 1,
    lastAt: backup.finishedAt,
    lastSizeBytes: backup.sizeBytes,
    lastCheck: 'PASSED',
    warning: null,
  });
  expect(new Date(backups.nextAt ?? 0).getTime()).toBeGreaterThan(Date.now());
  const { content } = (await call(appActivityList, { params: place, query: { type: 'databaseBackupCreate' } })).body as ActivityPage;
  expect(content[0]).toMatchObject({ reason: 'BackupStarted', subject: { kind: 'database' }, actor: { id: 'mats' } });
});

test('restored beside the old one: the same rows, a secret group of its own, and the old one untouched', async () => {
  const before = await berths('plans');
  const [backup] = await list('plans');
  await inside('plans', (client) => client.query('delete from public.moves'));
  const run = await app.run('member', databaseBackupRestore, {
    ...of('plans', backup?.id),
    body: { name: 'plans2', displayName: 'Plans again' },
  });
  expect(stepsOf(run)).toEqual(expect.arrayContaining(['RestoreRows COMPLETED', 'MakeDatabasePassword COMPLETED']));
  expect(await berths('plans2')).toEqual(before);
  expect(await view('plans2')).toMatchObject({ displayName: 'Plans again', storageGb: 32, plan: 'GENERAL_2', active: true });
  const group = (await call(secretGroupView, { params: { ...place, group: 'berth-plans2' } })).body as SecretGroup;
  expect(group).toMatchObject({ kind: 'PLATFORM', services: [] });
  const moves = (name: string) => inside(name, async (client) => (await client.query('select from public.moves')).rowCount);
  expect([await moves('plans'), await moves('plans2')]).toEqual([0, 2000]);
  const taken = await call(databaseBackupRestore, { ...of('plans', backup?.id), body: { name: 'plans2' } });
  expect(errorsOf(taken)).toEqual([409, 'name: DatabaseAlreadyExists']);
});

test('figures and statements of a database that is used', async () => {
  const figures = (await call(databaseMetrics, { ...of('plans'), query: { range: '24h' } })).body as DatabaseFigures;
  expect(figures.points).toHaveLength(288);
  expect(figures.limits).toEqual({ storageBytes: 32 * 2 ** 30, maxConnections: 20 });
  const slow = (await call(databaseSlowQueries, of('plans'))).body as SlowQueries;
  expect(slow.source).toBe('STATEMENTS');
  expect(slow.statements.map(({ share }) => share).every((share) => share > 0 && share <= 1)).toBe(true);
});

test('a damaged file fails the restore, and nothing of the new database is left', async () => {
  const backup = await backUp('plans');
  const file = path.join(app.dataDir, 'database-backups', `${backup.id}.tar.zst`);
  fs.truncateSync(file, 2000);
  const there = await app.adapters.databases.list('WESTEUROPE');
  const request = { ...of('plans', backup.id), body: { name: 'plans3' } };
  const run = await app.run('member', databaseBackupRestore, request);
  expect(run.status.state).toBe('FAILED');
  expect(run.status.steps.find(({ code }) => code === 'RestoreRows')?.message).toMatchObject({ code: 'BackupNotRestored' });
  expect(await app.adapters.databases.list('WESTEUROPE')).toEqual(there);
  // A deleted backup cannot be restored. A rerun fails with that reason.
  expect((await call(databaseBackupDelete, of('plans', backup.id))).status).toBe(204);
  expect(fs.existsSync(file)).toBe(false);
  const again = await app.run('member', pipelineRerun, { params: { pipelineId: run.pipelineId } });
  expect(again.status.steps.find(({ code }) => code === 'RestoreRows')?.message).toMatchObject({ code: 'BackupDoesNotExist' });
  expect((await app.run('member', databaseDelete, of('plans3'))).status.state).toBe('COMPLETED');
});

test('a deleted database is had again from the backup that its deletion made', async () => {
  const before = await berths('plans');
  expect((await app.run('member', databaseDelete, of('plans'))).status.state).toBe('COMPLETED');
  expect((await call(databaseView, of('plans'))).status).toBe(404);
  const left = await list('plans');
  expect(left.every(({ isOfDeleted }) => isOfDeleted)).toBe(true);
  expect(left[0]).toMatchObject({ kind: 'BEFORE_DELETION', state: 'COMPLETED', createdBy: { id: 'mats' } });
  const all = (await call(databaseBackupListAll, { params: place, query: { isOfDeleted: 'true' } })).body as Page<DatabaseBackup>;
  expect(all.content.map(({ id }) => id)).toEqual(left.map(({ id }) => id));
  const run = await app.run('member', databaseBackupRestore, { ...of('plans', left[0]?.id), body: { name: 'plans' } });
  expect(run.status.state).toBe('COMPLETED');
  expect(await berths('plans')).toEqual(before);
  expect((await view('plans')).backups.count).toBe(0);
});

test('what is under way is left alone, and what is not whole is not restored', async () => {
  const [backup] = await list('plans');
  const id = backup?.id ?? '';
  // Holds the lock, as a runner on another replica would.
  const holder = createClient(app.database.config);
  await holder.connect();
  await expect
    .poll(
      async () => (await holder.query(`select pg_try_advisory_lock(hashtextextended('slipway:database-backups', 0)) as held`)).rows[0],
      {
        timeout: PATIENCE_MS,
      },
    )
    .toEqual({ held: true });
  await set(id, `check_state = 'RUNNING'`);
  expect(errorsOf(await call(databaseBackupDelete, of('plans', id)))).toEqual([409, 'undefined: BackupInUse']);
  expect(errorsOf(await call(databaseBackupCheck, of('plans', id)))).toEqual([409, 'undefined: BackupInUse']);
  await set(id, `check_state = 'PASSED', state = 'FAILED'`);
  const body = { name: 'plans4' };
  expect(errorsOf(await call(databaseBackupRestore, { ...of('plans', id), body }))).toEqual([409, 'undefined: BackupNotComplete']);
  expect(errorsOf(await call(databaseBackupCheck, of('plans', id)))).toEqual([409, 'undefined: BackupNotComplete']);
  await set(id, `state = 'COMPLETED'`);
  expect((await call(databaseBackupCreate, of('plans2'))).status).toBe(202);
  expect(errorsOf(await call(databaseBackupCreate, of('plans2')))).toEqual([409, 'undefined: BackupAlreadyPending']);
  expect((await call(databaseBackupCheck, of('plans', id))).body).toMatchObject({ check: { state: 'PENDING' } });
  await holder.end();
  expect((await ended('plans', id)).check.state).toBe('PASSED');
});

test('an inactive database is not backed up, and one that is not there has no backups', async () => {
  expect((await app.run('member', databaseActivation, { ...of('plans2'), body: { active: false } })).status.state).toBe('COMPLETED');
  expect(errorsOf(await call(databaseBackupCreate, of('plans2')))).toEqual([409, 'undefined: DatabaseInactive']);
  expect((await view('plans2')).backups.nextAt).toBe(null);
  for (const route of [databaseBackupList, databaseBackupCreate, databaseMetrics, databaseSlowQueries])
    expect(errorsOf(await call(route, of('nothing')))).toEqual([404, 'undefined: DatabaseDoesNotExist']);
  expect(errorsOf(await call(databaseBackupView, of('plans', 'dbb_none')))).toEqual([404, 'undefined: BackupDoesNotExist']);
});

test('strangers do not learn that there are any', async () => {
  const [backup] = await list('plans');
  for (const route of [
    databaseBackupList,
    databaseBackupView,
    databaseBackupCreate,
    databaseBackupCheck,
    databaseBackupDelete,
    databaseMetrics,
  ]) {
    const answer = await app.call('stranger', route, of('plans', backup?.id));
    expect(errorsOf(answer), route.id).toEqual([404, 'undefined: MISSING_RESOURCE']);
  }
  expect(await sql`select from database_backup where id = ${backup?.id}`.execute(app.database.db)).toMatchObject({ rows: [{}] });
});

test('a database of which no last backup can be made is kept, until it is deactivated', async () => {
  await inside('plans', (client) => client.query('create aggregate public.total (integer) (sfunc = int4pl, stype = integer)'));
  const refused = await app.run('member', databaseDelete, of('plans'));
  expect(refused.status.steps.find(({ code }) => code === 'BackUpDatabase')?.message).toMatchObject({ code: 'LastBackupFailed' });
  expect(await view('plans')).toMatchObject({ active: true });
  expect(await inside('plans', async (client) => (await client.query('select 1')).rowCount)).toBe(1);
  await app.run('member', databaseActivation, { ...of('plans'), body: { active: false } });
  const deleted = await app.run('member', databaseDelete, of('plans'));
  expect(stepsOf(deleted)).toEqual(expect.arrayContaining(['BackUpDatabase SKIPPED', 'DropDatabase COMPLETED']));
});
