/** Isolation of the embedded runtime's instances from the platform and from each other. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostUid } from '../sandbox/host-uid.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import { SuiteRuntime, until } from '@slipway/foundation/ports/runtime.suite-runtime.ts';
import { makeLocalSubject, type LocalSubject } from './runtime-subject.fixture.ts';
import { serviceUser } from './revision-names.ts';

let subject: LocalSubject;
let suite: SuiteRuntime;
let failures = 0;
let failure: Error = new PortFailure('unavailable', 'the registry does not answer');
let isHanging = false;

beforeAll(async () => {
  process.env['SLIPWAY_TEST_SECRET'] = 'geheim';
  subject = await makeLocalSubject({
    wrapImages: (images) => ({
      async prepare(repository, digest) {
        if (isHanging) await new Promise(() => {});
        if (failures-- > 0) throw failure;
        return images.prepare(repository, digest);
      },
    }),
  });
  suite = new SuiteRuntime(subject);
  await subject.runtime.acquire();
  mkdirSync(join(subject.dataDir, 'keys'), { recursive: true });
  writeFileSync(join(subject.dataDir, 'keys/1.key'), 'geheim', { mode: 0o644 });
});
afterAll(async () => suite.close());

const isIsolated = async (): Promise<boolean> => (await subject.runtime.capabilities()).isolation === 'namespace';

test('the data directory, the server and its environment are out of reach', async (context) => {
  if (!(await isIsolated())) return context.skip();
  const service = suite.service();
  await service.serve();
  const body = async (path: string): Promise<string> => (await service.call(path)).body;
  expect(await body(`/list?path=${subject.dataDir}`)).toBe('error ENOENT');
  expect(await body(`/file?path=${subject.dataDir}/keys/1.key`)).toBe('error ENOENT');
  expect(await body(`/file?path=/proc/${process.pid}/environ`)).toBe('error ENOENT');
  expect(await body(`/file?path=/proc/1/environ`)).toMatch(/^error E(ACCES|PERM)$|^$/);
  expect(await body(`/kill?pid=${process.pid}`)).toBe('error ESRCH');
  expect(await body('/env?name=SLIPWAY_TEST_SECRET')).toBe('undefined');
  expect(await body('/file?path=/proc/self/environ')).not.toContain('SLIPWAY_TEST_SECRET');
});

test.runIf(process.getuid?.() === 0)('as root, each service runs as a user of its own, who is nobody on the machine', async () => {
  const [first, second] = [suite.service(), suite.service()];
  await Promise.all([first.serve(), second.serve()]);
  const uids = [first, second].map(({ ref }) => hostUid(serviceUser(subject.dataDir, ref)));
  expect(new Set(uids).size).toBe(2);
  const running = readdirSync('/proc').flatMap((name) => {
    const text = /^\d+$/.test(name) && existsSync(`/proc/${name}/status`) ? readFileSync(`/proc/${name}/status`, 'utf8') : '';
    return Number(/^Uid:\t(\d+)/m.exec(text)?.[1] ?? -1);
  });
  for (const uid of uids) expect(running).toContain(uid);
});

test('where the network is shared, somebody else’s listener on an instance’s port gets no traffic', async () => {
  const shared = await makeLocalSubject({ only: 'host' });
  const others = new SuiteRuntime(shared);
  await shared.runtime.acquire();
  const service = others.service();
  await service.ensure(1, { env: { MODE: 'deaf' } });
  await service.route([1]);
  const port = await until('its port', async () => (await service.instances())[0]?.port);
  const squatter = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nsquatted'));
  await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
  await service.event('PortTaken');
  expect((await service.call('/version')).status).toBe(503);
  expect(service.events('Healthy')).toEqual([]);
  const again = await until('a new run', async () =>
    (await service.instances()).find((instance) => instance.restarts > 0 && instance.port),
  );
  expect(again.port).not.toBe(port);
  squatter.close();
  await others.close();
});

test('a registry that does not answer is reported, and tried again', async () => {
  const service = suite.service();
  failures = 2;
  await service.serve();
  const events = service.events('RegistryUnavailable');
  expect(events).toHaveLength(2);
  expect(events[0]).toMatchObject({ type: 'error', context: { detail: 'the registry does not answer', restart: 1 } });
});

test('an image that finds no space on the disk is reported as the fault of the platform', async () => {
  const service = suite.service();
  failure = new Error('the image could not be stored', { cause: Object.assign(new Error('write'), { code: 'ENOSPC' }) });
  failures = 1;
  await service.serve();
  const [event] = service.events('PlatformDiskFull');
  expect(event).toMatchObject({ type: 'error', context: { restart: 1 } });
});

test('a revision that waits for its image can be deleted', async () => {
  const service = suite.service();
  isHanging = true;
  await service.ensure(1);
  await service.delete(1);
  expect(await service.instances()).toEqual([]);
  isHanging = false;
});

test('secret files are replaced, not rewritten, when an instance starts again', async () => {
  const service = suite.service();
  await service.serve({ files: [{ mountPath: '/run/secrets', files: { key: 'geheim' } }] });
  await service.call('/exit?code=1').catch(() => undefined);
  await service.event('Healthy', 2);
  expect((await service.call('/file?path=/run/secrets/key')).body).toBe('geheim');
});
