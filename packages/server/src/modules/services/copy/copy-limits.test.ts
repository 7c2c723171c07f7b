/** Limits of a copy: no settings that could not be saved otherwise, and images only by tag. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serviceCopy } from '@slipway/contract/service/service-operations.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedService } from '#testing/fixtures.ts';

let app: TestApp;
const COUNT = 300;

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  await seedApp(app.database.db, { id: 'berth' });
  for (const name of ['berth-a', 'berth-b']) {
    const envVars = Array.from({ length: COUNT }, (_, n) => ({ name: `${name.at(-1)}_${n}`, source: 'STATIC' as const, value: 'x' }));
    const change = (spec: ServiceSpec) => ({ ...spec, template: { ...spec.template, envVars } });
    await seedService(app.database.db, { app: 'berth', name, change });
  }
});
afterAll(() => app?.close());

test.each([
  [
    'more variables than a service may have',
    { carry: Array.from({ length: COUNT }, (_, n) => `spec.template.envVars.a_${n}`) },
    'spec.template.envVars: Maximum',
  ],
  ['an image by its digest', { carry: [], imageTag: `sha256:${'0'.repeat(64)}` }, 'imageTag: DoesNotMatchPattern'],
  ['an image by a path', { carry: [], imageTag: '../../quay/quay/tags/one' }, 'imageTag: DoesNotMatchPattern'],
])('%s', async (_name, wanted, error) => {
  const params = { app: 'berth', env: 'development', service: 'berth-a' };
  const body = { environment: 'development', name: 'berth-b', overwrite: true, ...wanted };
  expect(errorsOf(await app.call('member', serviceCopy, { params, query: { dryRun: true }, body }))).toEqual([400, error]);
});
