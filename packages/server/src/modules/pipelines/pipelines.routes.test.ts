/** Pipelines over HTTP. Who may call what stands in the permission table; here is what the answers say. */
import type { Page } from '@slipway/contract/kernel/fields.ts';
import {
  pipelineCancel,
  pipelineList,
  pipelineRerun,
  pipelineStepLogs,
  pipelineView,
  pipelineViewV1,
  type LogEntry,
  type PipelineRun,
} from '@slipway/contract/pipeline/pipeline.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Actor } from '#testing/actors.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedPipeline } from '#testing/fixtures.ts';
import { StepFailure } from './definition.ts';
import { runWhen, startToy, Toybox, type ToyContext } from './toy.fixture.ts';

const toys = new Toybox(['ReadSource', 'BuildImage', 'StartInstances']);
const definition = { ...toys.definition, type: 'Toy' };
const mats = { id: 'mats', displayName: 'Mats Member' };
let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  app.app.engine.register(definition);
});
afterAll(() => app.close());
beforeEach(() => toys.reset());

const start = (about: Parameters<typeof startToy>[3] = {}) =>
  startToy(app.database.db, app.app.engine, definition, { team: 'cranes', createdBy: mats, ...about });
const view = async (actor: Actor, pipelineId: string) =>
  (await app.call(actor, pipelineView, { params: { pipelineId } })).body as PipelineRun;
const endless = (c: ToyContext) => new Promise<void>((_, reject) => c.signal.addEventListener('abort', () => reject(c.signal.reason)));

test('pipelineView answers the latest run or the one asked for; v1 the same; 404 for none', async () => {
  toys.run.BuildImage = async () => {
    throw new StepFailure('BuildNoStartCommand');
  };
  const { pipelineId, runId } = await start({ subject: 'app:berth' });
  await app.ended(pipelineId);
  toys.reset();
  await app.run('member', pipelineRerun, { params: { pipelineId } });
  const latest = await app.call('stranger', pipelineView, { params: { pipelineId } });
  expect(latest).toMatchObject({
    status: 200,
    body: { status: { state: 'COMPLETED' }, can: { cancel: 'NotAMember', rerun: 'NotAMember' } },
  });
  expect((latest.body as PipelineRun).runs).toMatchObject([
    { number: 2, state: 'COMPLETED', createdBy: 'Mats Member' },
    { runId, number: 1, state: 'FAILED' },
  ]);
  const v1 = await app.call('member', pipelineViewV1, { params: { pipelineId }, query: { runId } });
  expect(v1).toMatchObject({ status: 200, body: { runId, status: { state: 'FAILED' }, can: { rerun: true } } });
  expect(await app.call('member', pipelineView, { params: { pipelineId: 'pl_none' } })).toMatchObject({ status: 404 });
});

test('pipelineCancel stops a run and is in the activity log', async () => {
  toys.run.BuildImage = endless;
  const { pipelineId } = await start();
  await runWhen(app.database.db, pipelineId, (run) => run.status.steps[1]?.state === 'RUNNING');
  expect(await app.call('stranger', pipelineCancel, { params: { pipelineId } })).toMatchObject({
    status: 403,
    body: { name: 'NotAMember' },
  });
  const run = await app.run('member', pipelineCancel, { params: { pipelineId } });
  expect(run.status.state).toBe('CANCELED');
  expect(run.status.steps[1]?.message).toEqual({ code: 'Canceled', context: { by: 'Mats Member' } });
  const entries = await app.database.db.selectFrom('activity').selectAll().where('pipeline_id', '=', pipelineId).execute();
  expect(entries).toMatchObject([{ type: 'pipelineCancel', actor_id: 'mats', team_id: 'cranes' }]);
  expect(await app.call('member', pipelineCancel, { params: { pipelineId } })).toMatchObject({
    status: 409,
    body: { name: 'PipelineUncancellableState' },
  });
});

test('pipelineRerun starts at the failed step or over, once', async () => {
  toys.run.StartInstances = async () => {
    throw new StepFailure('OutOfMemory', { limit: '64' });
  };
  const { pipelineId } = await start();
  const failed = await app.ended(pipelineId);
  expect(failed.statusMessage).toBe('The instances were stopped for using more than 64 MB of memory.');
  toys.reset();
  const run = await app.run('owner', pipelineRerun, { params: { pipelineId }, body: { from: 'start' } });
  expect(run).toMatchObject({ status: { state: 'COMPLETED' }, createdBy: { id: 'olga' } });
  expect(toys.trace).toEqual(['ReadSource', 'BuildImage', 'StartInstances']);
  expect(await app.call('owner', pipelineRerun, { params: { pipelineId } })).toMatchObject({
    status: 409,
    body: { name: 'PipelineNotFailed' },
  });
});

test('a pipeline of a type that this version does not know is neither re-run nor cancelled', async () => {
  await seedPipeline(app.database.db, { id: 'pl_old', type: 'Retired', subject: 'app:old', state: 'FAILED' });
  await seedPipeline(app.database.db, { id: 'pl_queued', type: 'Retired', subject: 'app:queued', state: 'QUEUED' });
  const refused = { status: 400, body: { name: 'PipelineTypeNotSupported' } };
  expect(await app.call('member', pipelineRerun, { params: { pipelineId: 'pl_old' } })).toMatchObject(refused);
  expect(await app.call('member', pipelineCancel, { params: { pipelineId: 'pl_queued' } })).toMatchObject(refused);
});

test('pipelineRerun is refused while another pipeline works on the subject', async () => {
  toys.run.ReadSource = async () => {
    throw new StepFailure('SourceTooLarge', { limit: '1 GB' });
  };
  const first = await start({ subject: 'app:shared' });
  await app.ended(first.pipelineId);
  toys.run.ReadSource = endless;
  const second = await start({ subject: 'app:shared' });
  expect(await app.call('member', pipelineRerun, { params: { pipelineId: first.pipelineId } })).toMatchObject({
    status: 409,
    body: { name: 'WorkflowExecutionAlreadyStarted' },
  });
  await app.run('member', pipelineCancel, { params: { pipelineId: second.pipelineId } });
});

test('pipelineStepLogs answers lines after a number, by code or index, to members alone', async () => {
  toys.run.BuildImage = async (c) => {
    c.log('one');
    c.log('two', 'WARNING');
  };
  const { pipelineId } = await start();
  await app.ended(pipelineId);
  const byCode = await app.call('member', pipelineStepLogs, { params: { pipelineId, step: 'BuildImage' } });
  expect((byCode.body as LogEntry[]).map(({ number, level, line }) => [number, level, line])).toEqual([
    [1, 'INFO', 'one'],
    [2, 'WARNING', 'two'],
  ]);
  const byIndex = await app.call('member', pipelineStepLogs, { params: { pipelineId, step: '1' }, query: { after: 1 } });
  expect(byIndex.body).toMatchObject([{ line: 'two' }]);
  expect(await app.call('stranger', pipelineStepLogs, { params: { pipelineId, step: '1' } })).toMatchObject({ status: 403 });
});

test('pipelineList pages through the latest runs, filtered', async () => {
  toys.run.ReadSource = endless;
  const { pipelineId } = await start({ team: 'customs', subject: 'app:manifest' });
  const { pipelineId: done } = await start({ subject: 'app:listed' });
  await runWhen(app.database.db, pipelineId, (run) => run.status.state === 'RUNNING');
  const list = async (query: Record<string, unknown>) => (await app.call('member', pipelineList, { query })).body as Page<PipelineRun>;
  expect((await list({ active: true, team: 'customs' })).content.map((run) => run.pipelineId)).toEqual([pipelineId]);
  expect((await list({ subject: 'app:listed' })).content.map((run) => run.pipelineId)).toEqual([done]);
  expect((await list({ query: 'manif' })).content.map((run) => run.subject.app)).toEqual(['manifest']);
  expect((await list({ state: ['RUNNING', 'CANCELED'], team: 'customs' })).content).toHaveLength(1);
  expect((await list({ state: 'FAILED', team: 'customs' })).content).toEqual([]);
  expect((await list({ trigger: 'push' })).content).toEqual([]);
  expect((await list({ type: 'Toy', trigger: 'person', sort: 'createdAt', size: 100 })).content.at(-1)?.pipelineId).toBe(done);
  expect(await app.call('member', pipelineList, { query: { state: 'DONE' } })).toMatchObject({ status: 400 });
  const page = await list({ size: 1, page: 1 });
  expect(page).toMatchObject({ number: 1, size: 1, first: false });
  expect(page.content[0]?.pipelineId).toBe(pipelineId);
  await app.run('stranger', pipelineCancel, { params: { pipelineId } });
  await app.run('member', pipelineCancel, { params: { pipelineId: done } });
  expect((await view('member', done)).status.state).toBe('CANCELED');
});
