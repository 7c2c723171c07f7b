/** File volumes where they would lead out of the sandbox: refused by the settings, and where only the image knows it, when it starts. */
import { globSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { revisionInstances, type InstanceEvent } from '@slipway/contract/service/revision.ts';
import { secretGroupCreate, serviceSecretGroupAttach } from '@slipway/contract/secret/secret-group.ts';
import { serviceCreate, serviceUpdate, serviceYamlUpdate } from '@slipway/contract/service/service-operations.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { revisionDiagnosis, diagnosisSentence, type Diagnosis } from '@slipway/contract/service/diagnosis.ts';
import { RESERVED } from '@slipway/runtime/sandbox/kernel-view.ts';
import { berthOf, makeBerth, type Change } from '#modules/services/settings/settings.fixture.ts';
import type * as z from 'zod/mini';
import { errorsOf, testApp, type TestApp } from '../app.ts';
import { good } from '../programs.ts';

let app: TestApp;
const { call, changed, plan, apply, url } = berthOf(() => app);
const field = 'spec.template.secretFileMounts.0.mountPath';
const mountsAt = (mountPath: string) => [{ mountPath, secretGroup: 'keys', includeAllKeys: true, fileFormat: 'file', secretKey: null }];
const mounted =
  (mountPath: string): Change =>
  ({ spec }) =>
    (spec.template.secretFileMounts = mountsAt(mountPath));

beforeAll(async () => {
  app = await testApp({ templates: async () => good('one') });
  await makeBerth(app);
  const body = { name: 'keys', entries: [{ key: 'key', value: 'geheim' }] };
  expect((await call(secretGroupCreate, { body })).status).toBe(201);
  expect((await call(serviceSecretGroupAttach, { params: { group: 'keys' }, body: {} })).status).toBeLessThan(300);
});
afterAll(() => app?.close());

describe('the settings refuse', () => {
  test.each(['/etc', '/lib64/', '//usr/lib', '/etc/ld.so.preload', '/etc/hosts'])('%s, which the image’s programs need', async (path) => {
    const expected = [400, `${field}: SystemMountPath`];
    const body = await changed(mounted(path));
    for (const query of [{ dryRun: true }, {}]) expect(errorsOf(await call(serviceUpdate, { body, query }))).toEqual(expected);
  });

  const reserved = RESERVED.flatMap((place) => [place, `${place}/`, `/${place}/x`]);
  test.each(['/', '//', ...reserved, '/proc/1/root/etc', '/proc/self/fd/3', '/dev/shm', '/sys/kernel'])('%s', async (path) => {
    const expected = [400, `${field}: ReservedMountPath`];
    const body = await changed(mounted(path));
    for (const query of [{ dryRun: true }, {}]) expect(errorsOf(await call(serviceUpdate, { body, query }))).toEqual(expected);
  });

  test.each(['/a/../proc/1/root/etc', '/../proc', '/etc/..', '/./proc', '/etc/./tls'])('%s', async (path) => {
    expect(errorsOf(await call(serviceUpdate, { body: await changed(mounted(path)) }))).toEqual([400, `${field}: NotAPath`]);
  });

  test('them in service.yaml and of a new service, too', async () => {
    const yaml = `spec:\n  template:\n    secretFileMounts:\n      - ${JSON.stringify(mountsAt('/proc/1/root/etc')[0])}\n`;
    expect(errorsOf(await call(serviceYamlUpdate, { body: { yaml } }))).toEqual([400, `${field}: ReservedMountPath`]);
    const spec = newServiceSpec(`${app.adapters.registry.host}/berth/berth-two`);
    spec.template.secretFileMounts = mountsAt('/proc/1/root/etc');
    const answer = await call(serviceCreate, { body: { name: 'berth-two', spec } });
    expect(errorsOf(answer)).toContain(`${field}: ReservedMountPath`);
  });

  test('no path that only looks like one', async () => {
    for (const path of ['/process', '/tmpfiles/x', '/etc/proc']) expect((await plan(mounted(path))).isPlan).toBe(true);
  });
});

test.each([
  ['/cfg', '/proc', 'Nothing can be mounted at /proc (/cfg leads there): it belongs to the sandbox'],
  ['/file', 'app/main.js', 'Nothing can be mounted at /file: the image has a file in its way, or a link that leads nowhere'],
  ['/out', '/proc/1/root/etc', 'Nothing can be mounted at /out: the image has a file in its way, or a link that leads nowhere'],
])('%s, a link of the image to %s: nothing of it runs, and the error says why', async (link, to, reason) => {
  // What an image may hold: its unpacked root is where the next instance starts from.
  const roots = globSync(join(app.dataDir, 'images/**/rootfs')).filter((root) => readdirSync(root).includes('app'));
  expect(roots.length).toBeGreaterThan(0);
  for (const root of roots) symlinkSync(to, join(root, link));
  const run = await apply(mounted(link));
  const { message } = run.status.steps.find(({ code }) => code === 'StartInstances') ?? {};
  expect([run.status.state, message]).toMatchObject(['FAILED', { code: 'MountRefused', context: { reason } }]);
  const params = { revision: run.facts['revision'] ?? '' };
  const { events } = (await call(revisionInstances, { params })).body as { events: z.infer<typeof InstanceEvent>[] };
  expect(events.find((event) => event.reason === 'MountRefused')?.message.startsWith(reason)).toBe(true);
  const { diagnosis } = (await call(revisionDiagnosis, { params })).body as { diagnosis: Diagnosis };
  expect(diagnosis).toMatchObject({ code: 'MountRefused', next: { place: 'settings', target: 'volumes' }, stillServing: 'berth-1' });
  expect(diagnosisSentence(diagnosis)).toBe(reason);
  expect((await app.get(await url())).text).toBe('one');
});

test('an image whose working directory leads out of it: nothing of it runs, and the error says why', async () => {
  for (const root of globSync(join(app.dataDir, 'images/**/rootfs')).filter((at) => readdirSync(at).includes('app'))) {
    renameSync(join(root, 'app'), join(root, 'moved'));
    symlinkSync('/proc/1/root', join(root, 'app'));
  }
  const reason = 'The image begins at /app, which leads to /proc/1/root: that belongs to the sandbox';
  const run = await apply(mounted('/own'));
  const { message } = run.status.steps.find(({ code }) => code === 'StartInstances') ?? {};
  expect([run.status.state, message]).toMatchObject(['FAILED', { code: 'WorkingDirectoryRefused', context: { reason } }]);
  const { diagnosis } = (await call(revisionDiagnosis, { params: { revision: run.facts['revision'] ?? '' } })).body as {
    diagnosis: Diagnosis;
  };
  expect(diagnosis).toMatchObject({ code: 'WorkingDirectoryRefused', next: { place: 'deploy' } });
});
