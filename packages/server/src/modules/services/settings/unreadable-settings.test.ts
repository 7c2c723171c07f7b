/** One service whose stored settings cannot be read stops nobody else, and both its page and the operators' page show it. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { platformHealthView, readinessView } from '@slipway/contract/platform.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { serviceMetrics, serviceScrape } from '@slipway/contract/service/metrics.ts';
import { serviceSettingsView, serviceUpdate, type ServiceSettingsView } from '@slipway/contract/service/service-operations.ts';
import { serviceDeploy, serviceList, serviceView } from '@slipway/contract/service/service.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import { seedApp, seedService } from '#testing/fixtures.ts';
import { servicesOnImage } from '../image-repository.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ runtimeTimings: { beatMs: 300 } });
  for (const id of ['berth', 'yard']) {
    await seedApp(app.database.db, { id });
    await seedService(app.database.db, { app: id });
  }
});
afterAll(() => app?.close());

const set = (columns: string) => app.database.pool.query(`update service set ${columns} where name = 'yard'`);
let good: string;
beforeAll(async () => {
  const { rows } = await app.database.pool.query<{ spec: object }>(`select spec from service where name = 'yard'`);
  good = JSON.stringify(rows[0]?.spec);
});
afterEach(() => app.database.pool.query(`update service set spec = $1, edge = null where name = 'yard'`, [good]));

const call = (route: RouteShape, service: string, request: Request = {}) =>
  app.call('administrator', route, { ...request, params: { app: service, env: 'development', service } });
const unreadable = async (): Promise<unknown> => (await app.call('administrator', platformHealthView)).body;
/** Plans a change of berth's domain. */
const plan = async (domain: string) => {
  const { githubRepositoryName, active, spec, settingsVersion } = (await call(serviceSettingsView, 'berth')).body as ServiceSettingsView;
  spec.externalTraffic.domain = domain;
  return call(serviceUpdate, 'berth', { query: { dryRun: true }, body: { githubRepositoryName, active, spec, settingsVersion } });
};

test.each([`edge = '{"exposedPort": 1}'`, `spec = '{}'`, `spec = '{"externalTraffic": {"type": "INTERNAL"}, "exposedPort": 1}'`])(
  'a service of another app with %s does not prevent a domain',
  async (columns) => {
    await set(columns);
    expect(await plan('orders.example.com')).toMatchObject({ status: 200 });
    await expect.poll(unreadable).toMatchObject({ unreadable: [{ kind: 'service', name: 'yard/development/yard', reader: 'settings' }] });
    // Another reader that skips the row, too, does not make it two rows.
    await app.database.pool.query(`insert into unreadable_row (reader, id, kind, name, detail)
      select 'another', id, kind, name, detail from unreadable_row`);
    const { body } = await app.call(undefined, readinessView);
    expect(body).toMatchObject({ checks: { rows: 'degraded: service yard/development/yard cannot be read' } });
    await app.database.pool.query(`delete from unreadable_row where reader = 'another'`);
    await app.database.pool.query(`update service set spec = $1, edge = null where name = 'yard'`, [good]);
    await expect.poll(unreadable).toMatchObject({ unreadable: [] });
  },
);

test('the settings of a service still claim its domain if only its applied edge settings cannot be read', async () => {
  await set(`edge = '{"exposedPort": 1}', spec = jsonb_set(spec, '{externalTraffic,domain}', '"orders.example.com"')`);
  expect(errorsOf(await plan('orders.example.com'))).toEqual([400, 'spec.externalTraffic.domain: DomainInUse']);
});

test('a service whose image cannot be read counts as a user of every image of its app', async () => {
  const { db } = app.database;
  const repository = good.match(/"containerImageName":"[^/]*\/([^"]*)"/)?.[1] ?? '';
  expect(await servicesOnImage(db, 'yard', repository, '')).toEqual(['yard']);
  expect(await servicesOnImage(db, 'yard', 'yard/other', '')).toEqual([]);
  await set(`spec = '{}'`);
  expect(await servicesOnImage(db, 'yard', 'yard/other', '')).toEqual(['yard']);
});

test('the pages of a service whose settings cannot be read say so, and it cannot be changed', async () => {
  await set(`spec = '{}'`);
  expect(await call(serviceView, 'yard')).toMatchObject({ status: 200, body: { areSettingsReadable: false } });
  expect(await call(serviceList, 'yard')).toMatchObject({ status: 200, body: { content: [{ areSettingsReadable: false }] } });
  expect(await call(serviceSettingsView, 'yard')).toMatchObject({ status: 200, body: { canEdit: 'SettingsUnreadable' } });
  for (const route of [serviceMetrics, serviceScrape]) expect(await call(route, 'yard')).toMatchObject({ status: 200 });
  expect(errorsOf(await call(serviceDeploy, 'yard', { body: { imageTag: 'one' } }))).toEqual([409, 'undefined: SettingsUnreadable']);
  const settings = (await call(serviceSettingsView, 'berth')).body as ServiceSettingsView;
  const { githubRepositoryName, active, spec, settingsVersion } = settings;
  const body = { githubRepositoryName, active, spec, settingsVersion };
  expect(errorsOf(await call(serviceUpdate, 'yard', { body }))).toEqual([409, 'undefined: SettingsUnreadable']);
});
