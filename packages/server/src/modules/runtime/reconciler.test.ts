/** The reconciler on the real runtime: restarts, lost locks, orphans, and what the rows say of it. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { serviceView, type Service } from '@slipway/contract/service.ts';
import type { Runtime } from '#ports/runtime.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faulty-port.ts';
import { steadyLoad } from '#testing/steady-load.ts';
import { good } from '#testing/programs.ts';

vi.setConfig({ testTimeout: 40_000 });

let app: TestApp;
let real: Runtime;
let runtime: FaultyPort<Runtime>;
let takeFailure: (() => unknown) | undefined;
let url: string;
const params = { app: 'berth', env: 'development', service: 'berth' };

beforeAll(async () => {
  app = await testApp({
    templates: async () => good('one'),
    adapt: (adapters) => {
      real = adapters.runtime;
      runtime = faultyPort(real);
      if (takeFailure) runtime.next('acquire', takeFailure);
      return { ...adapters, runtime: runtime.port };
    },
  });
  await app.run('member', quickstartApplicationCreate, { body: { id: 'berth', teamId: 'cranes', template: 'node-web' } });
  url = (await service()).status.url ?? '';
}, 60_000);
afterAll(() => app?.close());

const service = async () => (await app.call('member', serviceView, { params })).body as Service;
const statusOf = async () => (await app.get(url).catch(() => ({ status: 0 }))).status;
const rows = async <Row extends object>(sql: string): Promise<Row[]> => (await app.database.pool.query<Row>(sql)).rows;
const lockPid = async () =>
  (
    await rows<{ pid: number }>(`select pid from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database() and locktype = 'advisory' and granted and ((classid::bigint << 32) | objid::bigint) = ${LOCK}`)
  )[0]?.pid;
const takeOvers = () => rows(`select 1 from activity where type = 'runtimeTakeOver'`);

test('services come back after a restart, which is no news', async () => {
  const [before] = await rows<{ id: string }>('select id from instance');
  await app.restart();
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(200);
  await expect.poll(async () => (await service()).status).toMatchObject({ health: 'HEALTHY', replicasReady: 1, serving: 'berth-1' });
  const after = await rows<{ id: string }>('select id from instance');
  expect(after).toHaveLength(1);
  expect(after[0]?.id).not.toBe(before?.id);
  expect(await takeOvers()).toEqual([]);
  // Who reads the events learns that there is a gap.
  expect(await rows(`select instance from instance_event where type = 'bookmarked' and reason = 'Resynced'`)).toEqual([
    { instance: 'berth-1' },
  ]);
});

test('a program that ends says that nobody drives the runtime', async () => {
  expect(await rows('select replica from runtime_holder')).toHaveLength(1);
  await app.restart(async () => {
    expect(await rows('select replica from runtime_holder')).toEqual([]);
    expect(await statusOf()).toBe(0);
  });
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(200);
});

const LOCK = `hashtextextended('slipway:runtime', 0)`;
const endLockSession = async () => rows(`select pg_terminate_backend(${await lockPid()})`);

test('a holder that loses its session goes on serving, with the same instances, and takes changes again', async () => {
  const released = vi.fn();
  runtime.next('release', released);
  const before = await rows<{ id: string }>('select id from instance');
  const load = steadyLoad(app, url);
  for (let round = 0; round < 3; round++) {
    const pid = await lockPid();
    await endLockSession();
    await expect.poll(async () => [undefined, pid].includes(await lockPid()), { timeout: 10_000 }).toBe(false);
  }
  const { count, failures } = await load.stop();
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(10);
  expect(released).not.toHaveBeenCalled();
  runtime.next('release', () => real.release());
  expect(await rows('select id from instance')).toEqual(before);
  expect(await takeOvers()).toEqual([]);
});

test('a holder that sees another in its place lets go, and takes the runtime again when it can', async () => {
  const other = await app.database.pool.connect();
  const taken = other.query(`select pg_advisory_lock(${LOCK})`);
  await endLockSession();
  await taken;
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(0);
  other.release(true);
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(200);
});

test('a runtime that cannot be taken is tried again', async () => {
  const fail = vi.fn(() => Promise.reject(new Error('The port is taken')));
  takeFailure = fail;
  await app.restart();
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(200);
  expect(fail).toHaveBeenCalledOnce();
});

test('what has no row any more is stopped, and leaves the edge', async () => {
  const idle = await app.database.pool.query<{ id: string }>(`select id from service where name = 'berth'`);
  const spec = { app: 'orphan', environment: 'development', service: 'orphan', revision: 'orphan-1' } as const;
  const [row] = await rows<{ image_digest: string }>('select image_digest from revision');
  await app.adapters.runtime.ensureRevision({
    ...spec,
    image: { repository: 'berth/berth', digest: row?.image_digest ?? '' },
    env: {},
    files: [],
    exposedPort: 8080,
    health: undefined,
    cpuMillicores: 100,
    memoryMegabytes: 128,
    replicas: 1,
    stopGraceSeconds: 1,
  });
  const orphans = async () => (await app.adapters.runtime.list()).filter(({ app: id }) => id === 'orphan');
  expect(await orphans()).toHaveLength(1);
  await app.database.pool.query(`select pg_notify('slipway_change', '{"kind":"app","app":"orphan"}')`);
  await expect.poll(orphans, { timeout: 10_000 }).toEqual([]);
  await app.database.pool.query('delete from service where id = $1', [idle.rows[0]?.id]);
  await app.database.pool.query(`select pg_notify('slipway_change', '{"kind":"app","app":"berth"}')`);
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(404);
  await expect.poll(() => app.adapters.runtime.list(), { timeout: 10_000 }).toEqual([]);
});
