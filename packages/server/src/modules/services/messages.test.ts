// @long: tries rare cases that take long
/** Rare messages: unavailable engines, instances that never become healthy, failing undos. Each is read over HTTP. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { secretGroupCreate } from '@slipway/contract/secret/secret-group.ts';
import { serviceActivation, serviceDeploy, serviceList, serviceTagList } from '@slipway/contract/service/service.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Registry } from '#ports/registry.ts';
import type { SourceHost } from '#ports/source.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { noteReached } from '#testing/reached.ts';
import { crashing, good, program, unhealthy, unstartable } from '#testing/programs.ts';
import { berthOf, makeBerth } from './settings/settings.fixture.ts';

let app: TestApp;
let registry: FaultyPort<Registry>;
let source: FaultyPort<SourceHost>;
let files = good('one');
const { call, run, apply, push, service } = berthOf(() => app);

beforeAll(async () => {
  app = await testApp({
    templates: async () => files,
    patienceSeconds: 8,
    adapt: (adapters) => {
      registry = faultyPort(adapters.registry);
      source = faultyPort(adapters.source);
      return { ...adapters, registry: registry.port, source: source.port };
    },
  });
  await makeBerth(app);
});
afterAll(() => app?.close());

const deploy = async (imageTag: string): Promise<PipelineRun> => run(serviceDeploy, { body: { imageTag } });
/** Polls the messages of the run's steps until one has `code`. */
const until = async (pipelineId: string, code: string): Promise<void> => {
  const said = async () => {
    const { status } = (await app.call('member', pipelineView, { params: { pipelineId } })).body as PipelineRun;
    return status.steps.flatMap((step) => (step.message ? [`${step.code}.${step.message.code}`] : []));
  };
  await expect.poll(said, { interval: 20 }).toContainEqual(expect.stringContaining(`.${code}`));
  for (const seen of await said()) noteReached(seen);
};

test('an environment that does not exist, too many keys, and a registry that is away', async () => {
  expect(errorsOf(await call(serviceList, { params: { env: 'staging' } }))).toEqual([404, 'undefined: EnvironmentDoesNotExist']);
  const entries = Array.from({ length: 501 }, (_, index) => ({ key: `KEY_${index}`, value: 'x' }));
  expect(errorsOf(await call(secretGroupCreate, { body: { name: 'too-many', entries } }))).toEqual([400, 'entries: TooManySecretKeys']);
  registry.away('tags', 'registry');
  expect(errorsOf(await call(serviceTagList))).toEqual([503, 'undefined: EngineUnavailable']);
});

test('a pipeline says that it waits for the registry, and goes on when it is back', async () => {
  await push('two', good('two'));
  const started = (await call(serviceDeploy, { body: { imageTag: 'two' } })).body as PipelineRun;
  registry.away('image', 'registry', 2);
  await until(started.pipelineId, 'EngineUnavailable');
  expect((await app.ended(started.pipelineId)).status.state).toBe('COMPLETED');
});

test('an undo that fails says why, and the way on', async () => {
  files = unstartable();
  source.next('deleteRepository', () =>
    Promise.reject(new PortFailure('rejected', 'no', { code: 'RepositoryNameInvalid', context: { repository: 'x' } })),
  );
  const body = { id: 'undone', displayName: 'Undone', teamId: 'cranes', template: 'node-http-api' };
  const failed = await app.run('member', quickstartApplicationCreate, { body });
  const made = failed.status.steps.find(({ code }) => code === 'CreateRepository');
  expect(made?.message).toEqual({ code: 'UndoFailed', context: { reason: 'x cannot be the name of a repository.' } });
});

test('instances that never get well', async () => {
  await push('unhealthy', unhealthy());
  const failed = await deploy('unhealthy');
  expect(failed.statusMessage).toMatch(/^Health check failed: GET \S+ returned 500, \d+ times in \d+ s$/);
});

test('nobody drives the runtime', async () => {
  await push('slow', program(`setTimeout(() => import('./late.js'), 2500);\n`, { 'late.js': LATE }));
  const { db } = app.database;
  const holder = await db.selectFrom('runtime_holder').selectAll().executeTakeFirstOrThrow();
  const started = (await call(serviceDeploy, { body: { imageTag: 'slow' } })).body as PipelineRun;
  await db
    .updateTable('runtime_holder')
    .set({ replica: 'dead', seen_at: new Date(0) })
    .execute();
  await until(started.pipelineId, 'RuntimeDown');
  await db.updateTable('runtime_holder').set({ replica: holder.replica, seen_at: new Date() }).execute();
  expect((await app.ended(started.pipelineId)).status.state).toBe('COMPLETED');
});
const LATE = `import http from 'node:http';\nhttp.createServer((_, response) => response.end('ok')).listen(Number(process.env.PORT));\n`;

test('a service without a port is said to run, not to answer', async () => {
  const done = await apply((settings) => {
    settings.spec.exposedPort = null;
    settings.spec.externalTraffic.type = 'NONE';
    settings.spec.template.healthCheck.type = 'exec';
    settings.spec.template.healthCheck.exec.command = ['node', '-e', '0'];
  });
  expect(done.status.steps.find(({ code }) => code === 'ShiftTraffic')?.message?.code).toBe('RevisionServes');
});

test('what served before RECREATE does not get well again either', async () => {
  await apply((settings) => {
    settings.spec.exposedPort = 8080;
    settings.spec.externalTraffic.type = 'DIRECT';
    settings.spec.template.healthCheck.type = 'http';
    settings.spec.rollout.strategy = 'RECREATE';
  });
  const wellUntil = Date.now() + 12_000;
  const answer = `response.statusCode = Date.now() < ${wellUntil} ? 200 : 500; response.end();`;
  await push(
    'expiring',
    program(`import http from 'node:http';\nhttp.createServer((_, response) => { ${answer} }).listen(Number(process.env.PORT));\n`),
  );
  expect((await deploy('expiring')).status.state).toBe('COMPLETED');
  await push('crash', crashing());
  await expect.poll(() => Date.now() > wellUntil).toBe(true);
  const failed = await deploy('crash');
  const message = failed.status.steps.find(({ code }) => code === 'StopOldRevisions')?.message;
  expect(message?.code).toBe('UndoFailed');
  expect(message?.context['reason']).toMatch(/^berth-\d+, which served before, does not get healthy again/);
  // This message appears only as the reason inside another message.
  noteReached('StopOldRevisions.NotHealthyAgain');
});

test('a service that rests and cannot be woken rests on, and says why', async () => {
  await push('waking', good('waking'));
  expect((await deploy('waking')).status.state).toBe('COMPLETED');
  const { serving } = (await service()).status;
  const { pool } = app.database;
  const check = JSON.stringify({ enabled: true, type: 'exec', exec: { command: ['node', '-e', 'process.exit(1)'] } });
  await pool.query(
    `update service set scaled_down_at = now(), spec = jsonb_set(spec, '{template,healthCheck}', spec #> '{template,healthCheck}' || $1)`,
    [check],
  );
  await pool.query(`update revision set replicas_wanted = 0 where name = $1`, [serving]);
  const failed = await run(serviceActivation, { body: { active: true } });
  expect([failed.status.state, failed.statusMessage]).toEqual(['FAILED', expect.stringMatching(/^Health check failed: /)]);
  const rests = await service();
  expect([rests.active, rests.status.scaledDownAt === null, rests.status.serving]).toEqual([true, false, serving]);
});

test('an image whose bytes are not what they should be', async () => {
  const folder = join(app.dataDir, 'registry');
  const known = new Set(await filesBelow(folder));
  await push('broken', good('broken'));
  for (const file of (await filesBelow(folder)).filter((path) => !known.has(path))) {
    const { size } = await stat(file);
    // Corrupts only the layer: manifest and configuration are JSON.
    if ((await readFile(file, 'latin1')).startsWith('{')) continue;
    await writeFile(file, Buffer.alloc(size, 7));
  }
  const failed = await deploy('broken');
  // The digest is checked before the layer is read as an archive.
  expect(failed.statusMessage).toMatch(/^The image could not be pulled: the layer sha256:\w+ came with other content, sha256:\w+$/);
});

const filesBelow = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
