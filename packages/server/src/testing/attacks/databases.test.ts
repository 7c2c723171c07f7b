// @long: waits for limits, or starts programs
/**
 * A service with a database, one of another team with one of its own, and one without: from inside its instance each tries the databases of
 * the others, with what it has and with what it was given by others. What a service wrote is backed up, lost, and restored.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseBackupCreate, databaseBackupList, databaseBackupRestore, type DatabaseBackup } from '@slipway/contract/database/backup.ts';
import { databaseCreate, databaseSecretKeys, databaseUpdate, databaseView, type Database } from '@slipway/contract/database/database.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { secretGroupRestart, secretReveal } from '@slipway/contract/secret/secret-group.ts';
import { NetworkNamespace } from '@slipway/runtime/sandbox/network/network-namespace.ts';
import type { Actor } from '../actors.ts';
import { testApp, type TestApp } from '../app.ts';
import { databaseProber } from './databases.fixture.ts';

/** Without root services share the machine's network, and the password alone keeps them apart (docs/security.md). */
const hasNetworks = NetworkNamespace.isPermitted();
type Secrets = Readonly<Record<string, string>>;

let app: TestApp;
let berth: Secrets;
let customs: Secrets;

const placeOf = (id: string) => ({ app: id, env: 'development' });
const makeService = async (actor: Actor, id: string, teamId: string): Promise<void> => {
  const made = await app.run(actor, quickstartApplicationCreate, { body: { id, teamId, template: 'node-http-api' } });
  expect(made, made.statusMessage ?? '').toMatchObject({ status: { state: 'COMPLETED' } });
};
/** Returns the values in a database's secret group, which members of the app's team may read. */
const secretsOf = async (actor: Actor, id: string, name: string): Promise<Secrets> => {
  const params = placeOf(id);
  const { secretGroup: group } = (await app.call(actor, databaseView, { params: { ...params, database: name } })).body as Database;
  const values = databaseSecretKeys.map(async (key) => {
    const wanted = { key, version: 1, reason: 'To try it from another service' };
    const { body: found } = await app.call(actor, secretReveal, { params: { ...params, group }, body: wanted });
    return [key, (found as { value: string }).value] as const;
  });
  return Object.fromEntries(await Promise.all(values));
};
const makeDatabase = async (actor: Actor, id: string): Promise<Secrets> => {
  const params = placeOf(id);
  const settings = { storageGb: 32, maxConnections: 20, backupRetentionDays: 7, plan: 'BURSTABLE_1', region: 'WESTEUROPE' };
  const body = { ...settings, name: 'plans', displayName: 'Plans', attachTo: [id] };
  expect((await app.run(actor, databaseCreate, { params, body })).status.state).toBe('COMPLETED');
  const { secretGroup: group } = (await app.call(actor, databaseView, { params: { ...params, database: 'plans' } })).body as Database;
  const restarts = (await app.call(actor, secretGroupRestart, { params: { ...params, group }, body: {} })).body as {
    pipelines: PipelineRun[];
  };
  expect((await app.ended(restarts.pipelines[0]?.pipelineId ?? '')).status.state).toBe('COMPLETED');
  return secretsOf(actor, id, 'plans');
};
/** From inside: `in`, PostgreSQL's code of the refusal, or the code of the system. */
const tried = async (service: string, secrets: Secrets, more: Secrets = {}): Promise<string> => {
  const asked = Buffer.from(JSON.stringify({ ...secrets, ...more })).toString('base64url');
  return (await app.get(`http://${service}.${service}.development.localhost:${app.ingressPort}/try-${asked}`)).text;
};

beforeAll(async () => {
  app = await testApp({ templates: async () => databaseProber() });
  await makeService('member', 'berth', 'cranes');
  await makeService('stranger', 'customs', 'customs');
  await makeService('member', 'loner', 'cranes');
  berth = await makeDatabase('member', 'berth');
  customs = await makeDatabase('stranger', 'customs');
});
afterAll(() => app?.close());

/** Answers the first column of the rows. */
const asked = (service: string, secrets: Secrets, sql: string): Promise<string> => tried(service, secrets, { SQL: sql });

const MEGABYTE = 2 ** 20;
/** Leaves the read-only default and adds some 20 MB. */
const FLOOD = `begin read write; create table if not exists flood (text text);
  insert into flood select repeat(md5(n::text), 30) from generate_series(1, 20000) n; commit`;

describe('from inside an instance', () => {
  test('a service reaches its own database with what its environment says', async () => {
    const { text } = await app.get(`http://berth.berth.development.localhost:${app.ingressPort}/env`);
    const environment = JSON.parse(text) as Secrets;
    expect(environment).toMatchObject({ ...berth, PGAPPNAME: 'berth' });
    expect(await tried('berth', environment)).toBe('in');
    expect(await tried('customs', customs)).toBe('in');
  });

  test('its own credentials do not open the database of another team, nor those of the server', async () => {
    for (const database of [customs['DB_NAME'] ?? '', 'slipway', 'postgres', 'template1'])
      expect([database, await tried('berth', berth, { DB_NAME: database })]).toEqual([database, '42501']);
  });

  test('a login of another team does not open with its own password, nor do those that services have none of', async () => {
    const { DB_USER: theirs = '', DB_NAME = '' } = customs;
    for (const user of [theirs, theirs.replace(/_a$/, '_b'), 'service_login'])
      expect([user, await tried('berth', berth, { DB_USER: user, DB_NAME })]).toEqual([user, '28P01']);
    // Not among those that are let in over TCP.
    for (const user of [`${DB_NAME}_owner`, 'platform', 'slipway'])
      expect([user, await tried('berth', berth, { DB_USER: user })]).toEqual([user, '28000']);
  });

  test('a service cannot lift the limits of its database, nor make it one that nobody can drop', async () => {
    const { DB_NAME: own = '', DB_USER: login = '' } = berth;
    for (const sql of [
      `alter database ${own} connection limit -1`,
      `alter database ${own} is_template true`,
      `alter database ${own} set work_mem = '200GB'`,
      `reset role; alter database ${own} connection limit -1`,
      `reset role; alter role ${login} connection limit -1`,
      `set temp_file_limit = -1`,
    ])
      expect([sql, await asked('berth', berth, sql)]).toEqual([sql, '42501']);
  });

  test.runIf(hasNetworks)('a service without the group has no way to the server, not even with a good password', async () => {
    expect(await tried('loner', berth)).toBe('ECONNREFUSED');
    expect(await tried('loner', customs)).toBe('ECONNREFUSED');
  });

  test.runIf(hasNetworks)('the way leads to the server of its group alone', async () => {
    const port = String(app.url.split(':').at(-1));
    for (const address of ['127.0.0.2', '127.77.0.1']) expect(await tried('berth', berth, { DB_HOST: address })).toBe('ECONNREFUSED');
    // The platform’s own port is a doorway of another kind, and no PostgreSQL.
    expect(await tried('berth', berth, { DB_PORT: port })).not.toBe('in');
  });
});

test('a service that writes on beyond its storage is shut out soon after the reserve, until the storage is larger', async () => {
  const params = { ...placeOf('customs'), database: 'plans' };
  const status = async () => ((await app.call('stranger', databaseView, { params })).body as Database).status;
  // Nothing is within this storage, so the reserve is its smallest: 256 MB.
  await app.database.db.updateTable('database').set({ storage_gb: 0 }).where('app_id', '=', 'customs').execute();
  await expect.poll(async () => (await status()).isReadOnly).toBe(true);
  // The program stops just above the reserve: how much more fits into one round of the watcher depends on the machine.
  for (let size = 0; !(size > 256 * MEGABYTE);) {
    const answer = await asked('customs', customs, FLOOD);
    if (answer === '42501') break;
    expect(['', '25006', '57P01']).toContain(answer);
    size = Number(await asked('customs', customs, 'select pg_database_size(current_database())'));
  }
  await expect.poll(async () => (await status()).isClosed).toBe(true);
  expect(await asked('customs', customs, FLOOD)).toBe('42501');
  expect((await status()).sizeBytes).toBeLessThan(2 * 256 * MEGABYTE);
  expect(await tried('customs', customs)).toBe('42501');
  expect(await tried('berth', berth)).toBe('in');
  const { displayName, maxConnections, backupRetentionDays, plan } = (await app.call('stranger', databaseView, { params }))
    .body as Database;
  const body = { displayName, maxConnections, backupRetentionDays, plan, storageGb: 64 };
  expect((await app.run('stranger', databaseUpdate, { params, body })).status.state).toBe('COMPLETED');
  expect(await asked('customs', customs, 'drop table flood; create table kept (id int)')).toBe('');
  expect(await status()).toMatchObject({ isReadOnly: false, isClosed: false });
});

test('what a service has written is in a backup, and is there again when it was lost', async () => {
  const params = { ...placeOf('berth'), database: 'plans' };
  expect(await asked('berth', berth, 'create table calls as select n, n * n as squared from generate_series(1, 500) as n')).toBe('');
  const sum = 'select sum(squared) from calls';
  expect(await asked('berth', berth, sum)).toBe('41791750');
  const { id: backup } = (await app.call('member', databaseBackupCreate, { params })).body as DatabaseBackup;
  const state = async () => {
    const { content } = (await app.call('member', databaseBackupList, { params })).body as { content: DatabaseBackup[] };
    return content.find(({ id }) => id === backup)?.state;
  };
  await expect.poll(state).toBe('COMPLETED');
  expect(await asked('berth', berth, 'drop table calls')).toBe('');
  expect(await asked('berth', berth, sum)).toBe('42P01');
  const restored = await app.run('member', databaseBackupRestore, { params: { ...params, backup }, body: { name: 'again' } });
  expect(restored.status.state).toBe('COMPLETED');
  expect(await asked('berth', await secretsOf('member', 'berth', 'again'), sum)).toBe('41791750');
});
