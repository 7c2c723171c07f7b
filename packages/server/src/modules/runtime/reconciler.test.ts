/** The reconciler on the real runtime: restarts, lost locks, orphans, and what the rows say of it. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readinessView } from '@slipway/contract/platform.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import { createLog } from '#kernel/log.ts';
import { PortFailure } from '#ports/failure.ts';
import type { RevisionSpec, Runtime } from '#ports/runtime.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { steadyLoad } from '#testing/load/steady-load.ts';
import { good } from '#testing/programs.ts';

let app: TestApp;
let real: Runtime;
let runtime: FaultyPort<Runtime>;
let takeFailure: (() => unknown) | undefined;
/** Tells the platform that the engine has lost all that ran. */
let lose: () => void;
let url: string;
/** Lines of the log, from warnings up. */
const warnings: string[] = [];
const params = { app: 'berth', env: 'development', service: 'berth' };

beforeAll(async () => {
  app = await testApp({
    log: createLog('warn', { write: (line) => void warnings.push(line) }),
    templates: async () => good('one'),
    adapt: (adapters) => {
      real = adapters.runtime;
      runtime = faultyPort(real);
      runtime.next('onLost', (listener) => (lose = listener as () => void));
      if (takeFailure) runtime.next('acquire', takeFailure);
      return { ...adapters, runtime: runtime.port };
    },
  });
  await app.run('member', quickstartApplicationCreate, { body: { id: 'berth', teamId: 'cranes', template: 'node-web' } });
  url = (await service()).status.url ?? '';
});
afterAll(() => app?.close());

const service = async () => (await app.call('member', serviceView, { params })).body as Service;
const statusOf = async () => (await app.get(url).catch(() => ({ status: 0 }))).status;
const readiness = async () => {
  const { status, body } = await app.call(undefined, readinessView);
  return { status, services: (body as { checks: Record<string, string> }).checks['services'] };
};
const rows = async <Row extends object>(sql: string): Promise<Row[]> => (await app.database.pool.query<Row>(sql)).rows;
const takeOvers = () => rows(`select 1 from activity where type = 'runtimeTakeOver'`);

test('services come back after a restart, which is no news', async () => {
  const [before] = await rows<{ id: string }>('select id from instance');
  await app.restart();
  await expect.poll(statusOf).toBe(200);
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

test('it is ready once the services that ran before are served again, and says until then which ones are not', async () => {
  await expect.poll(readiness).toEqual({ status: 200, services: 'ok' });
  const go = Promise.withResolvers<void>();
  await app.restart(async () => {
    runtime.next('ensureRevision', async (spec) => {
      await go.promise;
      return real.ensureRevision(spec as RevisionSpec);
    });
  });
  await expect.poll(readiness).toEqual({ status: 503, services: 'Services start again: berth/development/berth' });
  expect(await statusOf()).not.toBe(200);
  // The other replicas read it there.
  const reported = () => rows('select serving from runtime_holder');
  expect(await reported()).toEqual([{ serving: 'Services start again: berth/development/berth' }]);
  go.resolve();
  await expect.poll(async () => (await readiness()).status, { timeout: 20_000 }).toBe(200);
  expect([await statusOf(), await readiness()]).toEqual([200, { status: 200, services: 'ok' }]);
  await expect.poll(reported).toEqual([{ serving: 'ok' }]);
});

test('while another replica drives the runtime, it is ready once that one serves what ran before', async () => {
  const other = await app.database.pool.connect();
  const says = (serving: string, since = 'now()') =>
    rows(`insert into runtime_holder (kind, replica, since, seen_at, capabilities, serving)
      values ('${real.kind}', 'other', ${since}, now(), '{}', '${serving}')
      on conflict (kind) do update set serving = excluded.serving, since = excluded.since`);
  try {
    await app.restart(async () => {
      await other.query(`select pg_advisory_lock(hashtextextended('slipway:runtime', 0))`);
    });
    await says('Services start again: berth');
    await expect.poll(readiness).toEqual({ status: 503, services: 'Services start again: berth' });
    // A row of a replica that ended without removing it.
    await says('ok', `now() - interval '1 day'`);
    expect(await readiness()).toEqual({ status: 503, services: 'Services are starting.' });
    await says('ok');
    await expect.poll(readiness).toEqual({ status: 200, services: 'ok' });
    await says('Services start again: berth');
    expect(await readiness()).toEqual({ status: 200, services: 'degraded: Services start again: berth' });
  } finally {
    await rows('delete from runtime_holder');
    await other.query('select pg_advisory_unlock_all()');
    other.release();
  }
  await expect.poll(statusOf).toBe(200);
  await expect.poll(readiness).toEqual({ status: 200, services: 'ok' });
});

test('a program that ends says that nobody drives the runtime', async () => {
  expect(await rows('select replica from runtime_holder')).toHaveLength(1);
  await app.restart(async () => {
    expect(await rows('select replica from runtime_holder')).toEqual([]);
    expect(await statusOf()).toBe(0);
  });
  await expect.poll(statusOf).toBe(200);
});

test('what is under way when a program ends is refused by the runtime, and nobody is warned of it', async () => {
  const refusals: (() => void)[] = [];
  const held = () =>
    new Promise((_, reject) => refusals.push(() => reject(new PortFailure('unavailable', 'This replica does not hold the runtime.'))));
  const nudge = () => rows(`select pg_notify('slipway_change', '{"kind":"service"}')`);
  for (const verb of ['ensureRevision', 'list'] as const) {
    const before = refusals.length;
    runtime.next(verb, held);
    await nudge();
    await expect.poll(() => refusals.length, { timeout: 10_000 }).toBeGreaterThan(before);
  }
  warnings.splice(0);
  runtime.next('release', async () => {
    for (const refuse of refusals) refuse();
    await real.release();
  });
  await app.restart();
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(200);
  expect(warnings.filter((line) => line.includes('does not hold the runtime'))).toEqual([]);
});

const endLockSession = () =>
  rows(`select pg_terminate_backend(pid) from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where datname = current_database() and locktype = 'advisory' and granted
      and ((classid::bigint << 32) | objid::bigint) = hashtextextended('slipway:runtime', 0)`);

test('a holder that loses its lock serves on, and drives what it runs when the lock is its own again', async () => {
  const before = await real.list();
  const [released, acquired] = [vi.fn(), vi.fn()];
  runtime.next('release', () => {
    released();
    return real.release();
  });
  runtime.next('acquire', () => {
    acquired();
    return real.acquire();
  });
  const load = steadyLoad(app, url);
  await endLockSession();
  await expect.poll(() => acquired.mock.calls.length).toBe(1);
  await expect.poll(async () => (await service()).status).toMatchObject({ health: 'HEALTHY', replicasReady: 1 });
  const { count, failures } = await load.stop();
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(0);
  expect(await real.list()).toEqual(before);
  expect(released).not.toHaveBeenCalled();
  runtime.next('release', released, 0);
});

test('it lets go as soon as another holder is seen, and takes the runtime again after that one', async () => {
  const other = await app.database.pool.connect();
  // Waits in the queue, and is the next.
  const taking = other.query(`select pg_advisory_lock(hashtextextended('slipway:runtime', 0))`);
  await expect.poll(async () => (await rows(`select 1 from pg_locks where locktype = 'advisory' and not granted`)).length).toBe(1);
  await endLockSession();
  await taking;
  await expect.poll(statusOf).toBe(0);
  expect(await real.list()).toEqual([]);
  await other.query(`select pg_advisory_unlock_all()`);
  other.release();
  await expect.poll(statusOf).toBe(200);
});

test('a runtime that cannot be taken is tried again', async () => {
  const fail = vi.fn(() => Promise.reject(new Error('The port is taken')));
  takeFailure = fail;
  await app.restart();
  await expect.poll(statusOf).toBe(200);
  expect(fail).toHaveBeenCalledOnce();
});

test('an engine that loses all that ran is taken again, and people hear of it', async () => {
  const [before] = await rows<{ id: string }>('select id from instance');
  await real.release();
  expect(await statusOf()).toBe(0);
  lose();
  await expect.poll(statusOf).toBe(200);
  await expect.poll(() => rows('select id from instance')).not.toContainEqual(before);
  expect(await rows(`select reason, level from activity where type = 'runtimeTakeOver'`)).toEqual([
    { reason: 'RuntimeRestarted', level: 'WARNING' },
  ]);
});

test('a route that the edge has lost unseen is set again by the full pass', async () => {
  await expect.poll(statusOf).toBe(200);
  await real.setRoute({ app: 'berth', environment: 'development', service: 'berth' }, undefined);
  expect(await statusOf()).toBe(404);
  await expect.poll(statusOf).toBe(200);
});

test('what has no row any more is stopped, and leaves the edge', async () => {
  const idle = await app.database.pool.query<{ id: string }>(`select id from service where name = 'berth'`);
  const spec = { app: 'orphan', environment: 'development', service: 'orphan', revision: 'orphan-1' } as const;
  const [row] = await rows<{ image_digest: string }>('select image_digest from revision');
  await app.adapters.runtime.ensureRevision({
    ...spec,
    id: crypto.randomUUID(),
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
  await expect.poll(orphans).toEqual([]);
  await app.database.pool.query('delete from service where id = $1', [idle.rows[0]?.id]);
  await app.database.pool.query(`select pg_notify('slipway_change', '{"kind":"app","app":"berth"}')`);
  await expect.poll(statusOf).toBe(404);
  await expect.poll(() => app.adapters.runtime.list()).toEqual([]);
});
