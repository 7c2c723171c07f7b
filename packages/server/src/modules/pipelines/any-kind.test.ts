/** A kind declares itself, and its pipelines have a page, lists, activity, hints and rights: nothing else needs to know it. */
import { appActivityList, teamActivityList, type ActivityPage } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { answersOf } from '@slipway/contract/hint.ts';
import { pipelinePathOf, rowKey, subjectKey, subjectPath } from '@slipway/contract/kinds.ts';
import {
  pipelineCancel,
  pipelineList,
  pipelineRerun,
  pipelineStepLogs,
  pipelineView,
  type PipelineRun,
} from '@slipway/contract/pipeline/pipeline.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { people, type Actor } from '#testing/actors.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { listenWith } from '#testing/attacks/event-listener.ts';
import { seedApp } from '#testing/fixtures.ts';
import { bargeOf, createBarge } from './barge.fixture.ts';
import { StepFailure } from './definition.ts';
import { runPage } from './pipelines.sql.ts';

let app: TestApp;
let gate = async (): Promise<void> => {};
const definition = createBarge(() => gate());
const tug = bargeOf('tug', 'brg_1');
const key = 'barge:berth/development/tug';

beforeAll(async () => {
  app = await testApp();
  app.app.engine.register(definition);
  await seedApp(app.database.db, { id: 'berth' });
});
afterAll(() => app?.close());

const start = async (subject = tug): Promise<string> => {
  const createdBy = { id: people.member.id, displayName: people.member.name };
  const options = { input: {}, subject, createdBy, trigger: 'person' };
  return (await transaction(app.database.db, (trx) => app.app.engine.start(trx, definition, options))).pipelineId;
};
const list = async (query: object) => (await app.call('member', pipelineList, { query: { ...query } })).body as Page<PipelineRun>;
const idsOf = ({ content }: Page<PipelineRun>) => content.map(({ pipelineId }) => pipelineId);

test('its pipeline has a page, whose answer says what it is about', async () => {
  const pipelineId = await start();
  await app.ended(pipelineId);
  const run = (await app.call('member', pipelineView, { params: { pipelineId } })).body as PipelineRun;
  expect(run).toMatchObject({ pipelineType: 'CreateBarge', subject: { kind: 'barge', name: 'tug', key, team: 'cranes', app: 'berth' } });
  expect(run.subject).toMatchObject({ env: 'development', service: null, revision: null });
  expect(pipelinePathOf(run.subject, pipelineId)).toBe(`/pipelines/${pipelineId}`);
  expect(subjectPath(run.subject)).toBe('/app/berth/development/barge/tug');
  expect(subjectKey(tug)).toBe(key);
});

test('lists show it by its own name, its row, its app and its team, the newest first', async () => {
  const other = await start(bargeOf('other', 'brg_2'));
  await app.ended(other);
  const former = await start(bargeOf('reused', 'brg_3'));
  await app.ended(former);
  const later = await start(bargeOf('reused', 'brg_4'));
  await app.ended(later);
  expect(idsOf(await list({ subject: 'barge:berth/development/other' }))).toEqual([other]);
  expect(idsOf(await list({ subject: 'barge:berth/development/reused' }))).toEqual([later, former]);
  expect(idsOf(await list({ subject: 'app:berth', type: 'CreateBarge' })).slice(0, 3)).toEqual([later, former, other]);
  expect(idsOf(await list({ team: 'cranes', size: 3 }))).toEqual([later, former, other]);
  expect(idsOf(await list({ query: 'reus' }))).toEqual([later, former]);
  const actor = { id: 'x', isAdministrator: true, memberOf: new Set<string>(), ownerOf: new Set<string>() };
  const byRow = await runPage(app.database.db, { subject: rowKey({ kind: 'barge' }, 'brg_3'), page: 0, size: 9 }, actor);
  expect(idsOf(byRow)).toEqual([former]);
  expect(errorsOf(await app.call('member', pipelineList, { query: { subject: 'barge:berth' } }))).toEqual([400, 'subject: InvalidValue']);
});

test('activity is filtered by it, and offers it among the choices', async () => {
  await app.ended(await start(bargeOf('logged', 'brg_5')));
  const query = { subject: 'barge:berth/development/logged' };
  const logs = await Promise.all([
    app.call('member', appActivityList, { params: { app: 'berth', env: 'development' }, query }),
    app.call('member', teamActivityList, { params: { team: 'cranes' }, query }),
  ]);
  for (const { body } of logs) {
    const { content, facets } = body as ActivityPage;
    expect(content.map(({ message }) => message)).toEqual(['Create barge for logged completed']);
    expect(content[0]?.subject).toMatchObject({ kind: 'barge', name: 'logged' });
    expect(facets.subjects.map((subject) => subject.key)).toContain(query.subject);
  }
});

test('what is hidden from strangers is hidden with its pipelines', async () => {
  const params = { pipelineId: await start(bargeOf('hidden', 'brg_8')) };
  await app.ended(params.pipelineId);
  for (const route of [pipelineView, pipelineRerun, pipelineCancel])
    expect(errorsOf(await app.call('stranger', route, { params }))).toEqual([404, 'undefined: PipelineDoesNotExist']);
  expect(await app.call('stranger', pipelineStepLogs, { params: { ...params, step: '0' } })).toMatchObject({ status: 404 });
  const query = { subject: 'barge:berth/development/hidden' };
  const found = async (actor: Actor) => ((await app.call(actor, pipelineList, { query })).body as Page<PipelineRun>).totalElements;
  expect([await found('stranger'), await found('member'), await found('administrator')]).toEqual([0, 1, 1]);
});

test('a hint of its pipeline makes its own lists old, and reaches members alone, as a hint of it does', async () => {
  const [member, stranger] = await Promise.all(
    (['member', 'stranger'] as const).map(async (actor) => listenWith(app.url, await app.signIn.token(actor))),
  );
  const pipelineId = await start(bargeOf('heard', 'brg_6'));
  const hint = { kind: 'pipeline', about: 'barge', team: 'cranes', app: 'berth', env: 'development', barge: 'heard', pipelineId };
  await expect.poll(() => member?.hints).toContainEqual(hint);
  expect(answersOf(hint)).toEqual(expect.arrayContaining(['pipeline', 'barge']));
  await app.ended(pipelineId);
  const own = { kind: 'barge', app: 'berth', env: 'development', barge: 'heard' };
  await notifyChange(app.database.db, own);
  await notifyChange(app.database.db, { kind: 'app', app: 'berth' });
  for (const stream of [member, stranger]) await expect.poll(() => stream?.hints).toContainEqual({ kind: 'app', app: 'berth' });
  expect(member?.hints).toContainEqual(own);
  expect(stranger?.hints).toEqual([{ kind: 'app', app: 'berth' }]);
  for (const stream of [member, stranger]) stream?.close();
});

test('its definition says who may step in', async () => {
  gate = async () => {
    throw new StepFailure('OutOfMemory', { limit: '64' });
  };
  const pipelineId = await start(bargeOf('failed', 'brg_7'));
  await app.ended(pipelineId);
  gate = async () => {};
  const params = { pipelineId };
  for (const route of [pipelineRerun, pipelineCancel])
    expect(errorsOf(await app.call('member', route, { params }))).toEqual([403, 'undefined: NotAnOwner']);
  const run = (await app.call('member', pipelineView, { params })).body as PipelineRun;
  expect(run.can).toEqual({ cancel: 'NotAnOwner', rerun: 'NotAnOwner', stopWaiting: 'NotAnOwner' });
  expect((await app.run('owner', pipelineRerun, { params })).status.state).toBe('COMPLETED');
});
