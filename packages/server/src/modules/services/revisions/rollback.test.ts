/** Rollbacks to earlier revisions over HTTP, on the real engines: image, settings and secret versions together. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pipelineRerun, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { serviceRollback } from '@slipway/contract/service/service-operations.ts';
import { serviceActivation, serviceDeploy } from '@slipway/contract/service/service.ts';
import {
  secretGroupCreate,
  secretVersionCreate,
  secretVersionDelete,
  serviceSecretGroupAttach,
} from '@slipway/contract/secret/secret-group.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedPipeline, seedRevision } from '#testing/fixtures.ts';
import { crashing, good } from '#testing/programs.ts';
import { steadyLoad } from '#testing/load/steady-load.ts';
import { berthOf, done, makeBerth } from '../settings/settings.fixture.ts';

let app: TestApp;
const { call, run, settings, service, revisions, apply, environment, url, rows, push } = berthOf(() => app);
const group = { group: 'orders-db' };
const reason = 'The new one is slow';
const dryRun = async (revision: string) => {
  const answer = await call(serviceRollback, { query: { dryRun: true }, body: { revision, reason } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as Plan;
};
const rollback = async (revision: string): Promise<PipelineRun> => run(serviceRollback, { body: { revision, reason } });
const refusal = async (revision: string) => errorsOf(await call(serviceRollback, { body: { revision, reason } }));
const named = async (name: string) => (await revisions()).find((one) => one.name === name);
const newest = async () => (await revisions())[0];

/** berth-1 runs image one; berth-2 reads version 1 of a secret and has less memory; berth-3 runs image two, more memory, version 2. */
beforeAll(async () => {
  app = await testApp({ templates: async () => good('one') });
  await makeBerth(app);
  await push('two', good('two'));
  await push('crash', crashing());
  await call(secretGroupCreate, { body: { name: 'orders-db', entries: [{ key: 'PASSWORD', value: 'first-password' }] } });
  await call(serviceSecretGroupAttach, { params: group, body: {} });
  await apply(({ spec }) => {
    spec.resources.memoryMegabytes = 200;
  });
  await call(secretVersionCreate, { params: group, body: { basedOn: 1, entries: [{ key: 'PASSWORD', value: 'second-password' }] } });
  await run(serviceDeploy, { body: { imageTag: 'two' } });
  await apply(({ spec }) => {
    spec.resources.memoryMegabytes = 300;
    spec.externalTraffic.basePath = '/new';
  });
});
afterAll(() => app?.close());

test('the plan says what becomes of settings, image and secrets, and changes nothing', async () => {
  const before = await rows();
  const plan = await dryRun('berth-2');
  expect(plan).toMatchObject({
    pipelineType: 'Rollback',
    image: { before: 'two' },
    secretVersions: [{ group: 'orders-db', before: 2, after: 1 }],
    changes: [
      { path: 'spec.resources.memoryMegabytes', before: 300, after: 200 },
      { path: 'spec.externalTraffic.basePath', before: '/new', after: '/' },
    ],
    warnings: [{ code: 'SecretVersionsOld', context: { group: 'orders-db', version: '1', newest: '2' } }],
  });
  expect(plan.consequences.map(({ code }) => code)).toEqual([
    'MakesRevision',
    'ReplacesInstancesOneByOne',
    'DeletesOldRevision',
    'MovesTraffic',
  ]);
  expect(await rows()).toBe(before);
});

test('goes back to a deleted revision without a failed request, and says why in the history', async () => {
  const old = await named('berth-2');
  expect([old?.status, old?.can['rollback']]).toEqual(['DELETED', true]);
  const planned = (await dryRun('berth-2')).steps.map(({ code }) => code);
  const load = steadyLoad(app, await url());
  const rolled = await rollback('berth-2');
  const { failures } = await load.stop();
  // The base path moves with the traffic, so requests to the old path get 404.
  expect([rolled.status.state, done(rolled), rolled.trigger], rolled.statusMessage ?? '').toEqual(['COMPLETED', planned, 'rollback']);
  expect(failures.filter((failure) => !failure.startsWith('404'))).toEqual([]);
  expect(await newest()).toMatchObject({
    isServing: true,
    imageDigest: old?.imageDigest,
    secretVersions: { 'orders-db': 1 },
    reason: { type: 'ROLLBACK', text: reason, from: 'berth-2' },
    spec: { resources: { memoryMegabytes: 200 } },
  });
  const { spec } = await settings();
  expect([spec.resources.memoryMegabytes, spec.externalTraffic.basePath, spec.template.envVars]).toEqual([200, '/', []]);
  expect([(await environment())['PASSWORD'], (await app.get(await url())).text]).toEqual(['first-password', 'one']);
});

test('what serves already is not gone back to', async () => {
  const serving = (await service()).status.serving ?? '';
  expect(await refusal(serving)).toEqual([409, 'undefined: RollbackToServing']);
  expect((await named(serving))?.can['rollback']).toBe('RollbackToServing');
  expect(await refusal('berth-99')).toEqual([404, 'undefined: RevisionDoesNotExist']);
  const nameless = await call(serviceRollback, { body: { revision: 'berth-1', reason: ' ' } });
  expect(errorsOf(nameless)).toEqual([400, 'reason: Required']);
});

test('one that does not get healthy changes nothing', async () => {
  const failed = await run(serviceDeploy, { body: { imageTag: 'crash' } });
  const crashed = failed.facts['revision'] ?? '';
  const [before, serving] = [await settings(), (await service()).status.serving];
  const { edge } = await app.database.db.selectFrom('service').select('edge').executeTakeFirstOrThrow();
  const rolled = await rollback(crashed);
  expect(rolled.status.state).toBe('FAILED');
  expect([(await settings()).spec, (await service()).status.serving]).toEqual([before.spec, serving]);
  expect(await app.database.db.selectFrom('service').select('edge').executeTakeFirstOrThrow()).toEqual({ edge });
  expect(await newest()).toMatchObject({ status: 'FAILING', isServing: false, reason: { type: 'ROLLBACK', from: crashed } });
  expect((await app.get(await url())).text).toBe('one');
});

test('that is tried again after its revision or its secrets have gone says so, and changes nothing', async () => {
  const { db } = app.database;
  const before = await settings();
  const { githubRepositoryName, active, spec } = before;
  const now = { githubRepositoryName, active, spec };
  const serviceId = (await db.selectFrom('service').select('id').executeTakeFirstOrThrow()).id;
  const gone = await seedRevision(db, { serviceId, service: 'berth', number: 90, status: 'NO_INSTANCES', enabled: false, isFailed: true });
  await db
    .updateTable('revision')
    .set({ secret_versions: JSON.stringify({ 'orders-db': 77 }) })
    .where('id', '=', gone)
    .execute();
  const again = async (id: string, target: { id: string; name: string }) => {
    const subject = 'service:berth/development/berth';
    await seedPipeline(db, { id, type: 'Rollback', subject, app: 'berth', service: 'berth', state: 'FAILED' });
    const why = { type: 'ROLLBACK', text: reason, from: target.name, commit: null, commitMessage: null };
    const input = { app: 'berth', environment: 'development', service: 'berth', reason: why, before: now, after: now, target };
    await db
      .updateTable('pipeline_run')
      .set({ input: JSON.stringify(input) })
      .where('pipeline_id', '=', id)
      .execute();
    return (await run(pipelineRerun, { params: { pipelineId: id }, body: { from: 'start' } })).statusMessage;
  };
  expect(await again('pl-secret', { id: gone, name: 'berth-90' })).toBe(
    'It needs version 77 of a secret group, and that was deleted meanwhile.',
  );
  expect(await again('pl-gone', { id: 'rev-nowhere', name: 'berth-91' })).toBe('The revision berth-91 does not exist any more.');
  expect(await settings()).toEqual(before);
  await db.deleteFrom('revision').where('id', '=', gone).execute();
});

test('needs its image and its secrets still', async () => {
  await apply(({ spec }) => {
    spec.resources.memoryMegabytes = 222;
  });
  expect((await call(secretVersionDelete, { params: { ...group, version: '1' } })).status).toBe(204);
  expect(await refusal('berth-2')).toEqual([409, 'undefined: RollbackSecretGone']);
  const { pool } = app.database;
  await pool.query(`update revision set image_digest = $1 where name = 'berth-1'`, [`sha256:${'0'.repeat(64)}`]);
  expect(await refusal('berth-1')).toEqual([409, 'undefined: RollbackImageGone']);
});

test('waits for a service that is active', async () => {
  await run(serviceActivation, { body: { active: false } });
  expect(await refusal('berth-3')).toEqual([409, 'undefined: ServiceInactive']);
  expect((await named('berth-3'))?.can['rollback']).toBe('ServiceInactive');
});
