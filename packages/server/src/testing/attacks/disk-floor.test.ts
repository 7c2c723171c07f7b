// @long: waits for limits, or starts programs
/** The platform's disk gets short: nothing more is taken, every refusal says why, deletes go through, and all goes on by itself. */
import { readdir } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { applicationCreate, applicationDelete } from '@slipway/contract/application.ts';
import { pipelineStepLogs, pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { readinessView } from '@slipway/contract/platform.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { LocalBuilder } from '@slipway/runtime/builder/local-builder.ts';
import { SourceOnHttp, commitFiles, git, runGit } from '@slipway/git/git-client.fixture.ts';
import { detectSandbox } from '@slipway/runtime/sandbox/detect-sandbox.ts';
import { DiskFloor } from '#kernel/disk-floor.ts';
import type { Log } from '#ports/log.ts';
import { RegistryClient, digestOf } from '#ports/registry.suite-client.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { good } from '#testing/programs.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };
const GIB = 2 ** 30;
let freeBytes = 50 * GIB;
const floor = new DiskFloor({ directory: '/', space: async () => ({ freeBytes, totalBytes: 100 * GIB }), keptMs: 0 });
const short = (): void => void (freeBytes = GIB);
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ floor, templates: async () => good('one') });
  await app.run('member', applicationCreate, { body: { id: 'berth', displayName: 'Berth', teamId: 'cranes' } });
});
afterEach(() => void (freeBytes = 50 * GIB));
afterAll(() => app?.close());

test('readiness tells it, and the replica stays ready: it still serves, and deletes', async () => {
  const disk = async () => {
    const { status, body } = await app.call(undefined, readinessView);
    return [status, (body as { checks: Record<string, string> }).checks['disk']];
  };
  expect(await disk()).toEqual([200, 'ok']);
  short();
  expect(await disk()).toEqual([200, 'low']);
});

describe('the registry', () => {
  const uploads = '/v2/berth/image/blobs/uploads/';
  const incoming = () => readdir(join(app.dataDir, 'registry/incoming'));
  let client: RegistryClient;
  beforeAll(async () => {
    const { registry } = app.adapters;
    client = new RegistryClient({ baseUrl: app.url }, await registry.robotEnsure('berth', 'ci', ['pull', 'push', 'delete']));
  });
  const upload = async (body: Buffer<ArrayBuffer>): Promise<Response> => {
    const location = (await client.send('POST', uploads)).headers.get('location') ?? '';
    return client.send('PUT', `${location}?digest=${digestOf(body)}`, { body });
  };

  test('takes nothing and says why, and still gives and deletes', async () => {
    const kept = Buffer.from('kept');
    expect((await upload(kept)).status).toBe(201);
    short();
    const answer = await upload(Buffer.from('more'));
    expect(answer.status).toBe(507);
    expect(await answer.text()).toContain('the registry has no disk space left');
    expect(await incoming()).toEqual([]);
    const blob = `/v2/berth/image/blobs/${digestOf(kept)}`;
    expect(await (await client.send('GET', blob)).text()).toBe('kept');
    expect((await client.send('DELETE', blob)).status).toBe(202);
  });

  test('takes nothing that would make it short, and stops where it gets short meanwhile', async () => {
    freeBytes = 5 * GIB + 1000;
    expect((await upload(Buffer.alloc(2000))).status).toBe(507);
    freeBytes = 5 * GIB + (32 << 20);
    const spaces = vi.spyOn(floor, 'require').mockImplementation(async (wanted) => {
      freeBytes -= 8 << 20;
      return DiskFloor.prototype.require.call(floor, wanted);
    });
    expect((await upload(Buffer.alloc(30 << 20))).status).toBe(507);
    spaces.mockRestore();
    expect(await incoming()).toEqual([]);
  });
});

describe('the git host', () => {
  let host: SourceOnHttp;
  let folder = '';
  beforeAll(async () => {
    host = await SourceOnHttp.start({ floor });
    await host.create('floor');
    folder = await mkdtemp(join(tmpdir(), 'floor-'));
    await git(folder, 'clone', '--quiet', `http://any:writer@127.0.0.1:${host.port}/git/berth/floor.git`, '.');
    await git(folder, 'push', '--quiet', 'origin', 'HEAD:refs/heads/old');
  });
  afterAll(async () => {
    await host.stop();
    await rm(folder, { recursive: true });
  });

  test('takes no pack and says why in git’s words; branches can still be deleted, and everything read', async () => {
    const commit = await commitFiles(folder, { 'more.txt': 'more' });
    short();
    const refused = await runGit(folder, 'push', 'origin', 'HEAD:refs/heads/new');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('the disk of the platform is nearly full');
    expect(await runGit(folder, 'push', 'origin', '--delete', 'old')).toMatchObject({ code: 0 });
    expect(await git(folder, 'ls-remote', 'origin')).not.toMatch(/refs\/heads\/(old|new)/);
    freeBytes = 50 * GIB;
    await git(folder, 'push', '--quiet', 'origin', 'HEAD:refs/heads/new');
    expect(await git(folder, 'ls-remote', 'origin', 'new')).toContain(commit);
  });
});

const view = async (pipelineId: string): Promise<PipelineRun> =>
  (await app.call('member', pipelineView, { params: { pipelineId } })).body as PipelineRun;
const waiting = ({ status }: PipelineRun) => status.steps.find(({ state }) => state === 'RUNNING')?.message?.code;

test('a build waits and says so, and goes on when there is space', async () => {
  short();
  const { body } = await app.call('member', quickstartApplicationCreate, {
    body: { id: 'patient', teamId: 'cranes', template: 'node-web' },
  });
  const { pipelineId } = body as PipelineRun;
  await expect.poll(async () => waiting(await view(pipelineId))).toBe('PlatformDiskFull');
  const log = async () => JSON.stringify((await app.call('member', pipelineStepLogs, { params: { pipelineId, step: 'BuildImage' } })).body);
  await expect.poll(log).toContain('The disk of the platform is nearly full');
  freeBytes = 50 * GIB;
  expect(await app.ended(pipelineId)).toMatchObject({ status: { state: 'COMPLETED' } });
});

test('a build that makes the disk short is ended at once', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'floor-builder-'));
  const { registry } = app.adapters;
  const builder = new LocalBuilder({ dataDir, registry, sandbox: await detectSandbox(), log, isSandboxRequired: false, floor });
  const text = { 'package.json': '{"scripts":{"start":"node a.js","build":"echo running; sleep 50"}}', 'a.js': '' };
  try {
    const building = builder.build({
      buildId: 'floor',
      files: Object.entries(text).map(([path, content]) => ({ path, content: Buffer.from(content), isExecutable: false })),
      repository: 'berth/greedy',
      tag: 'v1',
      labels: {},
      onLog: (line) => (line === '  running' ? short() : undefined),
    });
    await expect(building).rejects.toMatchObject({ kind: 'unavailable', code: 'PlatformDiskFull' });
    expect(await readdir(join(dataDir, 'builds'))).toEqual([]);
  } finally {
    await builder.close();
    await rm(dataDir, { recursive: true });
  }
});

/** PostgreSQL's own words for a full disk, at every new row of a table. */
const fillDisk = async (table: string): Promise<() => Promise<unknown>> => {
  const { db } = app.database;
  await sql`create or replace function disk_is_full() returns trigger language plpgsql
    as 'begin raise exception ''could not extend file'' using errcode = ''53100''; end'`.execute(db);
  await sql`create trigger disk_is_full before insert on ${sql.table(table)} execute function disk_is_full()`.execute(db);
  return () => sql`drop trigger disk_is_full on ${sql.table(table)}`.execute(db);
};

test('a write for which the database finds no space is 507 with a sentence', async () => {
  const free = await fillDisk('pipeline');
  const answer = await app.call('member', applicationCreate, { body: { id: 'full', displayName: 'Full', teamId: 'cranes' } });
  expect(errorsOf(answer)).toEqual([507, 'undefined: PlatformDiskFull']);
  expect((answer.body as { detail: string }).detail).toContain('The disk of the platform is full');
  await free();
});

test('a step for which the database finds no space waits, and goes on when there is some', async () => {
  const free = await fillDisk('revision');
  const { body } = await app.call('member', quickstartApplicationCreate, {
    body: { id: 'rowless', teamId: 'cranes', template: 'node-web' },
  });
  const { pipelineId } = body as PipelineRun;
  await expect.poll(async () => waiting(await view(pipelineId))).toBe('PlatformDiskFull');
  await free();
  expect(await app.ended(pipelineId)).toMatchObject({ status: { state: 'COMPLETED' } });
});

test('what frees space is never refused', async () => {
  await app.run('member', applicationCreate, { body: { id: 'going', displayName: 'Going', teamId: 'cranes' } });
  short();
  expect(await app.run('owner', applicationDelete, { params: { app: 'going' } })).toMatchObject({ status: { state: 'COMPLETED' } });
});
