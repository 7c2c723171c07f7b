/** The dashboard's list: health of both environments, last deploy, two weeks of deploys, facets, order and pages. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applicationSummaryList, type ApplicationSummaryPage } from '@slipway/contract/application.ts';
import type * as z from 'zod/mini';
import { testApp, type TestApp } from '#testing/app.ts';
import type { Actor } from '#testing/actors.ts';
import { seedApp, seedPipeline, seedRevision, seedService } from '#testing/fixtures.ts';

let app: TestApp;
const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);

const seed = async () => {
  const { db } = app.database;
  for (const id of ['healthy', 'failing', 'pending', 'inactive', 'nothing']) await seedApp(db, { id });
  await seedApp(db, { id: 'not-created', state: 'NOT_CREATED' });
  await seedApp(db, { id: 'declarations', team: 'customs', macId: 'MAC-7' });
  const healthy = await seedService(db, { app: 'healthy', serving: ['healthy-2'] });
  await seedRevision(db, { serviceId: healthy, service: 'healthy', number: 1, status: 'DELETED', createdAt: daysAgo(3) });
  await seedRevision(db, { serviceId: healthy, service: 'healthy', number: 2, createdAt: daysAgo(2) });
  // A failed deploy does not make the service unhealthy while the old revision keeps serving.
  await seedRevision(db, {
    serviceId: healthy,
    service: 'healthy',
    number: 3,
    status: 'NO_INSTANCES',
    isFailed: true,
    createdAt: daysAgo(1),
  });
  const production = await seedService(db, { app: 'healthy', environment: 'production', active: false });
  await seedRevision(db, { serviceId: production, service: 'healthy', number: 1, status: 'NO_INSTANCES', createdAt: daysAgo(9) });
  const failing = await seedService(db, { app: 'failing' });
  await seedRevision(db, {
    serviceId: failing,
    service: 'failing',
    number: 1,
    status: 'NO_INSTANCES',
    isFailed: true,
    createdAt: daysAgo(5),
  });
  const pending = await seedService(db, { app: 'pending' });
  await seedRevision(db, { serviceId: pending, service: 'pending', number: 1, status: 'PENDING', createdAt: daysAgo(4) });
  await seedService(db, { app: 'inactive', active: false });
  for (const [id, state, days] of [
    ['a', 'COMPLETED', 1],
    ['b', 'FAILED', 1],
    ['c', 'COMPLETED', 13],
    ['d', 'COMPLETED', 14],
  ] as const) {
    const of = { type: 'Deploy', subject: 'service:healthy/development/healthy', app: 'healthy', service: 'healthy' };
    await seedPipeline(db, { id: `pl-${id}`, ...of, state, endedAt: daysAgo(days) });
  }
  await seedPipeline(db, {
    id: 'pl-now',
    type: 'Deploy',
    subject: 'service:pending/development/pending',
    app: 'pending',
    service: 'pending',
    state: 'RUNNING',
  });
};

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  await seed();
});
afterAll(() => app?.close());

const page = async (query: object = {}, actor: Actor = 'owner') =>
  (await app.call(actor, applicationSummaryList, { query: { ...query } })).body as z.infer<typeof ApplicationSummaryPage>;
const ids = async (query: object = {}, actor: Actor = 'owner') => (await page(query, actor)).content.map(({ id }) => id);

test('shows the health of both environments by what serves, else by the newest revision', async () => {
  const { content } = await page();
  const health = Object.fromEntries(content.map(({ id, health: { development, production } }) => [id, [development, production]]));
  expect(health).toEqual({
    healthy: ['HEALTHY', 'INACTIVE'],
    failing: ['FAILING', 'NONE'],
    pending: ['PENDING', 'NONE'],
    inactive: ['INACTIVE', 'NONE'],
    nothing: ['NONE', 'NONE'],
    'not-created': ['NONE', 'NONE'],
    declarations: ['NONE', 'NONE'],
  });
});

test('shows the last deploy, what runs now, and fourteen days', async () => {
  const { content } = await page({ query: 'healthy' });
  expect(content[0]).toMatchObject({ lastDeploy: { by: 'Olga Owner', revision: 'healthy-3', env: 'development' }, running: null });
  const days = content[0]?.deploys ?? [];
  expect([days.length, days[12], days[0]]).toEqual([14, { completed: 1, failed: 1 }, { completed: 1, failed: 0 }]);
  expect(days.reduce((sum, day) => sum + day.completed, 0)).toBe(2);
  const running = (await page({ query: 'pending' })).content[0]?.running;
  expect(running).toEqual({ pipelineId: 'pl-now', pipelineType: 'Deploy', stepsDone: 0, stepsTotal: 1 });
});

test('shows what needs a look first, then what moves, then the alphabet', async () => {
  expect(await ids()).toEqual(['failing', 'not-created', 'pending', 'declarations', 'healthy', 'inactive', 'nothing']);
});

test('sorts by name, team and last deploy, both ways', async () => {
  const byName = await ids({ sort: 'name' });
  expect(byName).toEqual(byName.toSorted());
  expect(await ids({ sort: '-name' })).toEqual(byName.toReversed());
  expect((await ids({ sort: '-team' }))[0]).toBe('declarations');
  expect((await ids({ sort: '-lastDeploy' })).slice(0, 3)).toEqual(['healthy', 'pending', 'failing']);
  expect((await ids({ sort: 'lastDeploy' })).slice(-3)).toEqual(['failing', 'pending', 'healthy']);
});

test('finds by name, team and macId', async () => {
  expect(await ids({ query: 'AIL' })).toEqual(['failing']);
  expect(await ids({ query: 'team customs' })).toEqual(['declarations']);
  expect(await ids({ query: 'mac-7' })).toEqual(['declarations']);
  expect(await ids({ query: '_' })).toEqual([]);
});

test('counts the tabs over the text, and the facets over the tab', async () => {
  expect((await page({}, 'stranger')).counts).toMatchObject({ mine: 1, all: 7 });
  expect(await ids({ mine: true }, 'stranger')).toEqual(['declarations']);
  const { counts, totalElements } = await page({ mine: true, health: ['FAILING', 'PENDING'] });
  expect(totalElements).toBe(2);
  expect(counts.teams).toEqual([{ id: 'cranes', name: 'Team cranes', count: 6 }]);
  expect(counts.health).toEqual({ FAILING: 1, PENDING: 1, HEALTHY: 1, INACTIVE: 1, NONE: 2 });
  expect(await ids({ team: ['customs', 'nowhere'] })).toEqual(['declarations']);
});

test('pages', async () => {
  const all = await ids({ sort: 'name' });
  const third = await page({ sort: 'name', size: 2, page: 2 });
  expect(third).toMatchObject({ number: 2, totalPages: 4, totalElements: 7, first: false, last: false });
  expect(third.content.map(({ id }) => id)).toEqual(all.slice(4, 6));
  expect(await page({ page: 9 })).toMatchObject({ content: [], totalElements: 7, last: true });
});
