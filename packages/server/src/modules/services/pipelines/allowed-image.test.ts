// @long (shared process): tries rare cases that take long
/** The step that validates the image asks the registry project's policy, waits for a running scan, and names the CVE. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { stepMessageOf } from '@slipway/contract/pipeline/steps.ts';
import { containerRegistryUpdate } from '@slipway/contract/registry/project.ts';
import { serviceDeploy } from '@slipway/contract/service/service.ts';
import { RegistryClient } from '#ports/registry.suite-client.ts';
import type { PullVerdict } from '#ports/registry-content.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedService } from '#testing/fixtures.ts';

const place = { app: 'yard', env: 'development' };
let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  const { registry } = app.adapters;
  await seedApp(app.database.db, { id: 'yard' });
  await seedService(app.database.db, { app: 'yard' });
  await registry.projectEnsure('yard', 'app:yard');
  const ci = new RegistryClient(registry, await registry.robotEnsure('yard', 'ci', ['pull', 'push']));
  await ci.pushImage('yard/yard', 'one', 'one');
});
afterAll(() => app?.close());

const deploy = () => app.run('member', serviceDeploy, { params: { ...place, service: 'yard' }, body: { imageTag: 'one' } });
const failed = ({ status }: PipelineRun) => {
  const step = status.steps.find(({ state }) => state === 'FAILED');
  return { code: step?.code, message: step?.message, text: step && stepMessageOf(step.code, step.message) };
};

test('an image that was never scanned is refused where vulnerable ones are prevented', async () => {
  const policy = { isPublic: false, preventVulnerableImages: true, severity: 'high', allowedCves: [], retention: null };
  await app.run('member', containerRegistryUpdate, { params: place, body: policy });
  expect(failed(await deploy())).toMatchObject({ code: 'ValidateContainerImage', message: { code: 'ImageNotScanned' } });
});

test('a scan under way is waited for, and what it finds is named', async () => {
  const { registry } = app.adapters;
  const scanning: PullVerdict = { isAllowed: false, code: 'ImageNotScanned', context: { state: 'SCANNING' }, message: 'not yet' };
  const context = { cve: 'CVE-2026-31780', severity: 'critical', package: 'openssl', from: 'high' };
  const found: PullVerdict = { isAllowed: false, code: 'ImageVulnerable', context, message: 'found' };
  const answers = [scanning, scanning, found];
  const { mayPull } = registry;
  registry.mayPull = async () => answers.shift() ?? found;
  const refused = failed(await deploy());
  registry.mayPull = mayPull;
  expect(answers).toEqual([]);
  expect(refused).toMatchObject({ code: 'ValidateContainerImage', message: { code: 'ImageVulnerable' } });
  expect(refused.text).toContain('yard/yard:one has CVE-2026-31780 (critical) in openssl');
});

test('an image that could not be checked wholly is refused with what is missing', async () => {
  const { registry } = app.adapters;
  const { mayPull } = registry;
  const context = { detail: 'No advisories are imported' };
  registry.mayPull = async () => ({ isAllowed: false, code: 'ImagePartlyScanned', context, message: 'partly' });
  const refused = failed(await deploy());
  registry.mayPull = mayPull;
  expect(refused.text).toContain('yard/yard:one could not be checked wholly');
  expect(refused.text).toContain('No advisories are imported');
});
