/** Services that nobody asks for days are scaled down: which ones, what it leaves, and what starts them again. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { seedPeople } from '#testing/actors.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';
import { sweepIdle } from './leader-tasks.ts';
import { writeEdgeStats } from './observed.sql.ts';
import { idleServices, scaleDown } from './scaling.sql.ts';

let database: TestDatabase;
let serviceId: string;
const daysAgo = (days: number): Date => new Date(Date.now() - days * 24 * 3_600_000);

beforeAll(async () => {
  database = await testDatabase();
  await seedPeople(database.db);
  await seedApp(database.db, { id: 'yard' });
});
afterAll(() => database.drop());

/** Created, deployed and last asked eight days ago, to be scaled down after seven. */
beforeEach(async () => {
  await rows('delete from service');
  await rows('delete from activity');
  await rows('delete from pipeline');
  serviceId = await seedService(database.db, {
    app: 'yard',
    serving: ['yard-1'],
    change: (spec) => ({ ...spec, scaleDownAfterDays: 7 }),
  });
  await rows('update service set created_at = $1', [daysAgo(8)]);
  await seedRevision(database.db, { serviceId, service: 'yard', number: 1, createdAt: daysAgo(8) });
  await asked(8);
});

const rows = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await database.pool.query<Row>(text, values)).rows;
const asked = async (days: number): Promise<void> => {
  await rows('delete from edge_stat');
  await rows('insert into edge_stat (service_id, requests, errors, p95_ms, last_request_at) values ($1, 0, 0, 0, $2)', [
    serviceId,
    daysAgo(days),
  ]);
};
const ran = (state: string, ended: Date | null) =>
  rows(
    `with made as (insert into pipeline (id, type, subject, trigger, created_by, created_by_name)
        values ('pip', 'ServiceActivation', 'service:yard/development/yard', 'person', 'olga', 'Olga'))
      insert into pipeline_run (run_id, pipeline_id, number, type, subject, state, input, created_by, created_by_name, ended_at)
        values ('run', 'pip', 1, 'ServiceActivation', 'service:yard/development/yard', $1, '{}', 'olga', 'Olga', $2)`,
    [state, ended],
  );
const state = async () =>
  (
    await rows<{ active: boolean; serving: string[]; down: boolean; wanted: number }>(
      `select active, serving, scaled_down_at is not null as down, replicas_wanted as wanted from service join revision on service_id = service.id`,
    )
  )[0];

test('an idle service wants no instances, is active still, and the reason is shown', async () => {
  await sweepIdle(database.db);
  expect(await state()).toEqual({ active: true, serving: ['yard-1'], down: true, wanted: 0 });
  expect(await rows('select type, reason, message, actor_name, origin, service from activity')).toEqual([
    {
      type: 'serviceScaling',
      reason: 'ScaledDownIdle',
      message: 'yard was scaled down: no request for 7 days. A deploy or an activation starts it again',
      actor_name: 'Slipway',
      origin: 'platform',
      service: 'yard',
    },
  ]);
  expect(await rows('select type, instance, reason from instance_event')).toEqual([
    { type: 'modified', instance: 'yard-1', reason: 'ScaledDownIdle' },
  ]);
  await sweepIdle(database.db);
  expect(await rows('select 1 from activity')).toHaveLength(1);
});

test.each([
  ['without a port', `jsonb_set(spec, '{exposedPort}', 'null')`],
  ['without external traffic', `jsonb_set(spec, '{externalTraffic,type}', '"NONE"')`],
])('a service %s is never idle: nobody could tell', async (_name, spec) => {
  await rows(`update service set spec = ${spec}`);
  expect(await idleServices(database.db)).toEqual([]);
});

test('what was started again counts its idle days anew, from the end of the pipeline that did it', async () => {
  await sweepIdle(database.db);
  await rows('update revision set replicas_wanted = 1');
  await rows('update service set scaled_down_at = null');
  expect(await idleServices(database.db)).toHaveLength(1);
  await ran('COMPLETED', new Date());
  expect(await idleServices(database.db)).toEqual([]);
});

test('a service that nobody ever asked counts from its creation', async () => {
  await rows('delete from edge_stat');
  expect(await idleServices(database.db)).toMatchObject([{ service: 'yard', days: 7, team: 'cranes' }]);
});

test.each<[string, () => Promise<unknown>]>([
  ['that was asked within the days', () => asked(6.9)],
  ['that was deployed within the days', () => rows('update revision set created_at = $1', [daysAgo(6)])],
  ['that was activated within the days', () => ran('COMPLETED', daysAgo(3))],
  ['with a pipeline at work', () => ran('RUNNING', null)],
  ['without the setting', () => rows(`update service set spec = spec || '{"scaleDownAfterDays":null}'`)],
  ['that waits longer', () => rows(`update service set spec = spec || '{"scaleDownAfterDays":9}'`)],
  ['that is inactive', () => rows('update service set active = false')],
  ['that runs nothing', () => rows('update revision set replicas_wanted = 0')],
])('a service %s is left alone', async (_name, change) => {
  await change();
  await sweepIdle(database.db);
  expect(await state()).toMatchObject({ down: false });
  expect(await rows('select 1 from activity')).toEqual([]);
});

test('steady traffic, whose figures never change, keeps a service awake', async () => {
  const stats = { app: 'yard', environment: 'development', service: 'yard', requests: 60, errors5xx: 0, p95Ms: 4 } as const;
  const total = { requests: 60, errors5xx: 0 };
  await writeEdgeStats(database.db, [{ ...stats, total, lastRequestAt: daysAgo(8) }]);
  expect(await idleServices(database.db)).toHaveLength(1);
  await writeEdgeStats(database.db, [{ ...stats, total, lastRequestAt: new Date() }]);
  expect(await idleServices(database.db)).toEqual([]);
});

test('a pipeline that starts while it is decided goes first', async () => {
  const [idle] = await idleServices(database.db);
  const client = await database.pool.connect();
  await client.query('begin');
  await client.query('select id from service where id = $1 for update', [serviceId]);
  const deciding = scaleDown(database.db, idle!);
  const isWaiting = async () =>
    (await rows(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).length;
  await expect.poll(isWaiting).toBe(1);
  await ran('RUNNING', null);
  await client.query('commit');
  client.release();
  expect([await deciding, (await state())?.wanted]).toEqual([false, 1]);
});
