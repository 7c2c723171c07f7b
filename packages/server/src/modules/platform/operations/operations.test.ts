/** The operator's page over HTTP: replicas, engines that fail, queues, what differs, and the cost of a look. */
import pino from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { operationsView, queues, type Operations } from '@slipway/contract/operations.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedPipeline, seedRevision, seedService } from '#testing/fixtures.ts';
import { probedEngines } from './engine-probes.ts';
import { EngineWatch } from './engine-watch.ts';
import { ReplicaHeartbeat } from './replicas.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
});
afterAll(() => app?.close());

const look = async (): Promise<Operations> => {
  const { status, body } = await app.call('administrator', operationsView);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Operations;
};

test('names the replica that answers, with version, roles and heartbeat', async () => {
  await expect.poll(async () => (await look()).replicas).toMatchObject([{ roles: ['api'], isAlive: true, isThis: true, leaseSince: null }]);
});

test('a replica without heartbeats is away, one that stops in order is gone', async () => {
  const { db } = app.database;
  const other = new ReplicaHeartbeat(db, { name: 'other:1', version: '9.9.9', roles: ['worker'] }, pino({ level: 'silent' }));
  other.start();
  const otherOf = async () => (await look()).replicas.find(({ name }) => name === 'other:1');
  await expect.poll(otherOf).toMatchObject({ version: '9.9.9', isAlive: true, isThis: false });
  await db
    .updateTable('platform_replica')
    .set({ seen_at: new Date(Date.now() - 120_000) })
    .where('id', '=', other.id)
    .execute();
  expect(await otherOf()).toMatchObject({ isAlive: false });
  await other.stop();
  expect(await otherOf()).toBeUndefined();
});

test('asks every engine, and names what no app uses', async () => {
  const { engines } = await look();
  const states = Object.fromEntries(engines.map(({ id, state }) => [id, state]));
  expect(states).toMatchObject({
    database: 'OK',
    registry: 'OK',
    source: 'OK',
    keys: 'OK',
    databases: 'UNUSED',
    directory: 'OK',
    mail: 'OK',
  });
  expect(engines.find(({ id }) => id === 'database')?.version).toMatch(/^\d+/);
  const times = engines.map(({ latencyMs }) => latencyMs);
  expect(Math.max(...times)).toBeLessThan(5000);
});

test('an engine that is away keeps its version, and says since when and why', async () => {
  let isAway = false;
  const probe = async (): Promise<string> => {
    if (isAway) throw new Error('connect ECONNREFUSED 10.0.0.7:9092');
    return '4.1.1';
  };
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  try {
    const watch = new EngineWatch([{ id: 'streaming', technology: 'kafka', probe }]);
    const [first] = await watch.look();
    expect(first).toMatchObject({ state: 'OK', version: '4.1.1', failure: null });
    isAway = true;
    // Somebody else looked just now.
    expect((await watch.look())[0]).toMatchObject({ state: 'OK' });
    vi.advanceTimersByTime(10_000);
    const [failed] = await watch.look();
    expect(failed).toMatchObject({ state: 'FAILED', version: '4.1.1', failure: 'connect ECONNREFUSED 10.0.0.7:9092' });
    vi.advanceTimersByTime(10_000);
    const [again] = await watch.look();
    expect(again?.since).toBe(failed?.since);
    expect(again?.checkedAt).not.toBe(failed?.checkedAt);
  } finally {
    vi.useRealTimers();
  }
});

test('a runtime that serves with limits is degraded, not away', async () => {
  let answer = 'degraded: not served since the start: berth/production/berth';
  const { database, adapters } = app;
  const checks = () => ({ services: async () => answer });
  const runtimeOf = async () => {
    const engines = probedEngines({ database, adapters, checks });
    return (await new EngineWatch(engines).look()).find(({ id }) => id === 'runtime');
  };
  expect(await runtimeOf()).toMatchObject({ state: 'DEGRADED', failure: 'not served since the start: berth/production/berth' });
  answer = 'Services are starting.';
  expect(await runtimeOf()).toMatchObject({ state: 'FAILED', failure: 'Services are starting.' });
});

test('several looks at once ask an engine once', async () => {
  const probe = vi.fn(async () => '1');
  const watch = new EngineWatch([{ id: 'mail', technology: 'smtp', probe }]);
  await Promise.all([watch.look(), watch.look(), watch.look()]);
  expect(probe).toHaveBeenCalledTimes(1);
});

test('counts what waits, with the oldest, and stops counting', async () => {
  const { db } = app.database;
  const at = new Date(Date.now() - 3_600_000);
  await seedPipeline(db, { id: 'pl-old', type: 'Deploy', subject: 'service:berth/development/berth', app: 'berth', state: 'QUEUED' });
  await db.updateTable('pipeline_run').set({ created_at: at, is_latest: true }).where('pipeline_id', '=', 'pl-old').execute();
  const events = Array.from({ length: 1005 }, (_, index) => ({
    id: `evt-${index}`,
    type: 'backup.failed',
    entity: 'x',
    context: '{}',
    path: '/',
    identity_ids: [],
    at,
  }));
  await db.insertInto('notification_event').values(events).execute();
  const found = await look();
  expect(found.queues.map(({ id }) => id).toSorted()).toEqual(Object.keys(queues).toSorted());
  const queue = (id: string) => found.queues.find((one) => one.id === id);
  expect(queue('pipelinesWaiting')).toMatchObject({ count: 1, isCountAtLeast: false, oldestAt: at.toISOString() });
  expect(queue('notifications')).toMatchObject({ count: 1000, isCountAtLeast: true });
  expect(queue('imports')).toEqual({ id: 'imports', count: 0, isCountAtLeast: false, oldestAt: null });
  expect(found.pipelines).toMatchObject([{ pipelineId: 'pl-old', state: 'QUEUED', creationTimestamp: at.toISOString() }]);
});

test('lists services that fail, at most ten, and says that there are more', async () => {
  const { db } = app.database;
  await seedApp(db, { id: 'yard' });
  for (let index = 0; index < 11; index++) {
    const name = `yard-${String(index).padStart(2, '0')}`;
    const serviceId = await seedService(db, { app: 'yard', name, serving: [`${name}-1`] });
    await seedRevision(db, { serviceId, service: name, number: 1, status: 'FAILING' });
  }
  const { degraded, isMoreDegraded } = await look();
  expect([degraded.length, isMoreDegraded]).toEqual([10, true]);
  expect(degraded[0]).toMatchObject({ app: 'yard', env: 'development', problem: 'FAILING', subject: { kind: 'service', name: 'yard-00' } });
});

test('shows keys with their age, and no backup before the first', async () => {
  const { keys, backup } = await look();
  expect(keys).toMatchObject({ kind: 'file', currentKid: expect.any(String), rotatedAt: null });
  expect(backup).toBeNull();
});

test('a look makes a fixed number of queries', async () => {
  await look();
  const query = vi.spyOn(app.database.pool, 'query');
  const connect = vi.spyOn(app.database.pool, 'connect');
  await look();
  // Sign-in, keys, replicas, queues, pipelines with their usual durations, what differs, rows, backup.
  expect(query.mock.calls.length + connect.mock.calls.length).toBeLessThan(30);
  vi.restoreAllMocks();
});
