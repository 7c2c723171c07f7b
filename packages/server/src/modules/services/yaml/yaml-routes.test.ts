/** service.yaml over HTTP: exported, imported as a file or as JSON, planned first, and rejected with line numbers. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { serviceYamlUpdate, serviceYamlView } from '@slipway/contract/service/service-operations.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import { errorsOf, testApp, type Answer, type TestApp } from '#testing/app.ts';
import { seedApp, seedService } from '#testing/fixtures.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  await seedApp(app.database.db, { id: 'berth' });
  const image = `${app.adapters.registry.host}/berth/berth`;
  await seedService(app.database.db, { app: 'berth', change: (spec) => ({ ...spec, containerImageName: image }) });
});
afterAll(() => app?.close());

const params = { app: 'berth', env: 'development', service: 'berth' };
const text = async () => String((await app.call('member', serviceYamlView, { params })).body);
const put = (yaml: string, query: { dryRun?: boolean } = {}) => app.call('member', serviceYamlUpdate, { params, query, body: { yaml } });
/** Sends a file like `curl --data-binary @service.yaml`. */
const putFile = async (yaml: string, type = 'application/yaml') =>
  fetch(`${app.url}/api/v1/apps/berth/development/services/berth/service.yaml`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${await app.signIn.token('member')}`, 'content-type': type },
    body: yaml,
  });
const linesOf = ({ body }: Answer) => (body as ErrorObject).errors.map(({ context }) => context?.['line']);

test('an exported file changes nothing', async () => {
  const answer = await app.call('member', serviceYamlView, { params });
  expect(answer.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
  expect(String(answer.body)).toMatch(/^apiVersion: slipway\/v1\n/);
  expect(errorsOf(await put(String(answer.body)))).toEqual([409, 'undefined: NothingChanged']);
});

test('a dry run compares, and the file itself is a body', async () => {
  const wanted = (await text()).replace('cpuMillicores: 250', 'cpuMillicores: 300').replace('active: true', 'active: true # still');
  const plan = (await put(wanted, { dryRun: true })).body as Plan;
  expect(plan).toMatchObject({
    pipelineType: 'UpdateService',
    changes: [{ path: 'spec.resources.cpuMillicores', before: 250, after: 300 }],
  });
  const answer = await putFile(wanted);
  expect(answer.status).toBe(202);
  expect((await app.ended(((await answer.json()) as PipelineRun).pipelineId)).status.state).toBe('COMPLETED');
  const { spec, settingsVersion } = (await app.call('member', serviceView, { params })).body as Service;
  expect([spec.resources.cpuMillicores, settingsVersion]).toEqual([300, 2]);
});

test('a part of the file changes that part', async () => {
  const answer = await putFile('spec:\n  scaleDownAfterDays: 7\n', 'text/yaml');
  expect(answer.status).toBe(202);
  await app.ended(((await answer.json()) as PipelineRun).pipelineId);
  expect(await text()).toContain('scaleDownAfterDays: 7 # days without a request; null: never\n');
  expect(await text()).toContain('cpuMillicores: 300 ');
});

test('each error names its line, also what only rules and engines know', async () => {
  const schema = await put('spec:\n  resources:\n    cpuMillicores: 5\n  nonsense: 1');
  expect([errorsOf(schema), linesOf(schema)]).toEqual([[400, 'yaml: YamlUnknownField'], ['4']]);
  const rules = await put('githubRepositoryName: nothing\nspec:\n  containerImageName: docker.io/nginx\n\n  exposedPort: null');
  expect(errorsOf(rules)).toEqual([
    400,
    'githubRepositoryName: ChooseExistingRepository',
    'spec.containerImageName: NotARegistryPath',
    'spec.exposedPort: Required',
    'spec.externalTraffic.type: ExternalTrafficNeedsInternal',
  ]);
  expect(linesOf(rules)).toEqual(['1', '3', '5', '2']);
  expect(errorsOf(await put('metadata: {name: berth-web}'))).toEqual([400, 'yaml: YamlOtherService']);
  expect(errorsOf(await put('a: ['))).toEqual([400, 'yaml: YamlInvalid']);
  expect((await putFile('x'.repeat(70_000))).status).toBe(400);
  expect((await putFile('x'.repeat(600_000))).status).toBe(413);
});

test('a file is a body for no other kind of route', async () => {
  const answer = await fetch(`${app.url}/api/v1/teams`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await app.signIn.token('member')}`, 'content-type': 'application/yaml' },
    body: await readFile(new URL(import.meta.url), 'utf8'),
  });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
});
