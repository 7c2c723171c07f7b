/** The registry is asked only about the app's own images, so that a settings change cannot reveal whether another app's image exists. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serviceUpdate } from '@slipway/contract/service/service-operations.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Registry } from '#ports/registry.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';
import { berthOf } from './settings.fixture.ts';

let app: TestApp;
const { call, changed } = berthOf(() => app);
let asked: string[] = [];
const noting = (registry: Registry): Registry =>
  new Proxy(registry, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        asked.push(`${String(name)} ${String(given[0])}`);
        return value.apply(target, given) as unknown;
      };
    },
  });

beforeAll(async () => {
  app = await testApp({ isWorker: false, adapt: (adapters) => ({ ...adapters, registry: noting(adapters.registry) }) });
  const { db } = app.database;
  await seedApp(db, { id: 'berth' });
  const change = () => newServiceSpec(`${app.adapters.registry.host}/berth/berth`);
  const serviceId = await seedService(db, { app: 'berth', serving: ['berth-1'], change });
  await seedRevision(db, { serviceId, service: 'berth', number: 1, change });
});
afterAll(() => app?.close());

test.each(['quay/quay-api', 'berth/../quay/quay-api', 'berth//quay', 'berth/quay:latest', 'berth/Quay'])('%s', async (image) => {
  const body = await changed(({ spec }) => {
    spec.containerImageName = `${app.adapters.registry.host}/${image}`;
    spec.imageUpdatePolicy = { type: 'REGEX', regex: { pattern: 'v.*' } };
  });
  asked = [];
  const answer = await call(serviceUpdate, { query: { dryRun: true }, body });
  expect(errorsOf(answer)).toEqual([400, 'spec.containerImageName: NotARegistryPath']);
  expect(asked).toEqual([]);
});
