/** What the runtime is sent, and when: only what has changed, everything after a failure, and whatever it has lost. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import type { RevisionRef, Runtime, ServiceRef } from '#ports/runtime.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { good } from '#testing/programs.ts';

let app: TestApp;
let real: Runtime;
let runtime: FaultyPort<Runtime>;
/** Tells the platform that the engine has lost all that ran, though it has not. */
let lose: () => void;
/** The verb and the app that it is about, of each call that sends something. */
let sent: string[] = [];

const sending = ['ensureRevision', 'deleteRevision', 'setRoute'] as const;
/** Notes what is sent, and sends it. */
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
  // Once each: what the runtime took is not sent again by the passes that follow.
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
