// @long (shared process): tries rare cases that take long
/** The read-only login of a database over HTTP, on a real server: turning it on and off, its secret group, rotation, and a restore. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseBackupCreate, databaseBackupList, databaseBackupRestore, type DatabaseBackup } from '@slipway/contract/database/backup.ts';
import {
  databaseActivation,
  databaseCreate,
  databaseDelete,
  databaseFormerPasswordEnd,
  databaseReadKeys,
  databaseReader,
  databaseRotate,
  databaseSecretKeys,
  databaseUpdate,
  databaseView,
  type Database,
} from '@slipway/contract/database/database.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { planTextOf, type Plan } from '@slipway/contract/pipeline/plan.ts';
import {
  secretGroupCreate,
  secretGroupDelete,
  secretGroupView,
  secretReveal,
  serviceSecretGroupAttach,
  serviceSecretGroupDetach,
  type SecretGroup,
} from '@slipway/contract/secret/secret-group.ts';
import { createClient } from '#db/connections.ts';
import type { Databases } from '#ports/databases.ts';
import { PortFailure } from '#ports/failure.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { seedApp, seedService } from '#testing/fixtures.ts';
import { PATIENCE_MS } from '#testing/patience.ts';

let app: TestApp;
let engine: FaultyPort<Databases>;
const place = { app: 'berth', env: 'development' };
const settings = { displayName: 'Plans', storageGb: 32, backupRetentionDays: 7, maxConnections: 20, plan: 'BURSTABLE_1' };
const requestOf = (request: Request): Request => ({ ...request, params: { ...place, ...request.params } });
const call = (route: RouteShape, request: Request = {}) => app.call('member', route, requestOf(request));
const run = (route: RouteShape, request: Request = {}) => app.run('member', route, requestOf(request));
const plans = (body?: object): Request => ({ params: { database: 'plans' }, ...(body ? { body } : {}) });
const view = async (database = 'plans') => (await call(databaseView, { params: { database } })).body as Database;
const completed = async (route: RouteShape, request: Request): Promise<PipelineRun> => {
  const ended = await run(route, request);
  expect(ended.status).toMatchObject({ state: 'COMPLETED' });
  return ended;
};
const planned = async (route: RouteShape, request: Request): Promise<readonly string[]> => {
  const { body } = await call(route, { ...request, query: { dryRun: true } });
  return (body as Plan).consequences.map(planTextOf);
};

beforeAll(async () => {
  app = await testApp({
    databaseTimings: { tickMs: 50, everyMs: 200 },
    adapt: (adapters) => {
      engine = faultyPort(adapters.databases);
      return { ...adapters, databases: engine.port };
    },
  });
  await seedApp(app.database.db, { id: 'berth' });
  await seedService(app.database.db, { app: 'berth' });
  await completed(databaseCreate, { body: { ...settings, name: 'plans', region: 'WESTEUROPE' } });
});
afterAll(() => app?.close());

const reveal = async (group: string, key: string, version: number): Promise<string> => {
  const reason = 'The test connects with it';
  const { body } = await call(secretReveal, { params: { group }, body: { key, version, reason } });
  return (body as { value: string }).value;
};
/** Connects as a service would: with the URL of a version of a secret group. */
const connect = async (group: string, key: string, version: number): Promise<pg.Client> => {
  const client = createClient({ connectionString: await reveal(group, key, version), application_name: 'report' });
  await client.connect();
  return client;
};
const ask = async (group: string, key: string, version: number, sql: string): Promise<unknown[]> => {
  const client = await connect(group, key, version);
  return (await client.query<Record<string, unknown>>(sql).finally(() => client.end())).rows;
};
const write = (sql: string, version = 1) => ask('berth-plans', 'DB_URL', version, sql);
const read = (sql: string, version = 1) => ask('berth-plans-read', 'DB_READ_URL', version, sql);

test('a dry run says what turning it on does, and changes nothing', async () => {
  expect(await planned(databaseReader, plans({ active: true }))).toEqual([
    'Makes a login that reads every table of plans, also later ones, and writes nothing.',
    'Makes the secret group berth-plans-read. Its keys allow reading only.',
    'The read-only login gets 4 of the 20 connections. 16 are left for the services that write.',
  ]);
  const rows = await app.database.db.selectFrom('database').select(['reader_group', 'reader_version']).execute();
  expect(rows).toEqual([{ reader_group: null, reader_version: null }]);
  expect(await view()).toMatchObject({ reader: null, can: { setReader: true } });
});

test('a secret group of a person that has the name is kept', async () => {
  await call(secretGroupCreate, { body: { name: 'berth-plans-read', entries: [{ key: 'MINE', value: 'kept' }] } });
  expect(errorsOf(await call(databaseReader, plans({ active: true })))).toEqual([409, 'secretGroup: SecretGroupAlreadyExists']);
  await call(secretGroupDelete, { params: { group: 'berth-plans-read' } });
});

test('a failure leaves it off, and a person cannot take the name of its group meanwhile', async () => {
  const refused = new PortFailure('rejected', 'no', { code: 'DatabaseServerRefused', context: { reason: 'permission denied' } });
  engine.next('openLogin', () => Promise.reject(refused));
  expect((await run(databaseReader, plans({ active: true }))).status.state).toBe('FAILED');
  expect(await view()).toMatchObject({ reader: null, can: { setReader: true } });
  const taken = await call(secretGroupCreate, { body: { name: 'berth-plans-read', entries: [{ key: 'MINE', value: 'new' }] } });
  expect(errorsOf(taken)).toEqual([409, 'name: SecretGroupAlreadyExists']);
});

test('a group of its name that a person created at the same moment is not written over', async () => {
  await call(secretGroupCreate, { body: { name: 'berth-early', entries: [{ key: 'MINE', value: 'kept' }] } });
  engine.next('openLogin', async (...input) => {
    // The name is reserved, so only a transaction that began before the reservation can take it.
    await app.database.pool.query(`update secret_group set name = 'berth-plans-read' where name = 'berth-early'`);
    const [target, login, password] = input as Parameters<Databases['openLogin']>;
    await app.adapters.databases.openLogin(target, login, password);
  });
  const failed = await run(databaseReader, plans({ active: true }));
  expect(failed.statusMessage).toBe('Somebody made a secret group berth-plans-read meanwhile. Delete that group and run again.');
  expect((await call(secretGroupView, { params: { group: 'berth-plans-read' } })).body).toMatchObject({ kind: 'USER', version: 1 });
  expect(await view()).toMatchObject({ reader: null });
  await call(secretGroupDelete, { params: { group: 'berth-plans-read' } });
});

test('a service that has its group reads every table and writes none', async () => {
  await write('create table berth as select 7 as id');
  await completed(databaseReader, plans({ active: true }));
  expect(await view()).toMatchObject({
    reader: { secretGroup: 'berth-plans-read', user: expect.stringMatching(/_reader_a$/) as string, version: 1, maxConnections: 4 },
  });
  await write('create table later as select 8 as id');
  expect(await read('select id from berth union select id from later order by id')).toEqual([{ id: 7 }, { id: 8 }]);
  await expect(read('begin read write; delete from berth')).rejects.toMatchObject({ code: '42501' });
  const { keys } = (await call(secretGroupView, { params: { group: 'berth-plans-read' } })).body as SecretGroup;
  expect(keys.map(({ key }) => key).toSorted()).toEqual([...databaseReadKeys].toSorted());
  expect(databaseReadKeys).toHaveLength(databaseSecretKeys.length);
  expect(await reveal('berth-plans-read', 'DB_READ_PASSWORD', 1)).not.toBe(await reveal('berth-plans', 'DB_PASSWORD', 1));
  expect(errorsOf(await call(databaseReader, plans({ active: true })))).toEqual([409, 'undefined: NothingChanged']);
});

test('its connections are counted, and large objects that it creates are deleted', async () => {
  const client = await connect('berth-plans-read', 'DB_READ_URL', 1);
  await expect
    .poll(async () => (await view()).status.connectionsBy, { timeout: PATIENCE_MS })
    .toEqual([{ application: 'report', count: 1, isFormer: false, isReader: true }]);
  // Clearing ends the sessions that could hold a lock on the object.
  const ended = new Promise((resolve) => client.once('error', resolve));
  await client.query('begin read write; select lo_create(0); commit');
  await ended;
  await expect.poll(() => read('select oid from pg_largeobject_metadata'), { timeout: PATIENCE_MS }).toEqual([]);
});

test('a change of the connections changes its share', async () => {
  await completed(databaseUpdate, plans({ ...settings, maxConnections: 30 }));
  expect(await view()).toMatchObject({ reader: { maxConnections: 6 } });
  const database = (await view()).connection?.database ?? '';
  expect(await app.adapters.databases.observe({ region: 'WESTEUROPE', database })).toMatchObject({ maxConnections: 24 });
});

test('it gets a new password with the other login, and the former one works as long', async () => {
  expect(await planned(databaseRotate, plans({ overlapHours: 1 }))).toEqual([
    'Makes a new password as a new version of berth-plans. A service uses it once it is restarted.',
    'Makes a new password of the read-only login, too, as a new version of berth-plans-read.',
    'The former password works for 1 h more.',
  ]);
  await completed(databaseRotate, plans({ overlapHours: 1 }));
  expect(await view()).toMatchObject({
    credentials: { version: 2 },
    reader: { version: 2, user: expect.stringMatching(/_reader_b$/) as string },
  });
  expect([await read('select id from berth', 1), await read('select id from berth', 2)]).toEqual([[{ id: 7 }], [{ id: 7 }]]);
  await call(databaseFormerPasswordEnd, plans());
  await expect.poll(async () => (await view()).credentials?.former, { timeout: PATIENCE_MS }).toBeNull();
  await expect(read('select 1', 1)).rejects.toMatchObject({ code: '28P01' });
  expect(await read('select id from berth', 2)).toEqual([{ id: 7 }]);
});

test('a deactivated database refuses it, and does not turn it on', async () => {
  await completed(databaseActivation, plans({ active: false }));
  await expect(read('select 1', 2)).rejects.toMatchObject({ code: '42501' });
  await completed(databaseReader, plans({ active: false }));
  expect(errorsOf(await call(databaseReader, plans({ active: true })))).toEqual([409, 'undefined: DatabaseInactive']);
  await completed(databaseActivation, plans({ active: true }));
  await completed(databaseReader, plans({ active: true }));
  expect(await read('select id from berth', 1)).toEqual([{ id: 7 }]);
});

test('a database that is restored from a backup has one of its own', async () => {
  await call(databaseBackupCreate, plans());
  const newest = async () => ((await call(databaseBackupList, plans())).body as Page<DatabaseBackup>).content[0];
  await expect.poll(newest, { timeout: PATIENCE_MS }).toMatchObject({ state: 'COMPLETED', check: { state: 'PASSED' } });
  const params = { database: 'plans', backup: (await newest())?.id ?? '' };
  await completed(databaseBackupRestore, { params, body: { name: 'again' } });
  expect(await view('again')).toMatchObject({ reader: { secretGroup: 'berth-again-read', version: 1 } });
  expect(await ask('berth-again-read', 'DB_READ_URL', 1, 'select id from berth')).toEqual([{ id: 7 }]);
  await expect(ask('berth-again-read', 'DB_READ_URL', 1, 'begin read write; delete from berth')).rejects.toMatchObject({ code: '42501' });
});

test('it stays while a service has its group, and then ends with its connections and its group', async () => {
  const service = { service: 'berth' };
  await call(serviceSecretGroupAttach, { params: { ...service, group: 'berth-plans-read' }, body: {} });
  const kept = [409, 'undefined: SecretIsReferencedInAtLeastOneStack'];
  expect(errorsOf(await call(databaseReader, plans({ active: false })))).toEqual(kept);
  expect(errorsOf(await call(databaseDelete, plans()))).toEqual(kept);
  await call(serviceSecretGroupDetach, { params: { ...service, group: 'berth-plans-read' } });
  expect(await planned(databaseReader, plans({ active: false }))).toEqual([
    'Ends the read-only login and its connections, and deletes the secret group berth-plans-read.',
    'All 30 connections are for the services that write again.',
  ]);
  const url = await reveal('berth-plans-read', 'DB_READ_URL', 1);
  const open = await connect('berth-plans-read', 'DB_READ_URL', 1);
  const gone = new Promise((resolve) => void open.once('end', resolve));
  await completed(databaseReader, plans({ active: false }));
  await gone;
  await expect(createClient({ connectionString: url }).connect()).rejects.toMatchObject({ code: '28P01' });
  expect((await call(secretGroupView, { params: { group: 'berth-plans-read' } })).status).toBe(404);
  expect(await view()).toMatchObject({ reader: null });
});

test('it is deleted with its database', async () => {
  expect(await planned(databaseDelete, { params: { database: 'again' } })).toContain(
    'Ends the read-only login and its connections, and deletes the secret group berth-again-read.',
  );
  await completed(databaseDelete, { params: { database: 'again' } });
  expect((await call(secretGroupView, { params: { group: 'berth-again-read' } })).status).toBe(404);
  expect((await app.adapters.databases.list('WESTEUROPE')).filter((name) => name.startsWith('again_'))).toEqual([]);
});
