// @long: starts programs and reads everything that they keep
/**
 * Plants fifty values, runs the whole cycle, then looks for them in everything that is kept: PostgreSQL's files with the write-ahead
 * log and its own log, every row of every table, the data directory, the program's log. The files of running instances are in memory.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { destination, pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appActivityList } from '@slipway/contract/activity.ts';
import { keyRotationCreate, keyStatusView, type KeyStatus } from '@slipway/contract/keys.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { pipelineList, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { revisionList } from '@slipway/contract/service/revision.ts';
import {
  secretEnvironmentCompare,
  secretGroupCopy,
  secretGroupCreate,
  secretGroupList,
  secretGroupRestart,
  secretReveal,
  secretVersionCompare,
  secretVersionCreate,
  secretVersionList,
  secretVersionRestore,
  serviceSecretGroupAttach,
  serviceSecretGroupList,
} from '@slipway/contract/secret/secret-group.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import { openDatabase } from '#db/database.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#db/embedded-postgres.ts';
import { migrate } from '#db/migrator.ts';
import { testApp, type Answer, type Request, type TestApp } from '#testing/app.ts';
import { good } from '#testing/programs.ts';

const COUNT = 50;
const planted = Array.from({ length: COUNT }, (_, at) => `planted-${at}-${randomBytes(12).toString('hex')}`);
/** Value that is written on purpose, to prove that the search finds existing values. */
const canary = `canary ${randomBytes(12).toString('hex')}`;
const entries = planted.map((value, at) => ({ key: `KEY_${at}`, value }));
const params = { app: 'berth', env: 'development', service: 'berth', group: 'planted' };

const directory = mkdtempSync(join(tmpdir(), 'slipway-planted-'));
// As root, PostgreSQL runs as another user, who must be able to enter the directory.
chmodSync(directory, 0o711);
const logFile = join(directory, 'program.log');
const patterns = join(mkdtempSync(join(tmpdir(), 'slipway-patterns-')), 'patterns');
let postgres: EmbeddedPostgres;
let app: TestApp;

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const start = async (): Promise<void> => {
  postgres = await startEmbeddedPostgres({ dataDir: directory, log: silent, settings: { fsync: 'off' } });
};

beforeAll(async () => {
  await start();
  const config = postgres.connection;
  await migrate(config, { log: silent });
  const { pool, db, close } = openDatabase(config);
  const log = pino({ level: 'trace' }, destination({ dest: logFile, sync: true }));
  app = await testApp({ database: { config, pool, db, url: '', drop: close }, log, templates: async () => good('one') });
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
  for (const path of [directory, join(patterns, '..')]) rmSync(path, { recursive: true, force: true });
});

const answers: Answer[] = [];
/** Calls a route and keeps the answer for the search, unless the route reveals a value. */
const call = async (route: RouteShape, request: Request = {}): Promise<Answer> => {
  const actor = route.access === 'administrator' ? 'administrator' : 'member';
  const headers: Record<string, string> = route.method === 'GET' ? {} : { 'idempotency-key': randomBytes(8).toString('hex') };
  const answer = await app.call(actor, route, { headers, ...request, params: { ...params, ...request.params } });
  if (route !== secretReveal) answers.push(answer);
  return answer;
};
const reveal = (at: number, version = 1, reason = canary) => call(secretReveal, { body: { key: `KEY_${at}`, version, reason } });
const restart = async (): Promise<void> => {
  const { body } = await call(secretGroupRestart, { body: {} });
  for (const { pipelineId } of (body as { pipelines: PipelineRun[] }).pipelines)
    expect(await app.ended(pipelineId)).toMatchObject({ status: { state: 'COMPLETED' } });
};
const env = async () => {
  const { url } = ((await app.call('member', serviceView, { params })).body as Service).status;
  return JSON.parse((await app.get(`${url ?? ''}env`)).text) as Record<string, string>;
};

const wholeCycle = async (): Promise<void> => {
  await app.run('member', quickstartApplicationCreate, { body: { id: 'berth', teamId: 'cranes', template: 'node-http-api' } });
  expect((await call(secretGroupCreate, { body: { name: 'planted', entries: entries.slice(0, 40) } })).status).toBe(201);
  await call(serviceSecretGroupAttach, { body: {} });
  const mount = { mountPath: '/run/planted', secretGroup: 'planted', includeAllKeys: true, fileFormat: 'json', secretKey: null };
  await app.database.pool.query(`update service set spec = jsonb_set(spec, '{template, secretFileMounts}', $1)`, [JSON.stringify([mount])]);
  await restart();
  expect(await env()).toMatchObject({ KEY_0: planted[0], KEY_39: planted[39] });
  expect((await call(secretVersionCreate, { body: { basedOn: 1, entries: entries.slice(40) } })).status).toBe(201);
  for (let at = 0; at < 40; at++) expect((await reveal(at)).body).toMatchObject({ value: planted[at] });
  await call(secretVersionRestore, { params: { version: '1' } });
  await call(secretGroupCopy, { body: { environment: 'production', name: 'planted' } });
  await restart();
  await call(keyRotationCreate);
  await expect.poll(async () => ((await call(keyStatusView)).body as KeyStatus).rotation?.state).toBe('COMPLETED');
};
/** Causes rejected requests and internal failures, which must not reveal a value either. */
const failures = async (): Promise<void> => {
  const value = planted[0] ?? '';
  const wrong = [{ key: 'A', value: value.repeat(3000) }];
  expect((await call(secretVersionCreate, { body: { basedOn: 3, entries: wrong } })).status).toBe(400);
  expect((await call(secretVersionCreate, { body: { basedOn: 1, entries } })).status).toBe(409);
  expect((await call(secretGroupCreate, { body: { name: 'planted', entries } })).status).toBe(409);
  await app.database.pool.query(`update secret_value set sealed = substring(sealed for length(sealed) - 1) where version = 2`);
  expect((await reveal(41, 2)).status).toBe(500);
  expect((await call(secretVersionRestore, { params: { version: '2' } })).status).toBe(500);
};
const lists = [
  [secretGroupList, {}],
  [secretVersionList, {}],
  [secretVersionCompare, { query: { with: 1, version: 2 } }],
  [secretEnvironmentCompare, {}],
  [serviceSecretGroupList, {}],
  [revisionList, {}],
  [pipelineList, {}],
  [appActivityList, { query: { size: 100 } }],
] as const;

/** Returns the plain value and its hex and base64url encodings. */
const formsOf = (value: string): string[] => [
  value,
  Buffer.from(value).toString('hex'),
  Buffer.from(value).toString('base64url').slice(0, -2),
];
const filesWith = (searched: readonly string[], ...places: string[]): string[] => {
  writeFileSync(patterns, searched.flatMap(formsOf).join('\n'));
  const { stdout, status } = spawnSync('grep', ['-rlaF', '-f', patterns, ...places], { encoding: 'utf8', maxBuffer: 100_000_000 });
  if (status !== 0 && status !== 1) throw new Error(`grep ended with ${status}`);
  return stdout.split('\n').filter(Boolean);
};
/** Searches the tables with SQL, because PostgreSQL may compress long values and grep would not find them. */
const tablesWith = async (searched: readonly string[]): Promise<string[]> => {
  const { pool } = app.database;
  const { rows } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await pool.query(
      `select 1 from ${name} kept, unnest($1::text[]) as form where strpos(kept::text, form) > 0 limit 1`,
      [searched.flatMap(formsOf)],
    );
    if (rowCount) found.push(name);
  }
  return found;
};

test('are nowhere but where they are needed', async () => {
  await wholeCycle();
  await failures();
  for (const [route, request] of lists) expect((await call(route, request)).status).toBe(200);
  const reported = JSON.stringify(answers.map(({ body }) => body));
  expect(planted.filter((value) => reported.includes(value))).toEqual([]);

  expect(await tablesWith([canary])).toContain('public.activity');
  expect(await tablesWith(planted)).toEqual([]);
  await app.restart(async () => {
    // An orderly end writes everything to the files.
    await postgres.stop();
    expect(filesWith([canary], directory).some((file) => file.includes('pg_wal'))).toBe(true);
    expect(filesWith(['The secret cannot be read'], logFile)).toEqual([]);
    expect(filesWith(['SecretUnreadable'], logFile)).toEqual([logFile]);
    expect(filesWith(planted, directory, app.dataDir)).toEqual([]);
    await start();
  });
  await expect.poll(env).toMatchObject({ KEY_0: planted[0] });
});
