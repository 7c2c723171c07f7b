// @long (shared process): tries rare cases that take long
/** On a machine without network isolation between services, the platform offers no sign-in, since other services could bypass it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serviceUpdate } from '@slipway/contract/service/service-operations.ts';
import { runtimeConfigView, type RuntimeConfig } from '@slipway/contract/platform.ts';
import { until } from '#ports/runtime.suite-runtime.ts';
import type { Runtime } from '#ports/runtime.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { good } from '#testing/programs.ts';
import { berthOf, makeBerth } from './settings.fixture.ts';

let app: TestApp;
const { call, changed, plan, settings, url } = berthOf(() => app);
const auth = 'spec.externalTrafficAuthentication';
const warning = 'Network not isolated.';

/** The real runtime, reporting that the network is not isolated. */
const together = (runtime: Runtime): Runtime =>
  new Proxy(runtime, {
    get(target, name) {
      if (name === 'capabilities') return async () => ({ ...(await target.capabilities()), isNetworkIsolated: false, warning });
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

beforeAll(async () => {
  app = await testApp({
    templates: async () => good('one'),
    adapt: (adapters) => ({ ...adapters, runtime: together(adapters.runtime) }),
  });
  await makeBerth(app);
});
afterAll(() => app?.close());

test.each(['BASIC_AUTH', 'AZURE_AUTH'] as const)('%s is refused at its field', async (type) => {
  expect((await settings()).engine).toMatchObject({ isNetworkIsolated: false, warning });
  const body = await changed(({ spec }) => (spec.externalTrafficAuthentication = type));
  for (const query of [{ dryRun: true }, {}])
    expect(errorsOf(await call(serviceUpdate, { body, query }))).toEqual([400, `${auth}: SignInNeedsNetworks`]);
});

test('what does not hold is said: outgoing traffic is not restricted', async () => {
  const { warnings } = await plan(({ spec }) => (spec.outgoingTraffic = { type: 'LISTED', hosts: ['api.example.com'] }));
  expect(warnings.map(({ code }) => code)).toContain('OutgoingNotRestricted');
  const { banners } = (await call(runtimeConfigView)).body as RuntimeConfig;
  expect(banners).toContainEqual(expect.objectContaining({ type: 'warning', message: warning }));
});

test('a service that asks for one already is closed, and opens when it asks for none', async () => {
  const set = (type: string) =>
    app.database.pool.query(`update service set edge = jsonb_set(edge, '{externalTrafficAuthentication}', $1) where name = 'berth'`, [
      JSON.stringify(type),
    ]);
  expect(await app.get(await url())).toEqual({ status: 200, text: 'one' });
  await set('AZURE_AUTH');
  const closed = await until('the edge', async () => {
    const answer = await app.get(await url());
    return answer.status === 503 ? answer : undefined;
  });
  expect(closed.text).toContain('cannot keep other services from walking around it');
  await set('NO_AUTH');
  await until('the edge', async () => ((await app.get(await url())).status === 200 ? true : undefined));
});
