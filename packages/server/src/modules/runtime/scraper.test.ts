/** Metrics endpoints of real instances: asked, kept, served again, and reported when they fail. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serviceMetrics, serviceScrape, type MetricSeries } from '@slipway/contract/service/metrics.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { createLog } from '#kernel/log.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { goodMain, good } from '#testing/programs.ts';
import { Scraper } from './scraper.ts';

let app: TestApp;
let scraper: Scraper;
const params = { app: 'berth', env: 'development', service: 'berth' };
const main = goodMain('one').replace(
  "if (request.url === '/env')",
  `if (request.url === '/metrics') return response.end('# TYPE calls counter\\ncalls{path="/"} 3\\n# TYPE heap gauge\\nheap 12\\n');
  if (request.url === '/env')`,
);

beforeAll(async () => {
  const files = good('one').map((file) => (file.path === 'main.js' ? { ...file, content: Buffer.from(main) } : file));
  app = await testApp({ templates: async () => files, runtimeTimings: { beatMs: 3_600_000 } });
  await app.run('member', quickstartApplicationCreate, { body: { id: 'berth', teamId: 'cranes', template: 'node-web' } });
  scraper = new Scraper({ db: app.database.db, runtime: app.adapters.runtime, log: createLog('silent') });
});
afterAll(() => app?.close());

const rows = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await app.database.pool.query<Row>(text, values)).rows;
const metrics = (change: object) =>
  rows(`update service set spec = jsonb_set(spec, '{observability,metrics}', $1::jsonb)`, [
    JSON.stringify({ enabled: true, path: '/metrics', port: null, ...change }),
  ]);
const scrape = async (actor: 'member' | 'stranger' = 'member') =>
  ((await app.call(actor, serviceMetrics, { params })).body as MetricSeries).scrape;
const text = async () => (await app.call('member', serviceScrape, { params })).body;
const failures = () =>
  rows<{ instance: string; count: number; detail: string }>(
    `select instance, count, context ->> 'detail' as detail from instance_event where reason = 'MetricsScrapeFailed' and type = 'warning' order by id`,
  );

test('nothing is asked that is not switched on', async () => {
  await scraper.tick();
  expect(await scrape()).toBeNull();
  expect(await text()).toMatch(/^# The metrics endpoint of this service is off\./);
});

test('every ready instance is asked; its counters are added, its gauges stand side by side', async () => {
  await rows('update revision set replicas_wanted = 2');
  await expect.poll(async () => rows(`select 1 from instance where state = 'READY'`)).toHaveLength(2);
  await metrics({ port: 8080 });
  await scraper.tick();
  const found = await scrape();
  expect(found).toMatchObject({ isUp: true, error: null });
  expect(Date.now() - Date.parse(found?.at ?? '')).toBeLessThan(20_000);
  expect(found?.samples.map(({ name, type, value }) => [name, type, value])).toEqual([
    ['calls', 'counter', 6],
    ['heap', 'gauge', 12],
    ['heap', 'gauge', 12],
  ]);
  expect(await failures()).toEqual([]);
});

test('a Prometheus gets all of it with the labels of the platform', async () => {
  const said = (await text()) as string;
  expect(said).toContain('slipway_scrape_up{app="berth",environment="development",service="berth"} 1\n');
  expect(said).toMatch(
    /calls\{path="\/",app="berth",environment="development",service="berth",revision="berth-1",instance="berth-1-\w+"\} 3\n/,
  );
});

test('others hear whether it answers, and not what', async () => {
  expect(await scrape('stranger')).toMatchObject({ isUp: true, samples: [] });
});

test('what is no metrics is reported once, and again when it comes back after a success', async () => {
  await metrics({ path: '/' });
  await scraper.tick();
  await scraper.tick();
  const found = await scrape();
  expect(found).toMatchObject({ isUp: false, samples: [] });
  expect(found?.error).toMatch(/^berth-1-\w+: line 1 is not in the Prometheus text format$/);
  expect((await failures()).map(({ count }) => count)).toEqual([1, 1]);
  expect((await failures())[0]?.detail).toBe('line 1 is not in the Prometheus text format');
  await metrics({});
  await scraper.tick();
  expect(await scrape()).toMatchObject({ isUp: true, error: null });
  await metrics({ path: '/' });
  await scraper.tick();
  expect((await failures()).map(({ count }) => count)).toEqual([2, 2]);
});

test('another port than its own cannot be reached, which is said', async () => {
  await metrics({ port: 9100 });
  await scraper.tick();
  expect((await scrape())?.error).toContain('Port 9100 cannot be reached');
  expect((await failures()).at(-1)).toMatchObject({ instance: 'berth-1', count: 1 });
});

test('an instance that is leaving while it is asked has not failed', async () => {
  await metrics({ path: '/' });
  await rows('delete from instance_event');
  await rows(`update instance set state = 'READY', id = 'berth-1-gone' where id = (select max(id) from instance)`);
  const fresh = new Scraper({ db: app.database.db, runtime: app.adapters.runtime, log: createLog('silent') });
  await fresh.tick();
  expect((await failures()).map(({ instance }) => instance)).not.toContain('berth-1-gone');
});

test('switched off, nothing is left', async () => {
  await metrics({ enabled: false });
  await scraper.tick();
  expect(await scrape()).toBeNull();
  expect(await rows('select 1 from service_scrape')).toEqual([]);
});
