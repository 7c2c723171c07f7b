/** Reruns after a later change to the service: the later change stays, even if the rerun fails and is undone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pipelineRerun } from '@slipway/contract/pipeline/pipeline.ts';
import { newServiceSpec, type ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedPipeline, seedRevision, seedService } from '#testing/fixtures.ts';

let app: TestApp;
const spec = newServiceSpec('localhost/berth/berth');
const withDomain = (domain: string) => (from: ServiceSpec) => ({ ...from, externalTraffic: { ...from.externalTraffic, domain } });

beforeAll(async () => {
  app = await testApp();
  await seedApp(app.database.db, { id: 'berth' });
  await seedService(app.database.db, { app: 'berth', name: 'berth-other', change: withDomain('taken.example.com') });
});
afterAll(() => app?.close());

const rerun = async (type: string, service: string, input: object) => {
  const { db } = app.database;
  const id = `pl_${service}`;
  await seedPipeline(db, { id, type, subject: `service:berth/development/${service}`, app: 'berth', service, state: 'FAILED' });
  const key = { app: 'berth', environment: 'development', service };
  await db
    .updateTable('pipeline_run')
    .set({ input: JSON.stringify({ ...key, ...input }) })
    .where('pipeline_id', '=', id)
    .execute();
  const run = await app.run('member', pipelineRerun, { params: { pipelineId: id }, body: { from: 'start' } });
  const row = await db.selectFrom('service').selectAll().where('name', '=', service).executeTakeFirstOrThrow();
  return { state: run.status.state, message: run.statusMessage, row };
};
const reason = { type: 'SETTINGS', text: 'Domain', commit: null, commitMessage: null };

test('a connection does not replace a newer one, nor take it away', async () => {
  const id = await seedService(app.database.db, { app: 'berth', name: 'berth-connected' });
  await app.database.db.updateTable('service').set({ repository_name: 'newer' }).where('id', '=', id).execute();
  await app.adapters.source.createRepository({ owner: 'berth', name: 'older' }, [], { message: 'Start', author: 'O', email: 'o@x' });
  const connectedBefore = { repository: null, commit: null };
  const { state, message, row } = await rerun('ConnectRepository', 'berth-connected', {
    reason,
    repository: 'older',
    buildNow: true,
    connectedBefore,
  });
  expect([state, message]).toEqual(['FAILED', expect.stringContaining('changed')]);
  expect(row.repository_name).toBe('newer');
});

test('settings that somebody else has brought about are not taken back', async () => {
  const before = { githubRepositoryName: null, active: true, spec };
  const after = { ...before, spec: withDomain('taken.example.com')(spec) };
  const id = await seedService(app.database.db, { app: 'berth', name: 'berth-set', change: () => after.spec });
  const { externalTraffic, externalTrafficAuthentication, exposedPort } = spec;
  await app.database.db
    .updateTable('service')
    .set({ edge: JSON.stringify({ externalTraffic, externalTrafficAuthentication, exposedPort }) })
    .where('id', '=', id)
    .execute();
  const { state, message, row } = await rerun('UpdateService', 'berth-set', { reason, before, after });
  expect([state, message]).toEqual(['FAILED', 'Another service answers on taken.example.com/.']);
  expect(row.spec).toEqual(after.spec);
});

test('an activation leaves alone what runs by now', async () => {
  const { db } = app.database;
  const serviceId = await seedService(db, { app: 'berth', name: 'berth-runs', serving: ['berth-runs-1'] });
  // Its image is gone, so another start would fail and stop it.
  await seedRevision(db, { serviceId, service: 'berth-runs', number: 1 });
  const { state, message, row } = await rerun('ServiceActivation', 'berth-runs', { active: true });
  expect([state, message, row.active, row.serving]).toEqual(['COMPLETED', null, true, ['berth-runs-1']]);
});
