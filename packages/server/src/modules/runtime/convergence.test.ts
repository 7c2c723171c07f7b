/** Tests which calls the runtime receives, and when: only changes, everything after a failure, and any state that it lost. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { metricsView, platformHealthView, readinessView } from '@slipway/contract/platform.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { revisionDiagnosis } from '@slipway/contract/service/diagnosis.ts';
import { revisionView } from '@slipway/contract/service/revision.ts';
import { serviceView } from '@slipway/contract/service/service.ts';
import type { RevisionRef, Runtime, ServiceRef } from '#ports/runtime.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { good } from '#testing/programs.ts';

let app: TestApp;
let real: Runtime;
let runtime: FaultyPort<Runtime>;
/** Tells the platform that the engine lost all instances, although it did not. */
let lose: () => void;
/** Verb and app of each call that sends something. */
let sent: string[] = [];

const sending = ['ensureRevision', 'deleteRevision', 'setRoute'] as const;
/** Records each sending call and forwards it. */
const watched = (engine: Runtime): Runtime =>
  new Proxy(engine, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...input: unknown[]): unknown => {
        if (sending.some((verb) => verb === name)) sent.push(`${String(name)} ${(input[0] as ServiceRef).app}`);
        if (name === 'routesComplete') sent.push(name);
        return Reflect.apply(value, target, input);
      };
    },
  });

const ref = (id: string): RevisionRef => ({ app: id, environment: 'development', service: id, revision: `${id}-1` });
const quickstart = (id: string) => app.run('member', quickstartApplicationCreate, { body: { id, teamId: 'cranes', template: 'node-web' } });
const statusOf = async (id: string): Promise<number> => (await app.get(real.url(ref(id), '/')).catch(() => ({ status: 0 }))).status;
const nudge = () => app.database.pool.query(`select pg_notify('slipway_change', '{"kind":"service"}')`);

beforeAll(async () => {
  app = await testApp({
    templates: async () => good('one'),
    // Nothing here depends on the full pass.
    runtimeTimings: { fullPassMs: 3_600_000 },
    adapt: (adapters) => {
      real = adapters.runtime;
      runtime = faultyPort(watched(real));
      runtime.next('onLost', (listener) => (lose = listener as () => void));
      return { ...adapters, runtime: runtime.port };
    },
  });
  await quickstart('first');
});
afterAll(() => app?.close());
beforeEach(() => (sent = []));

test('what a second service is sent, the first one is not', async () => {
  expect(await quickstart('second')).toMatchObject({ status: { state: 'COMPLETED' } });
  expect(sent).toContain('ensureRevision second');
  expect(sent).toContain('setRoute second');
  expect(sent.filter((call) => call.endsWith(' first'))).toEqual([]);
  // Once each: the passes that follow do not send accepted state again.
  expect(sent.filter((call) => call === 'setRoute second')).toHaveLength(1);
  expect(await Promise.all(['first', 'second'].map(statusOf))).toEqual([200, 200]);
});

test('everything is sent again after a failure, and the failed call with it', async () => {
  runtime.away('setRoute', 'runtime');
  await app.database.pool.query(`update service set spec = jsonb_set(spec, '{externalTraffic,config,readTimeoutMs}', '4321'), edge = null
    where name = 'first'`);
  await nudge();
  // The call that failed is not among them: it did not reach the runtime.
  await expect.poll(async () => (await nudge(), sent.filter((call) => call === 'setRoute first').length)).toBeGreaterThan(0);
  for (const id of ['first', 'second']) {
    await expect.poll(() => sent).toContain(`ensureRevision ${id}`);
    await expect.poll(() => sent).toContain(`setRoute ${id}`);
  }
  expect(sent).toContain('routesComplete');
});

test('what the runtime has lost of a revision is given again', async () => {
  const [before] = (await real.list()).filter(({ app: id }) => id === 'first');
  await real.deleteRevision(ref('first'));
  await expect.poll(() => statusOf('first')).toBe(200);
  expect(await real.list()).not.toContainEqual(expect.objectContaining({ id: before?.id }));
  expect(sent.filter((call) => call.endsWith(' second'))).toEqual([]);
});

const readiness = async () => (await app.call(undefined, readinessView)).body as { status: string; checks: Record<string, string> };

test('a revision that cannot be read stops nobody else, goes on as it is, and operators see which one it is', async () => {
  const change = (spec: string) => app.database.pool.query(`update revision set spec = ${spec} where name = 'first-1'`);
  const { rows } = await app.database.pool.query<{ spec: object }>(`select spec from revision where name = 'first-1'`);
  await change(`'{}'`);
  await nudge();
  expect(await quickstart('third')).toMatchObject({ status: { state: 'COMPLETED' } });
  expect(await Promise.all(['first', 'third'].map(statusOf))).toEqual([200, 200]);
  await expect.poll(async () => (await readiness()).status).toBe('degraded');
  expect((await readiness()).checks).toMatchObject({
    services: 'ok',
    rows: 'degraded: revision first/development/first/first-1 cannot be read',
  });
  expect((await app.call(undefined, readinessView)).status).toBe(200);
  const metrics = (await app.call(undefined, metricsView)).body;
  expect(metrics).toContain('slipway_unreadable_rows{kind="revision"} 1');
  expect(metrics).toMatch(/slipway_reconciler_passes_total\{outcome="failed"\} \d/);
  const { body: health } = await app.call('administrator', platformHealthView);
  expect(health).toMatchObject({
    unreadable: [{ kind: 'revision', name: 'first/development/first/first-1', detail: expect.stringContaining('template') }],
    unreadableTotal: 1,
  });
  // Its pages still load and show the problem.
  const params = { app: 'first', env: 'development', service: 'first' };
  for (const role of ['member', 'stranger'] as const) {
    expect(await app.call(role, serviceView, { params })).toMatchObject({ status: 200, body: { status: { health: 'UNKNOWN' } } });
    const one = await app.call(role, revisionView, { params: { ...params, revision: 'first-1' } });
    expect(one).toMatchObject({ status: 200, body: { status: 'UNKNOWN' } });
    const said = await app.call(role, revisionDiagnosis, { params: { ...params, revision: 'first-1' } });
    expect(said).toMatchObject({ status: 200, body: { diagnosis: { code: 'SpecUnreadable' } } });
  }
  await change(`'${JSON.stringify(rows[0]?.spec)}'`);
  await nudge();
  await expect.poll(async () => (await readiness()).status).toBe('ok');
  await expect.poll(async () => (await app.call('member', serviceView, { params })).body).toMatchObject({ status: { health: 'HEALTHY' } });
});

test('a service whose settings at the edge cannot be read keeps its route', async () => {
  await app.database.pool.query(`update service set edge = '{"exposedPort": 1}' where name = 'first'`);
  await nudge();
  await expect.poll(async () => (await readiness()).checks['rows']).toBe('degraded: service first/development/first cannot be read');
  expect(await statusOf('first')).toBe(200);
  await app.database.pool.query(`update service set edge = null where name = 'first'`);
  await nudge();
  await expect.poll(async () => (await readiness()).status).toBe('ok');
});

test('a service that leaves the edge and comes back is routed again', async () => {
  const serve = (revisions: string) =>
    app.database.pool.query(`update service set serving = $1, routed = '{}' where name = 'first'`, [revisions]);
  await serve('{}');
  await nudge();
  await expect.poll(() => statusOf('first')).toBe(404);
  await serve('{first-1}');
  await nudge();
  await expect.poll(() => statusOf('first')).toBe(200);
});

test('an engine that is acquired again is sent everything, though nothing has failed', async () => {
  lose();
  for (const id of ['first', 'second']) {
    await expect.poll(() => sent).toContain(`ensureRevision ${id}`);
    await expect.poll(() => sent).toContain(`setRoute ${id}`);
  }
  await expect.poll(() => sent).toContain('routesComplete');
});
