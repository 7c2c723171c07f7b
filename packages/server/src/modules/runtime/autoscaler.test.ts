// @long (shared process): tries rare cases that take long
/** The autoscaler on real instances that burn processor time, and what keeps it from acting. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import { createLog } from '#kernel/log.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { goodMain, good } from '#testing/programs.ts';
import { Autoscaler } from './autoscaler.ts';
import { sweepIdle } from './leader-tasks.ts';
import { scalableRevisions } from './scaling.sql.ts';
import { StatsWindow, type AverageUse } from './stats-window.ts';

let app: TestApp;
let now = 0;
let autoscaler: Autoscaler;
const params = { app: 'berth', env: 'development', service: 'berth' };
const busyMain = goodMain('one').replace(
  "if (request.url === '/env')",
  "if (request.url === '/burn') setInterval(() => { const end = Date.now() + 90; while (Date.now() < end); }, 100);\n  if (request.url === '/env')",
);

beforeAll(async () => {
  const files = good('one').map((file) => (file.path === 'main.js' ? { ...file, content: Buffer.from(busyMain) } : file));
  app = await testApp({ templates: async () => files, runtimeTimings: { beatMs: 3_600_000 } });
  await app.run('member', quickstartApplicationCreate, { body: { id: 'berth', teamId: 'cranes', template: 'node-web' } });
});
afterAll(() => app?.close());
beforeEach(() => {
  now = 0;
  autoscaler = new Autoscaler({
    db: app.database.db,
    log: createLog('silent'),
    limits: 'observed',
    settleSeconds: 0,
    downWindowMs: 300_000,
  });
});

const rows = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await app.database.pool.query<Row>(text, values)).rows;
const scaling = (change: object) =>
  rows(`update service set spec = jsonb_set(spec, '{template,replicaScaling}', spec #> '{template,replicaScaling}' || $1::jsonb)`, [
    JSON.stringify({ scalingType: 'AUTO', minReplicas: 1, maxReplicas: 3, cpuUtilization: 80, ...change }),
  ]);
const wanted = async () => (await rows<{ wanted: number }>('select replicas_wanted as wanted from revision'))[0]?.wanted;
const ready = (count: number) =>
  expect
    .poll(async () => ((await app.call('member', serviceView, { params })).body as Service).status)
    .toMatchObject({ health: 'HEALTHY', replicasReady: count, replicasWanted: count });
const instances = async () => (await rows<{ id: string }>(`select id from instance where state = 'READY' order by id`)).map(({ id }) => id);
const using = async (...cpu: number[]): Promise<ReadonlyMap<string, AverageUse>> =>
  new Map((await instances()).map((id, index) => [id, { cpuMillicores: cpu[index] ?? 0, memoryMegabytes: 50 }]));
const tick = async (use: ReadonlyMap<string, AverageUse>, seconds = 0) => autoscaler.tick(use, (now += seconds * 1000));

test('a service of a fixed size is left alone', async () => {
  expect((await scalableRevisions(app.database.db)).values).toEqual([]);
});

test('instances that burn processor time get company, which is reported', async () => {
  await scaling({ cpuUtilization: 60 });
  const window = new StatsWindow(15_000);
  const { url } = ((await app.call('member', serviceView, { params })).body as Service).status;
  await app.get(`${url ?? ''}burn`);
  await expect
    .poll(
      async () => {
        window.push(await app.adapters.runtime.stats(), Date.now());
        await tick(window.averages(Date.now()), 15);
        return wanted();
      },
      { interval: 600 },
    )
    .toBeGreaterThan(1);
  await ready((await wanted()) ?? 0);
  const [entry] = await rows<{ actor_name: string; message: string; before: unknown }>(
    `select actor_name, message, before from activity where type = 'serviceScaling' order by at`,
  );
  expect(entry).toMatchObject({ actor_name: 'Slipway', before: { replicas: 1 } });
  expect(entry?.message).toMatch(
    /^berth-1 scales from 1 to \d instances: its instances use \d+ % of their CPU on average, 60 % is the target$/,
  );
  expect(await rows(`select 1 from instance_event where type = 'modified' and reason = 'ScaledUp' and instance = 'berth-1'`)).toHaveLength(
    1,
  );
});

test('going down waits for five minutes without need, and ends at the lower bound', async () => {
  await scaling({ minReplicas: 2, maxReplicas: 3 });
  await rows('update revision set replicas_wanted = 3');
  await expect.poll(async () => (await instances()).length).toBe(3);
  await tick(await using(0, 0, 0));
  await tick(await using(0, 0, 0), 299);
  expect(await wanted()).toBe(3);
  await tick(await using(0, 0, 0), 2);
  expect(await wanted()).toBe(2);
  await ready(2);
});

test('new bounds are kept at once', async () => {
  await scaling({ minReplicas: 1, maxReplicas: 1 });
  await tick(await using(200, 200));
  expect(await wanted()).toBe(1);
  await ready(1);
  const [entry] = await rows<{ message: string }>(`select message from activity where type = 'serviceScaling' order by at desc limit 1`);
  expect(entry?.message).toContain('its settings ask for 1 to 1');
});

test.each<[string, string, string]>([
  [
    'while a pipeline of the service is at work',
    `insert into pipeline_run (run_id, pipeline_id, number, type, subject, state, input, created_by, created_by_name)
      select 'at-work', id, 99, 'Still', 'service:berth/development/berth', 'QUEUED', '{}', 'olga', 'Olga' from pipeline limit 1`,
    `delete from pipeline_run where run_id = 'at-work'`,
  ],
  ['for an inactive service', 'update service set active = false', 'update service set active = true'],
  ['for a revision that does not serve', `update service set serving = '{}'`, `update service set serving = '{berth-1}'`],
  ['for a scaled-down service', 'update revision set replicas_wanted = 0', 'update revision set replicas_wanted = 1'],
])('nothing is done %s', async (_name, make, undo) => {
  await scaling({ minReplicas: 2 });
  await rows(make);
  const before = await wanted();
  await tick(new Map());
  expect(await wanted()).toBe(before);
  await rows(undo);
});

test('the instances of a service that nobody asks for days stop', async () => {
  await rows(`update service set created_at = now() - interval '2 days', spec = spec || '{"scaleDownAfterDays":1}'`);
  await rows(`update revision set created_at = now() - interval '2 days'`);
  await rows(`update pipeline_run set ended_at = now() - interval '2 days'`);
  await rows(`update edge_stat set last_request_at = now() - interval '2 days'`);
  await sweepIdle(app.database.db);
  await expect
    .poll(async () => ((await app.call('member', serviceView, { params })).body as Service).status)
    .toMatchObject({ health: 'NO_INSTANCES', replicasReady: 0 });
  expect(await app.adapters.runtime.list()).toEqual([]);
});
