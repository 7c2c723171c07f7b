/** Metrics of revisions and services: written for all at once, thinned out, and read as even steps with gaps. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { seedPeople } from '#testing/actors.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';
import { MetricsRecorder } from './metrics-recorder.ts';
import { boundsOf, revisionSeries, serviceSeries, spans, thinOut } from './metrics.sql.ts';
import type { AverageUse } from './stats-window.ts';

let database: TestDatabase;
let serviceId: string;
let revisionId: string;
let recorder: MetricsRecorder;
/** On a full hour, so that steps of every range begin there. */
const start = Date.UTC(2026, 10, 20, 12);
const at = (seconds: number): Date => new Date(start + seconds * 1000);

beforeAll(async () => {
  database = await testDatabase();
  await seedPeople(database.db);
  await seedApp(database.db, { id: 'yard' });
  serviceId = await seedService(database.db, { app: 'yard', serving: ['yard-2'] });
  await seedRevision(database.db, { serviceId, service: 'yard', number: 1 });
  revisionId = await seedRevision(database.db, { serviceId, service: 'yard', number: 2 });
});
afterAll(() => database.drop());
beforeEach(async () => {
  for (const table of ['revision_metric', 'service_metric', 'instance']) await rows(`delete from ${table}`);
  recorder = new MetricsRecorder(database.db);
});

const rows = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await database.pool.query<Row>(text, values)).rows;
const instance = (number: number, id: string, state = 'READY') =>
  rows(`insert into instance (id, revision_id, state, since, node) values ($1, $2, $3, now(), 'here')`, [
    id,
    `rev-${serviceId}-${number}`,
    state,
  ]);
const use = (entries: Record<string, [cpu: number, memory: number]>): ReadonlyMap<string, AverageUse> =>
  new Map(Object.entries(entries).map(([id, [cpuMillicores, memoryMegabytes]]) => [id, { cpuMillicores, memoryMegabytes }]));
/** `requests` and `errors5xx` as counted since the edge began. */
const edge = (requests: number, errors5xx: number, p95Ms: number) => [
  {
    app: 'yard',
    environment: 'development' as const,
    service: 'yard',
    requests: 0,
    errors5xx: 0,
    p95Ms,
    lastRequestAt: undefined,
    total: { requests, errors5xx },
  },
];
const empty = {
  cpuMillicores: null,
  memoryMegabytes: null,
  maxMemoryMegabytes: null,
  instances: null,
  requests: null,
  errors: null,
  p95Ms: null,
};

test('what was counted under a former leader, and while there was none, is in no point', async () => {
  recorder = new MetricsRecorder(database.db, edge(1000, 7, 12));
  await recorder.record(at(0), use({}), edge(1040, 9, 12));
  expect(await rows('select requests, errors from service_metric')).toEqual([{ requests: 40, errors: 2 }]);
});

test('a point has sums over the instances, the largest, and the counts of its own spell', async () => {
  await instance(2, 'yard-2-a');
  await instance(2, 'yard-2-b');
  await instance(2, 'yard-2-c', 'CRASHED');
  await recorder.record(at(0), use({ 'yard-2-a': [100, 60], 'yard-2-b': [50, 90] }), edge(40, 2, 12));
  await recorder.record(at(15), use({ 'yard-2-a': [200, 60] }), edge(100, 2, 30));
  await recorder.record(at(45), use({}), edge(100, 2, 0));
  const points = await revisionSeries(database.db, { id: revisionId, serviceId }, '1h', at(60));
  expect(points).toHaveLength(240);
  expect(points.slice(0, -4).every((point) => point.cpuMillicores === null && point.requests === null)).toBe(true);
  const of = { cpuMillicores: 150, memoryMegabytes: 150, maxMemoryMegabytes: 90, instances: 2, requests: 40, errors: 2, p95Ms: 12 };
  expect(points.slice(-4)).toEqual([
    { at: at(0).toISOString(), ...of },
    {
      at: at(15).toISOString(),
      ...of,
      cpuMillicores: 200,
      memoryMegabytes: 60,
      maxMemoryMegabytes: 60,
      requests: 60,
      errors: 0,
      p95Ms: 30,
    },
    { at: at(30).toISOString(), ...empty },
    { at: at(45).toISOString(), ...empty, instances: 2, requests: 0, errors: 0 },
  ]);
});

test("an edge that counts anew is not taken for a service that lost requests; a stranger's figures are nobody's", async () => {
  await recorder.record(at(0), use({}), edge(500, 9, 1));
  await recorder.record(at(15), use({ 'gone-1-a': [1, 1] }), [...edge(7, 1, 1), { ...edge(5, 0, 1)[0]!, service: 'gone' }]);
  expect(await rows('select requests, errors from service_metric order by at')).toEqual([
    { requests: 500, errors: 9 },
    { requests: 7, errors: 1 },
  ]);
  expect(await rows('select 1 from revision_metric')).toEqual([]);
});

test('a service is the sum of its revisions at each moment', async () => {
  await instance(1, 'yard-1-a');
  await instance(2, 'yard-2-a');
  await recorder.record(at(0), use({ 'yard-1-a': [30, 40], 'yard-2-a': [100, 60] }), []);
  await recorder.record(at(15), use({ 'yard-1-a': [10, 40], 'yard-2-a': [100, 60] }), []);
  const points = await serviceSeries(database.db, serviceId, '6h', at(60));
  expect(points).toHaveLength(360);
  // A minute's mean of what was measured in it.
  expect(points.at(-1)).toMatchObject({ cpuMillicores: 120, memoryMegabytes: 100, maxMemoryMegabytes: 60, instances: 2, requests: null });
});

test('points are thinned out once, and long ranges do not wait for it', async () => {
  await instance(2, 'yard-2-a');
  for (let step = 0; step < 40; step++) {
    await recorder.record(
      at(step * 15),
      use({ 'yard-2-a': [step < 20 ? 100 : 200, 50 + step] }),
      edge(10 * (step + 1), step, step < 20 ? 4 : 8),
    );
  }
  const first = { cpuMillicores: 100, memoryMegabytes: 60, maxMemoryMegabytes: 69, instances: 1, requests: 200, errors: 19, p95Ms: 4 };
  const second = { cpuMillicores: 200, memoryMegabytes: 80, maxMemoryMegabytes: 89, instances: 1, requests: 200, errors: 20, p95Ms: 8 };
  const read = async () => (await revisionSeries(database.db, { id: revisionId, serviceId }, '24h', at(600))).slice(-2);
  expect(await read()).toMatchObject([first, second]);
  for (let times = 0; times < 2; times++) await thinOut(database.db, at(360));
  expect(await rows('select at, ready from revision_metric where step_seconds = 300')).toEqual([{ at: at(0), ready: 1 }]);
  expect(await read()).toMatchObject([first, second]);
  await thinOut(database.db, at(700));
  expect(await rows('select 1 from revision_metric where step_seconds = 300')).toHaveLength(2);
  expect(await read()).toMatchObject([first, second]);
  // Only the coarse ones are left, and long ranges the same.
  await thinOut(database.db, at(24 * 3600));
  expect(await rows('select 1 from service_metric where step_seconds = 15')).toEqual([]);
  const later = await revisionSeries(database.db, { id: revisionId, serviceId }, '14d', at(24 * 3600));
  expect(later.at(-24)).toEqual({
    at: at(0).toISOString(),
    ...first,
    cpuMillicores: 150,
    memoryMegabytes: 70,
    maxMemoryMegabytes: 89,
    requests: 400,
    errors: 39,
    p95Ms: 6,
  });
  await thinOut(database.db, at(15 * 24 * 3600));
  expect(await rows('select 1 from service_metric union all select 1 from revision_metric')).toEqual([]);
});

test('what a later point of the same beat says is added', async () => {
  await recorder.record(at(0), use({}), edge(5, 0, 1));
  await recorder.record(at(0), use({}), edge(8, 1, 1));
  expect(await rows('select requests, errors from service_metric')).toEqual([{ requests: 8, errors: 1 }]);
});

test.each(['1h', '6h', '24h', '14d'] as const)('%s has whole steps that are over', async (range) => {
  const now = at(3601.5);
  const { from, to } = boundsOf(range, now);
  const points = await serviceSeries(database.db, serviceId, range, now);
  expect(points[0]?.at).toBe(from.toISOString());
  expect(points).toHaveLength(spans[range].seconds / spans[range].stepSeconds);
  expect(to.getTime()).toBe(Date.parse(points.at(-1)?.at ?? '') + spans[range].stepSeconds * 1000);
  expect(now.getTime() - to.getTime()).toBeLessThan(spans[range].stepSeconds * 1000);
  expect(to <= now).toBe(true);
});
