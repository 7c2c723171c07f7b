// What a policy refuses to whom: everybody but the platform, and the node agent where a live revision runs the image. And how full projects are.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeAgent, type Registry } from '@slipway/foundation/ports/registry.ts';
import type { ImageUse, PullVerdict } from '@slipway/foundation/ports/registry-content.ts';
import { digestOf, OCI_INDEX, OCI_MANIFEST, RegistryClient } from '@slipway/foundation/ports/registry.suite-client.ts';
import { startRegistry, type RegistryFixture } from '../registry.fixture.ts';

const refused: PullVerdict = {
  isAllowed: false,
  code: 'ImageVulnerable',
  context: { cve: 'CVE-2026-31780', severity: 'critical' },
  message: 'CVE-2026-31780 (critical) is in openssl',
};
let fixture: RegistryFixture;
let ci: RegistryClient;
let agent: RegistryClient;
let verdict: PullVerdict = { isAllowed: true };
let uses: ImageUse[] = [];

beforeAll(async () => {
  fixture = await startRegistry({
    rules: {
      uses: async (_db, _repository, digests) => uses.filter(({ digest }) => digests.includes(digest)),
      mayPull: async () => verdict,
    },
    authenticate: async (username) => (username === nodeAgent ? { name: nodeAgent, actions: async () => ['pull'] } : undefined),
    findSubject: async (name) => ({ name, actions: async () => ['pull'] }),
  });
  ci = await fixture.client('shop');
  agent = new RegistryClient(fixture.registry, { username: nodeAgent, secret: 'whatever' });
});
afterAll(() => fixture?.stop());

const address = (reference: string): string => `/v2/shop/hello/manifests/${reference}`;
const index = (digest: string, size: number): Buffer<ArrayBuffer> =>
  Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: OCI_INDEX,
      manifests: [{ mediaType: OCI_MANIFEST, digest, size, platform: { os: 'linux', architecture: 'amd64' } }],
    }),
  );

test('an image that the policy forbids is refused with 412, the code and the CVE', async () => {
  await ci.pushImage('shop/hello', 'bad', 'bad');
  verdict = refused;
  const answer = await ci.send('GET', address('bad'));
  expect(answer.status).toBe(412);
  expect(await answer.json()).toEqual({
    errors: [
      {
        code: 'PROJECTPOLICYVIOLATION',
        message: 'CVE-2026-31780 (critical) is in openssl',
        detail: { reason: 'ImageVulnerable', cve: 'CVE-2026-31780', severity: 'critical' },
      },
    ],
  });
  // It can be pushed again, and looked for before.
  expect((await ci.send('HEAD', address('bad'))).status).toBe(200);
  await ci.pushImage('shop/hello', 'bad', 'bad');
  const own = new RegistryClient(fixture.registry, await fixture.registry.accessToken('shop/hello', ['pull']));
  expect((await own.send('GET', address('bad'))).status).toBe(200);
  verdict = { isAllowed: true };
});

test('the node agent pulls what a live revision runs, through the index that it names, and nothing else', async () => {
  const image = await ci.pushImage('shop/hello', 'one', 'one');
  const list = index(image.digest, image.manifest.length);
  expect((await ci.pushManifest('shop/hello', 'list', list, OCI_INDEX)).status).toBe(201);
  verdict = refused;
  const use = { digest: digestOf(list), revision: 'hello-1', environment: 'production' };
  uses = [{ ...use, isLive: false }];
  expect((await agent.send('GET', address(image.digest))).status).toBe(412);
  uses = [{ ...use, isLive: true }];
  expect((await agent.send('GET', address(digestOf(list)))).status).toBe(200);
  expect((await agent.send('GET', address(image.digest))).status).toBe(200);
  expect((await ci.send('GET', address(image.digest))).status).toBe(412);
  verdict = { isAllowed: true };
  uses = [];
});

test('signatures and bills of materials are no images, and are served', async () => {
  const image = await ci.pushImage('shop/hello', 'signed', 'signed');
  const config = Buffer.from('{}');
  await ci.pushBlob('shop/hello', config);
  const signature = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: OCI_MANIFEST,
      artifactType: 'application/vnd.example.sbom',
      config: { mediaType: 'application/vnd.oci.empty.v1+json', digest: digestOf(config), size: 2 },
      layers: [],
      subject: { mediaType: OCI_MANIFEST, digest: image.digest, size: image.manifest.length },
    }),
  );
  await ci.pushManifest('shop/hello', digestOf(signature), signature);
  verdict = refused;
  expect((await ci.send('GET', address(digestOf(signature)))).status).toBe(200);
  verdict = { isAllowed: true };
});

test('an index of an earlier version is read before one of its images is deleted', async () => {
  const { registry, database } = fixture;
  const image = await ci.pushImage('shop/hello', 'child', 'child');
  expect((await ci.pushManifest('shop/hello', 'before', index(image.digest, image.manifest.length), OCI_INDEX)).status).toBe(201);
  await database.pool.query(`update registry_manifest set images = null where media_type = $1`, [OCI_INDEX]);
  expect(await registry.tagDelete('shop/hello', 'child', image.digest)).toBe(true);
  expect((await ci.send('GET', address(image.digest))).status).toBe(200);
  expect(await registry.tagDelete('shop/hello', 'child', image.digest)).toBe(false);
});

const storage = (registry: Registry, project: string) => registry.storage(project).then(({ usedBytes }) => usedBytes);

test('what repositories share counts once, what is deleted no more, and garbage collection keeps one row of each', async () => {
  const { registry, database } = fixture;
  const shared = await fixture.client('stall');
  const image = await shared.pushImage('stall/a', '1', 'the same in both');
  expect(await storage(registry, 'stall')).toBe(image.sizeBytes);
  await shared.pushImage('stall/b', '1', 'the same in both');
  const own = await shared.pushImage('stall/b', '2', 'another');
  expect(await storage(registry, 'stall')).toBe(image.sizeBytes + own.sizeBytes);
  const use = async () =>
    (await registry.repositorySlice('stall', { sort: 'name', isDescending: false, offset: 0, limit: 9 })).items.map(
      ({ repository, tags, sizeBytes }) => [repository, tags, sizeBytes],
    );
  const expected = [
    ['stall/a', 1, image.sizeBytes],
    ['stall/b', 2, image.sizeBytes + own.sizeBytes],
  ];
  expect(await use()).toEqual(expected);
  await registry.collectGarbage();
  expect(await use()).toEqual(expected);
  const rows = async () => (await database.pool.query(`select from registry_usage where project = 'stall'`)).rowCount;
  expect(await rows()).toBe(2);
  await registry.repositoryDelete('stall/b');
  expect(await storage(registry, 'stall')).toBe(image.sizeBytes);
  await registry.projectDelete('stall');
  await registry.collectGarbage();
  expect(await rows()).toBe(0);
});
