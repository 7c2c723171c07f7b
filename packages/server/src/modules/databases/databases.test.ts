/** Databases over HTTP on a real server: every field and rule, the pipelines, and the leftovers when one fails. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import { applicationDelete } from '@slipway/contract/application.ts';
import {
  databaseActivation,
  databaseCreate,
  databaseDelete,
  databaseFormerPasswordEnd,
  databaseList,
  databaseOptionsView,
  databaseRotate,
  databaseSecretKeys,
  databaseUpdate,
  databaseView,
  type Database,
} from '@slipway/contract/database/database.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { isActive, pipelineRerun, pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { planTextOf, type Plan } from '@slipway/contract/pipeline/plan.ts';
import { stepMessageOf } from '@slipway/contract/pipeline/steps.ts';
import {
  secretGroupCreate,
  secretGroupDelete,
  secretGroupView,
  secretReveal,
  secretVersionCreate,
  serviceSecretGroupAttach,
  serviceSecretGroupDetach,
  serviceSecretGroupList,
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
});
afterAll(() => app?.close());

const place = { app: 'berth', env: 'development' };
const wanted = (name: string, more: object = {}) => ({
  name,
  displayName: `Berth ${name}`,
  region: 'WESTEUROPE',
  plan: 'BURSTABLE_1',
  storageGb: 32,
  maxConnections: 20,
  backupRetentionDays: 7,
  ...more,
});
const call = (route: RouteShape, request: Request = {}) =>
  app.call('member', route, { ...request, params: { ...place, ...request.params } });
const run = (route: RouteShape, request: Request = {}) => app.run('member', route, { ...request, params: { ...place, ...request.params } });
const create = (name: string, more: object = {}) => run(databaseCreate, { body: wanted(name, more) });
const view = async (name: string) => (await call(databaseView, { params: { database: name } })).body as Database;
const made = async (name: string, more: object = {}): Promise<Database> => {
  expect(await create(name, more)).toMatchObject({ status: { state: 'COMPLETED' } });
  return view(name);
};
const named = (database: string, body?: object): Request => ({ params: { database }, ...(body ? { body } : {}) });
const update = ({ displayName, storageGb, maxConnections, backupRetentionDays, plan }: Database, more: object) => ({
  displayName,
  storageGb,
  maxConnections,
  backupRetentionDays,
  plan,
  ...more,
});
const stepsOf = (ended: PipelineRun) => ended.status.steps.map(({ code, state }) => `${code} ${state}`);
const failureOf = ({ status }: PipelineRun) => {
  const failed = status.steps.find(({ state }) => state === 'FAILED');
  return failed && `${failed.code}: ${stepMessageOf(failed.code, failed.message)}`;
};

/** Reads the values as a service would: only from the secret group. */
const secretsOf = async ({ secretGroup }: Database, version: number): Promise<Record<string, string>> => {
  const read = async (key: string) => {
    const reason = 'The test connects with it';
    const { body } = await call(secretReveal, { params: { group: secretGroup }, body: { key, version, reason } });
    return [key, (body as { value: string }).value] as const;
  };
  return Object.fromEntries(await Promise.all(databaseSecretKeys.map(read)));
};
const connect = async (secrets: Record<string, string>): Promise<pg.Client> => {
  const client = createClient({ connectionString: secrets['DB_URL'], application_name: 'berth' });
  await client.connect();
  return client;
};
const ask = async (secrets: Record<string, string>, sql: string): Promise<unknown[]> => {
  const client = await connect(secrets);
  return (await client.query<Record<string, unknown>>(sql).finally(() => client.end())).rows;
};
const whatIsLeft = async (name: string): Promise<readonly string[]> =>
  (await app.adapters.databases.list('WESTEUROPE')).filter((found) => found.startsWith(`${name}_`));

describe('databaseCreate', () => {
  test('makes a database that a program can use with the keys of its secret group', async () => {
    const ended = await create('plans', { attachTo: ['berth'] });
    expect(stepsOf(ended)).toEqual([
      'ProvisionDatabase COMPLETED',
      'RestoreRows SKIPPED',
      'MakeDatabasePassword COMPLETED',
      'OpenReader SKIPPED',
      'AttachSecretGroups COMPLETED',
      'CreateDatabase COMPLETED',
    ]);
    const database = await view('plans');
    expect(database).toMatchObject({
      ...wanted('plans'),
      app: 'berth',
      environment: 'development',
      active: true,
      state: 'ACTIVE',
      secretGroup: 'berth-plans',
      connection: { host: '127.0.0.1', sslMode: 'disable', database: expect.stringMatching(/^plans_[0-9a-z]{8}$/) as string },
      credentials: { user: expect.stringMatching(/^plans_.*_a$/) as string, version: 1, former: null },
      status: { provisioning: 'COMPLETED', pipelineId: ended.pipelineId, connections: 0, isReadOnly: false },
      draft: null,
      createdBy: { id: 'mats' },
      can: {
        update: true,
        activate: true,
        rotate: true,
        delete: 'SecretIsReferencedInAtLeastOneStack',
        endFormerPassword: 'NoFormerPassword',
      },
    });
    expect(database.status.sizeBytes).toBeGreaterThan(1_000_000);
    expect(database.status.engineVersion).toMatch(/^\d+\.\d+$/);
    const secrets = await secretsOf(database, 1);
    expect(Object.keys(secrets).toSorted()).toEqual([...databaseSecretKeys].toSorted());
    await ask(secrets, 'create table berth as select 7 as id');
    expect(await ask(secrets, 'select id from berth')).toEqual([{ id: 7 }]);
    const attached = await call(serviceSecretGroupList, { params: { service: 'berth' } });
    expect(attached.body).toMatchObject([{ group: 'berth-plans', kind: 'PLATFORM', exposeAsEnvironment: true }]);
    // No stored or logged text contains the password.
    const steps = await app.database.pool.query(`select string_agg(run::text, '') as text from pipeline_run run`);
    expect(JSON.stringify(steps.rows)).not.toContain(secrets['DB_PASSWORD']);
  });

  test('its group is read-only for people', async () => {
    const params = { group: 'berth-plans' };
    const body = { basedOn: 1, entries: [{ key: 'DB_PASSWORD', value: 'mine' }] };
    expect(errorsOf(await call(secretVersionCreate, { params, body }))).toEqual([403, 'undefined: ManageInternalSecretGroups']);
    expect(errorsOf(await call(secretGroupDelete, { params }))).toEqual([403, 'undefined: ManageInternalSecretGroups']);
    expect((await call(secretGroupView, { params })).body).toMatchObject({ kind: 'PLATFORM', createdBy: { id: 'platform' } });
  });

  test.each<[string, object, string]>([
    ['too little storage', { storageGb: 16 }, 'storageGb: Minimum'],
    ['storage that is no power of two', { storageGb: 100 }, 'storageGb: NotAPowerOfTwo'],
    ['more storage than there is', { storageGb: 32_768 }, 'storageGb: Maximum'],
    ['no storage', { storageGb: undefined }, 'storageGb: Required'],
    ['half a gigabyte', { storageGb: 32.5 }, 'storageGb: NotAnInteger'],
    ['too few connections', { maxConnections: 9 }, 'maxConnections: Minimum'],
    ['too many connections', { maxConnections: 5001 }, 'maxConnections: Maximum'],
    ['more connections than the server has', { maxConnections: 5000 }, 'maxConnections: ConnectionsNotLeft'],
    ['backups kept too short', { backupRetentionDays: 6 }, 'backupRetentionDays: Minimum'],
    ['backups kept too long', { backupRetentionDays: 36 }, 'backupRetentionDays: Maximum'],
    ['a plan that does not exist', { plan: 'HUGE' }, 'plan: InvalidValue'],
    ['a region that does not exist', { region: 'MOON' }, 'region: RegionDoesNotExist'],
    ['a name with dashes', { name: 'berth-plans' }, 'name: LowercaseAlphanumeric'],
    ['a name that begins with a digit', { name: '1plans' }, 'name: InvalidName'],
    ['a short name', { name: 'ab' }, 'name: MinimumLength'],
    ['a word of the routes', { name: 'settings' }, 'name: InvalidName'],
    ['no display name', { displayName: ' ' }, 'displayName: Required'],
    ['a name that is taken', { name: 'plans' }, 'name: DatabaseAlreadyExists'],
    ['a group that is taken', { secretGroup: 'berth-plans' }, 'secretGroup: SecretGroupAlreadyExists'],
    ['a service that is not there', { attachTo: ['berth-nothing'] }, 'attachTo: ServiceDoesNotExist'],
  ])('refuses %s', async (_what, more, error) => {
    const answer = await call(databaseCreate, { body: wanted('refused', more) });
    expect(errorsOf(answer).slice(1)).toEqual([error]);
  });

  test('refuses a group that an account has reserved', async () => {
    const by = { created_by: 'olga', created_by_name: 'Olga Owner' };
    const names = { name: 'reader', principal: 'berth.reader', group_prefix: 'berth.reader.', secret_group: 'reader-keys' };
    await app.database.db
      .insertInto('account')
      .values({ id: 'ka_reader', app_id: 'berth', environment: 'development', description: '', state: 'CREATING', ...names, ...by })
      .execute();
    const answer = await call(databaseCreate, { body: wanted('refused', { secretGroup: 'reader-keys' }) });
    expect(errorsOf(answer)).toEqual([409, 'secretGroup: SecretGroupAlreadyExists']);
    const group = { name: 'reader-keys', entries: [{ key: 'PASSWORD', value: 'one' }] };
    expect(errorsOf(await call(secretGroupCreate, { body: group }))).toEqual([409, 'name: SecretGroupAlreadyExists']);
    await app.database.pool.query("delete from account where id = 'ka_reader'");
  });

  test('a dry run says what would be made, and makes nothing', async () => {
    const before = await app.adapters.databases.list('WESTEUROPE');
    const body = wanted('dry', { maxConnections: 60, attachTo: ['berth'] });
    const { status, body: answer } = await call(databaseCreate, { body, query: { dryRun: true } });
    const plan = answer as Plan;
    expect([status, plan.pipelineType, plan.steps.map(({ code }) => code)]).toEqual([
      200,
      'CreateDatabase',
      ['ProvisionDatabase', 'MakeDatabasePassword', 'AttachSecretGroups', 'CreateDatabase'],
    ]);
    expect(plan.consequences.map(planTextOf)).toEqual([
      'Makes the PostgreSQL database dry with 32 GB of storage and at most 60 connections.',
      'Makes the secret group berth-dry. Services connect with its keys.',
      'berth reads the secret group berth-dry from its next revision on.',
    ]);
    expect(plan.warnings.map(planTextOf)).toEqual([
      'Storage cannot be decreased later.',
      'BURSTABLE_1 is at ease with up to 50 connections.',
    ]);
    expect((await call(databaseView, named('dry'))).status).toBe(404);
    expect(await app.adapters.databases.list('WESTEUROPE')).toEqual(before);
    const refused = await call(databaseCreate, { body: wanted('plans'), query: { dryRun: true } });
    expect(errorsOf(refused)).toEqual([409, 'name: DatabaseAlreadyExists']);
  });

  test('what the server refuses leaves nothing behind, and is done by a re-run', async () => {
    engine.next('openLogin', () =>
      Promise.reject(new PortFailure('rejected', 'no', { code: 'DatabaseServerRefused', context: { reason: 'permission denied' } })),
    );
    const failed = await create('refusing');
    expect(failureOf(failed)).toBe('MakeDatabasePassword: The database server refused: permission denied');
    expect(await whatIsLeft('refusing')).toEqual([]);
    expect((await call(secretGroupView, { params: { group: 'berth-refusing' } })).status).toBe(404);
    expect(await view('refusing')).toMatchObject({
      state: 'NOT_CREATED',
      status: { provisioning: 'FAILED' },
      can: { update: 'DatabaseNotCreated', delete: true },
    });
    expect(errorsOf(await call(databaseActivation, named('refusing', { active: false })))).toEqual([409, 'undefined: DatabaseNotCreated']);
    await call(pipelineRerun, { params: { pipelineId: failed.pipelineId }, body: { from: 'failedStep' } });
    expect((await app.ended(failed.pipelineId)).status.state).toBe('COMPLETED');
    expect(await ask(await secretsOf(await view('refusing'), 1), 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a group of the name that a person created at the same moment is not written over', async () => {
    await call(secretGroupCreate, { body: { name: 'berth-early', entries: [{ key: 'MINE', value: 'kept' }] } });
    engine.next('openLogin', async (...input) => {
      // The name is reserved, so only a transaction that began before the reservation can take it.
      await app.database.pool.query(`update secret_group set name = 'berth-late' where name = 'berth-early'`);
      const [target, login, password] = input as Parameters<Databases['openLogin']>;
      await app.adapters.databases.openLogin(target, login, password);
    });
    expect(failureOf(await create('late'))).toBe(
      'MakeDatabasePassword: Somebody made a secret group berth-late meanwhile. Delete that, or choose another name.',
    );
    expect(await whatIsLeft('late')).toEqual([]);
    expect((await call(secretGroupView, { params: { group: 'berth-late' } })).body).toMatchObject({ kind: 'USER', version: 1 });
    expect(await run(databaseDelete, named('late'))).toMatchObject({ status: { state: 'COMPLETED' } });
    expect((await call(databaseView, named('late'))).status).toBe(404);
  });

  test('waits for a server that is away', async () => {
    engine.away('ensure', 'database server', 2);
    expect((await create('patient')).status.state).toBe('COMPLETED');
  });
});

describe('what is read', () => {
  test('a list with search and order, and the options of a new one', async () => {
    const names = async (query: object) =>
      ((await call(databaseList, { query: { ...query } })).body as Page<Database>).content.map(({ name }) => name);
    expect(await names({ sort: 'name' })).toEqual(['patient', 'plans', 'refusing']);
    expect(await names({ query: 'BERTH PLA' })).toEqual(['plans']);
    expect((await call(databaseOptionsView)).body).toMatchObject({
      regions: ['WESTEUROPE', 'NORTHEUROPE', 'CENTRALUS'].map((region) => ({
        region,
        engineVersion: expect.stringMatching(/^\d/) as string,
        // All databases share one server. Each of the three reserves its own 20 connections and 4 for the platform.
        connectionsLeft: 1987 - 3 * (20 + 4) - 4,
      })),
    });
  });

  test('a stranger learns nothing', async () => {
    expect((await app.call('stranger', databaseList, { params: place })).status).toBe(404);
    expect((await app.call('stranger', databaseView, { params: { ...place, database: 'plans' } })).status).toBe(404);
  });

  test('connections are counted by service', async () => {
    const client = await connect(await secretsOf(await view('plans'), 1));
    await expect
      .poll(async () => (await view('plans')).status, { timeout: PATIENCE_MS })
      .toMatchObject({ connections: 1, connectionsBy: [{ application: 'berth', count: 1, isFormer: false }] });
    await client.end();
    await expect.poll(async () => (await view('plans')).status.connections, { timeout: PATIENCE_MS }).toBe(0);
  });
});

describe('databaseUpdate', () => {
  test('applies the limits, and storage only grows', async () => {
    const before = await view('plans');
    const body = update(before, { displayName: 'Plans', storageGb: 64, maxConnections: 10, plan: 'GENERAL_2' });
    const planned = (await call(databaseUpdate, { ...named('plans', body), query: { dryRun: true } })).body as Plan;
    expect(planned.consequences.map(planTextOf)).toEqual([
      'Display name changes from Berth plans to Plans.',
      'Storage changes from 32 to 64.',
      'Connections changes from 20 to 10.',
      'Compute plan changes from BURSTABLE_1 to GENERAL_2.',
    ]);
    expect(await view('plans')).toMatchObject({ storageGb: 32, draft: null });
    expect(await run(databaseUpdate, named('plans', body))).toMatchObject({ status: { state: 'COMPLETED' } });
    expect(await view('plans')).toMatchObject({ displayName: 'Plans', storageGb: 64, maxConnections: 10, plan: 'GENERAL_2', draft: null });
    const { database } = (await view('plans')).connection ?? {};
    expect(await app.adapters.databases.observe({ region: 'WESTEUROPE', database: database ?? '' })).toMatchObject({ maxConnections: 10 });
    const less = await call(databaseUpdate, named('plans', update(await view('plans'), { storageGb: 32 })));
    expect(errorsOf(less)).toEqual([400, 'storageGb: StorageCannotBeDecreased']);
    const same = await call(databaseUpdate, named('plans', update(await view('plans'), {})));
    expect(errorsOf(same)).toEqual([409, 'undefined: NothingChanged']);
  });

  test('while its pipeline runs nothing else can be changed, and a failure keeps what was, with the wish as a draft', async () => {
    const before = await view('plans');
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    engine.next('limit', async () => {
      reached.resolve();
      await go.promise;
      throw new PortFailure('notFound', 'gone');
    });
    const started = await call(databaseUpdate, named('plans', update(before, { maxConnections: 15 })));
    await reached.promise;
    expect(await view('plans')).toMatchObject({
      maxConnections: 10,
      draft: { maxConnections: 15 },
      status: { provisioning: 'RUNNING' },
      can: { update: 'DatabasePipelineRunning', delete: 'DatabasePipelineRunning', rotate: 'DatabasePipelineRunning' },
    });
    const refused = await call(databaseUpdate, named('plans', update(before, { maxConnections: 16 })));
    expect(errorsOf(refused)).toEqual([409, 'undefined: DatabasePipelineRunning']);
    go.resolve();
    const failed = await app.ended((started.body as PipelineRun).pipelineId);
    expect(failureOf(failed)).toBe('ApplyDatabaseLimits: The server has no database plans any more.');
    expect(await view('plans')).toMatchObject({
      state: 'ACTIVE',
      maxConnections: 10,
      draft: { maxConnections: 15 },
      status: { provisioning: 'FAILED' },
    });
    expect((await run(databaseUpdate, named('plans', update(before, { maxConnections: 12 })))).status.state).toBe('COMPLETED');
    expect(await view('plans')).toMatchObject({ maxConnections: 12, draft: null });
  });
});

describe('databaseActivation', () => {
  test('refuses connections and keeps the data', async () => {
    const secrets = await secretsOf(await view('plans'), 1);
    const plan = (await call(databaseActivation, { ...named('plans', { active: false }), query: { dryRun: true } })).body as Plan;
    expect(plan.consequences.map(planTextOf)).toEqual(['Ends every connection to plans and refuses new ones. Data and backups are kept.']);
    await run(databaseActivation, named('plans', { active: false }));
    expect(await view('plans')).toMatchObject({ active: false, state: 'ACTIVE', can: { rotate: 'DatabaseInactive', activate: true } });
    await expect(connect(secrets)).rejects.toMatchObject({ code: '42501' });
    expect(errorsOf(await call(databaseActivation, named('plans', { active: false })))).toEqual([409, 'undefined: NothingChanged']);
    expect(errorsOf(await call(databaseRotate, named('plans', {})))).toEqual([409, 'undefined: DatabaseInactive']);
    await run(databaseActivation, named('plans', { active: true }));
    expect(await ask(secrets, 'select id from berth')).toEqual([{ id: 7 }]);
  });
});

describe('databaseRotate', () => {
  test('the former password works beside the new one, until it is ended', async () => {
    const former = await secretsOf(await view('plans'), 1);
    const plan = (await call(databaseRotate, { ...named('plans', { overlapHours: 24 }), query: { dryRun: true } })).body as Plan;
    expect([plan.steps.map(({ code }) => code), plan.consequences.map(planTextOf)]).toEqual([
      ['MakeDatabasePassword'],
      [
        'Makes a new password as a new version of berth-plans. A service uses it once it is restarted.',
        'The former password works for 24 h more.',
      ],
    ]);
    const ended = await run(databaseRotate, named('plans', { overlapHours: 24 }));
    expect(stepsOf(ended)).toEqual(['MakeDatabasePassword COMPLETED', 'MakeReaderPassword SKIPPED', 'EndFormerPassword SKIPPED']);
    const rotated = await view('plans');
    expect(rotated).toMatchObject({
      credentials: { version: 2, user: expect.stringMatching(/_b$/) as string, former: { user: former['DB_USER'] } },
      can: { rotate: 'FormerPasswordValid', endFormerPassword: true },
    });
    expect(Date.parse(rotated.credentials?.former?.endsAt ?? '') - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(errorsOf(await call(databaseRotate, named('plans', {})))).toEqual([409, 'undefined: FormerPasswordValid']);
    const newest = await secretsOf(rotated, 2);
    expect(newest['DB_PASSWORD']).not.toBe(former['DB_PASSWORD']);
    // Both logins own what either of them creates.
    await ask(newest, 'create table crane as select 1 as id');
    expect(await ask(former, 'update crane set id = 2 returning id')).toEqual([{ id: 2 }]);
    expect((await call(databaseFormerPasswordEnd, named('plans'))).body).toMatchObject({ can: { endFormerPassword: 'NoFormerPassword' } });
    await expect.poll(async () => (await view('plans')).credentials?.former, { timeout: PATIENCE_MS }).toBeNull();
    await expect(connect(former)).rejects.toMatchObject({ code: '28P01' });
    expect(await ask(newest, 'select id from crane')).toEqual([{ id: 2 }]);
    expect(errorsOf(await call(databaseFormerPasswordEnd, named('plans')))).toEqual([409, 'undefined: NoFormerPassword']);
  });

  test('without an overlap the former ends at once, with its connections', async () => {
    const former = await secretsOf(await view('plans'), 2);
    const open = await connect(former);
    const gone = new Promise<void>((resolve) => void open.once('end', () => resolve()));
    expect(stepsOf(await run(databaseRotate, named('plans', { overlapHours: 0 })))).toEqual([
      'MakeDatabasePassword COMPLETED',
      'MakeReaderPassword SKIPPED',
      'EndFormerPassword COMPLETED',
    ]);
    await gone;
    expect(await view('plans')).toMatchObject({ credentials: { version: 3, user: expect.stringMatching(/_a$/) as string, former: null } });
    expect(await ask(await secretsOf(await view('plans'), 3), 'select id from crane')).toEqual([{ id: 2 }]);
  });

  test('an overlap of two hours is not offered', async () => {
    expect(errorsOf(await call(databaseRotate, named('plans', { overlapHours: 2 })))).toEqual([400, 'overlapHours: InvalidValue']);
  });
});

describe('storage', () => {
  test('over it writes are refused and the log says so; under it they are taken again', async () => {
    const { db } = app.database;
    const set = (storage_gb: number) => db.updateTable('database').set({ storage_gb }).where('name', '=', 'plans').execute();
    const secrets = await secretsOf(await view('plans'), 3);
    await set(0);
    await expect.poll(async () => (await view('plans')).status.isReadOnly, { timeout: PATIENCE_MS }).toBe(true);
    await expect(ask(secrets, 'create table more (id int)')).rejects.toMatchObject({ code: '25006' });
    expect(await ask(secrets, 'select id from crane')).toEqual([{ id: 2 }]);
    const entries = ((await call(appActivityList, { query: { type: 'databaseStorage' } })).body as Page<Activity>).content;
    expect(entries).toMatchObject([{ level: 'WARNING', reason: 'ReadOnly', actor: { id: 'platform' } }]);
    await set(64);
    await expect.poll(async () => (await view('plans')).status.isReadOnly, { timeout: PATIENCE_MS }).toBe(false);
    await ask(secrets, 'create table more (id int)');
  });
});

describe('databaseDelete', () => {
  test('is refused while a service reads its group, and leaves nothing otherwise', async () => {
    expect(errorsOf(await call(databaseDelete, named('plans')))).toEqual([409, 'undefined: SecretIsReferencedInAtLeastOneStack']);
    expect(errorsOf(await app.call('owner', applicationDelete, { params: { app: 'berth' } }))[0]).toBe(409);
    await call(serviceSecretGroupDetach, { params: { service: 'berth', group: 'berth-plans' } });
    const plan = (await call(databaseDelete, { ...named('plans'), query: { dryRun: true } })).body as Plan;
    expect(plan.consequences.map(planTextOf)).toEqual([
      'Deletes the database plans with its data, its logins and the secret group berth-plans. This cannot be undone.',
      'Makes a last backup first, which is kept for 7 days. A database that is deactivated is deleted without one.',
    ]);
    const ended = await run(databaseDelete, named('plans'));
    expect(stepsOf(ended)).toEqual(
      ['CloseDatabase', 'BackUpDatabase', 'DeleteSecretGroup', 'DropDatabase', 'DeleteDatabase'].map((code) => `${code} COMPLETED`),
    );
    expect(await whatIsLeft('plans')).toEqual([]);
    expect((await call(databaseView, named('plans'))).status).toBe(404);
    expect((await call(secretGroupView, { params: { group: 'berth-plans' } })).status).toBe(404);
    expect(await made('plans')).toMatchObject({ credentials: { version: 1 } });
  });

  test('a service that is attached meanwhile keeps it', async () => {
    engine.next('accept', async (...input) => {
      await call(serviceSecretGroupAttach, { params: { service: 'berth', group: 'berth-patient' }, body: {} });
      const [target, isAccepting] = input as Parameters<Databases['accept']>;
      await app.adapters.databases.accept(target, isAccepting);
    });
    const failed = await run(databaseDelete, named('patient'));
    expect(failureOf(failed)).toBe('DeleteSecretGroup: Secret is referenced in at least one stack, and cannot be deleted');
    expect(await view('patient')).toMatchObject({ state: 'ACTIVE' });
    expect(await ask(await secretsOf(await view('patient'), 1), 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('an app with databases stays', async () => {
    await seedApp(app.database.db, { id: 'quay' });
    const params = { app: 'quay', env: 'production' };
    expect((await app.run('member', databaseCreate, { params, body: wanted('moves') })).status.state).toBe('COMPLETED');
    expect(errorsOf(await app.call('owner', applicationDelete, { params: { app: 'quay' } }))).toEqual([
      409,
      'undefined: ExistingDatabases',
    ]);
    await app.run('member', databaseDelete, { params: { ...params, database: 'moves' } });
    await seedApp(app.database.db, { id: 'never', state: 'NOT_CREATED' });
    const refused = await app.call('member', databaseCreate, { params: { app: 'never', env: 'production' }, body: wanted('moves') });
    expect(errorsOf(refused)).toEqual([409, 'undefined: ApplicationNotCreated']);
  });
});

test('the ownership of databases waits until no worker of an earlier version is left', async () => {
  const earlier = createClient({ ...app.database.config, application_name: 'slipway presence' });
  await earlier.connect();
  let secured = 0;
  engine.next('secure', () => Promise.resolve((secured += 1)), Infinity);
  const { status } = await made('later');
  await expect.poll(async () => (await view('later')).status.observedAt).not.toBe(status.observedAt);
  expect(secured).toBe(0);
  await earlier.end();
  await expect.poll(() => secured).toBe(1);
  engine.next('secure', () => undefined, 0);
});

test('a restart finds every database again', async () => {
  const secrets = await secretsOf(await view('plans'), 1);
  await ask(secrets, 'create table kept as select 3 as id');
  await app.restart();
  await expect.poll(async () => ask(secrets, 'select id from kept').catch(String), { timeout: PATIENCE_MS }).toEqual([{ id: 3 }]);
  const { body } = await app.call('member', pipelineView, { params: { pipelineId: (await view('plans')).status.pipelineId ?? '' } });
  expect(isActive((body as PipelineRun).status.state)).toBe(false);
});
