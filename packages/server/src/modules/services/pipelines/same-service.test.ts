/** Reruns for a deleted service leave a new service with the same name unchanged. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pipelineRerun } from '@slipway/contract/pipeline/pipeline.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedPipeline, seedRevision, seedService } from '#testing/fixtures.ts';

let app: TestApp;
const key = { app: 'berth', environment: 'development', service: 'berth' };
const reason = { type: 'DEPLOY', text: null, commit: null, commitMessage: null };
const none = { repository: null, commit: null };
const before = { githubRepositoryName: null, active: true, spec: newServiceSpec('localhost/berth/berth') };
const after = { ...before, spec: { ...before.spec, scaleDownAfterDays: 3 } };

beforeAll(async () => {
  app = await testApp();
  await seedApp(app.database.db, { id: 'berth' });
  const serviceId = await seedService(app.database.db, { app: 'berth' });
  await seedRevision(app.database.db, { serviceId, service: 'berth', number: 1, status: 'NO_INSTANCES' });
});
afterAll(() => app?.close());

const rows = async () => {
  const { db } = app.database;
  return [await db.selectFrom('service').selectAll().execute(), await db.selectFrom('revision').selectAll().execute()];
};

test.each<[type: string, input: object]>([
  ['DeleteService', { stateBefore: 'ACTIVE', leftOver: null }],
  ['ServiceActivation', { active: true }],
  ['ServiceActivation', { active: false }],
  ['UpdateService', { reason, before, after }],
  ['ConnectRepository', { reason, repository: null, buildNow: false, connectedBefore: { repository: 'former', commit: null } }],
  ['CopyService', { reason, before, after, isNew: false, groups: [], imageTag: null, repository: null, connectedBefore: none }],
])('%s', async (type, input) => {
  const { db } = app.database;
  const untouched = await rows();
  const id = `pl_${type}_${Object.values(input).length}_${JSON.stringify(input).length}`;
  const about = { subject: 'service:berth/development/berth', app: 'berth', service: 'berth' };
  await seedPipeline(db, { id, type, ...about, state: 'FAILED', endedAt: new Date(Date.now() - 60_000) });
  await db
    .updateTable('pipeline_run')
    .set({ input: JSON.stringify({ ...key, ...input }) })
    .where('pipeline_id', '=', id)
    .execute();
  const run = await app.run('member', pipelineRerun, { params: { pipelineId: id }, body: { from: 'start' } });
  expect([run.status.state, run.statusMessage]).toEqual(['FAILED', 'It was discarded meanwhile.']);
  expect(await rows()).toEqual(untouched);
});

test('a deletion that is tried again at its last step deletes nothing either', async () => {
  const { db } = app.database;
  const untouched = await rows();
  const about = { subject: 'service:berth/development/berth', app: 'berth', service: 'berth' };
  await seedPipeline(db, { id: 'pl_last', type: 'DeleteService', ...about, state: 'FAILED', endedAt: new Date(Date.now() - 60_000) });
  await db
    .updateTable('pipeline_run')
    .set({ input: JSON.stringify({ ...key, stateBefore: 'ACTIVE', leftOver: null }) })
    .where('pipeline_id', '=', 'pl_last')
    .execute();
  // Completed steps stay completed.
  await db
    .updateTable('pipeline_step')
    .set({ code: 'StopInstances', state: 'COMPLETED', ended_at: new Date() })
    .where('run_id', '=', 'run-pl_last')
    .execute();
  const run = await app.run('member', pipelineRerun, { params: { pipelineId: 'pl_last' } });
  expect([run.status.steps.map(({ state }) => state), run.statusMessage]).toEqual([['COMPLETED', 'FAILED'], 'It was discarded meanwhile.']);
  expect(await rows()).toEqual(untouched);
});
