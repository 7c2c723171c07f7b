/** Metrics over HTTP: points of a service and a revision, limits, and the deployments in the range. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { revisionMetrics, serviceMetrics, serviceScrape, type MetricSeries } from '@slipway/contract/service/metrics.ts';
import { pathOf } from '@slipway/contract/kernel/kernel.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';

let app: TestApp;
const params = { app: 'yard', env: 'development', service: 'yard' };
const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  const { db } = app.database;
  await seedApp(db, { id: 'yard' });
  const serviceId = await seedService(db, { app: 'yard', serving: ['yard-2'] });
  const small = { resources: { cpuMillicores: 100, memoryMegabytes: 64 } };
  await seedRevision(db, { serviceId, service: 'yard', number: 1, createdAt: minutesAgo(90), status: 'DELETED' });
  await seedRevision(db, { serviceId, service: 'yard', number: 2, createdAt: minutesAgo(30), change: (spec) => ({ ...spec, ...small }) });
  await app.database.pool.query(`update revision set reason = '{"type":"ROLLBACK","text":"The new one was slow"}' where number = 2`);
  await app.database.pool.query(
    `insert into revision_metric (revision_id, step_seconds, at, cpu_millicores, memory_megabytes, max_memory_megabytes, ready)
      select id, 15, date_bin('15 s', now() - interval '10 minutes', 'epoch'), 40 * number, 50, 50, 1 from revision`,
  );
  await app.database.pool.query(
    `insert into service_metric (service_id, step_seconds, at, requests, errors, p95_ms)
      select id, 15, date_bin('15 s', now() - interval '10 minutes', 'epoch'), 30, 3, 12.5 from service`,
  );
});
afterAll(() => app?.close());

const seriesOf = async (revision?: string, range?: string): Promise<MetricSeries> => {
  const route = revision ? revisionMetrics : serviceMetrics;
  const answer = await app.call('stranger', route, {
    params: { ...params, ...(revision ? { revision } : {}) },
    ...(range ? { query: { range } } : {}),
  });
  expect(answer.status).toBe(200);
  return answer.body as MetricSeries;
};
const measured = ({ points }: MetricSeries) => points.filter(({ requests }) => requests !== null);

test('a service is all its revisions, with the limits of what serves', async () => {
  const found = await seriesOf();
  expect(found).toMatchObject({ range: '1h', stepSeconds: 15, limits: { cpuMillicores: 100, memoryMegabytes: 64 }, scrape: null });
  expect(measured(found)).toMatchObject([{ cpuMillicores: 120, memoryMegabytes: 100, instances: 2, requests: 30, errors: 3, p95Ms: 12.5 }]);
  expect(found.points).toHaveLength(240);
  expect(found.points[0]?.at).toBe(found.from);
});

test('a revision has its own instances, the requests of its service, and no limits when it is gone', async () => {
  expect(measured(await seriesOf('yard-2'))).toMatchObject([{ cpuMillicores: 80, requests: 30 }]);
  const gone = await seriesOf('yard-1');
  expect(measured(gone)).toMatchObject([{ cpuMillicores: 40, requests: 30 }]);
  expect(gone.limits).toEqual({ cpuMillicores: null, memoryMegabytes: null });
});

test('what was deployed in the range is marked, with why', async () => {
  const rollback = { revision: 'yard-2', type: 'ROLLBACK', text: 'The new one was slow' };
  expect((await seriesOf()).markers).toMatchObject([rollback]);
  expect((await seriesOf(undefined, '6h')).markers).toMatchObject([{ revision: 'yard-1', type: 'DEPLOY', text: null }, rollback]);
});

test.each(['6h', '24h', '14d'])('%s is answered in its own steps', async (range) => {
  const { from, points, stepSeconds, to } = await seriesOf('yard-2', range);
  expect(points).toHaveLength((Date.parse(to) - Date.parse(from)) / 1000 / stepSeconds);
});

test('a scrape without figures says why, in the format that is read', async () => {
  const headers = { authorization: `Bearer ${await app.apiToken('member', ['read'])}` };
  const scrape = async () => (await fetch(`${app.url}${pathOf(serviceScrape, params)}`, { headers })).text();
  expect(await scrape()).toMatch(/^# The metrics endpoint of this service is off\. [^\n]+\n$/);
  await app.database.pool.query(`update service set spec = jsonb_set(spec, '{observability,metrics,enabled}', 'true')`);
  expect(await scrape()).toMatch(/^# No instance of this service has been asked yet\. [^\n]+\n$/);
  await app.database.pool.query(`update service set spec = jsonb_set(spec, '{observability,metrics,enabled}', 'false')`);
});

test('another range is refused, and what is not there is not found', async () => {
  expect(errorsOf(await app.call('member', serviceMetrics, { params, query: { range: '2h' } }))).toEqual([400, 'range: InvalidValue']);
  const nobody = { ...params, revision: 'yard-9' };
  expect((await app.call('member', revisionMetrics, { params: nobody })).status).toBe(404);
  expect((await app.call('member', serviceMetrics, { params: { ...params, service: 'yard-none' } })).status).toBe(404);
});
