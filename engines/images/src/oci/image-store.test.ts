// @long: tries an engine by itself, which the tests of modules use, too
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';

import { startRegistry } from '@slipway/registry/registry.fixture.ts';
import type { RegistryFixture } from '@slipway/registry/registry.fixture.ts';
import { hasCode } from '@slipway/foundation/caught.ts';
import { noSpace } from '@slipway/foundation/no-space.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';

import { digestFolder, sha256 } from './digest.ts';
import { hostArchitecture, imageDocuments } from './image-documents.ts';
import type { Document, ImageSettings } from './image-documents.ts';
import { ImageStore } from './image-store.ts';
import { writeLayer } from './layer-writer.ts';
import type { LayerBlob, LayerSource } from './layer-writer.ts';
import { ociIndex, ociManifest } from './media-types.ts';
import { OciClient } from './oci-client.ts';

let fixture: RegistryFixture;
let client: OciClient;
let work = '';
let directory = '';
let count = 0;
const log: Log = { debug() {}, info() {}, warn() {}, error() {} };
const repository = 'shop/hello';

beforeAll(async () => {
  fixture = await startRegistry();
  await fixture.registry.projectEnsure('shop', 'tests');
  client = new OciClient({
    baseUrl: fixture.registry.baseUrl,
    authorize: (name, actions) => fixture.registry.accessToken(name, actions),
  });
  work = await mkdtemp(join(tmpdir(), 'image-store-'));
});
afterAll(async () => {
  await fixture.stop();
  await rm(work, { recursive: true });
});
beforeEach(() => {
  directory = join(work, `store-${(count += 1)}`);
});

const settings: ImageSettings = {
  entrypoint: ['/bin/app', '--fast'],
  workdir: '/srv',
  env: { MODE: 'a=b' },
  user: '1000',
  labels: {},
  createdAt: new Date(0),
};
const file = (path: string, text: string): LayerSource => ({ kind: 'file', path, isExecutable: false, content: Buffer.from(text) });
const storeAt = (options: { client?: OciClient; bytes?: number } = {}): ImageStore =>
  new ImageStore({ directory, client: options.client ?? client, log, limits: { bytes: options.bytes ?? 1 << 20 } });

const pushDocument = (document: Document) =>
  client.pushBlob(repository, { digest: document.digest, size: document.bytes.length, body: () => document.bytes });
const pushLayer = async (sources: readonly LayerSource[]): Promise<LayerBlob> => {
  const path = join(work, `layer-${(count += 1)}`);
  const layer = await writeLayer(sources, path, { compression: 'gzip', comment: 'test' });
  const bytes = await readFile(path);
  await client.pushBlob(repository, { digest: layer.digest, size: layer.size, body: () => bytes });
  return layer;
};
const pushImage = async (layers: readonly LayerBlob[], changes: Partial<ImageSettings> = {}): Promise<string> => {
  const { config, manifest } = imageDocuments(layers, { ...settings, ...changes });
  await pushDocument(config);
  await client.pushManifest(repository, manifest.digest, manifest);
  return manifest.digest;
};
const pushed = async (...layers: (readonly LayerSource[])[]): Promise<string> => pushImage(await Promise.all(layers.map(pushLayer)));
const manifestOf = (content: object): Document => {
  const bytes = Buffer.from(JSON.stringify(content));
  return { mediaType: ociManifest, digest: sha256(bytes), bytes };
};

test('an image becomes a root file system with what is needed to start it', async () => {
  const digest = await pushed([file('bin/app', 'app'), file('old', 'x')], [file('.wh.old', ''), file('etc/conf', 'c')]);
  const image = await storeAt().prepare(repository, digest);
  expect(image).toMatchObject({ entrypoint: ['/bin/app', '--fast'], workdir: '/srv', env: { MODE: 'a=b' }, user: '1000' });
  expect((await readdir(image.rootfs)).toSorted()).toEqual(['bin', 'dev', 'etc', 'package.json', 'proc', 'srv', 'tmp']);
  expect(await readFile(join(image.rootfs, 'bin/app'), 'utf8')).toBe('app');
  expect(await readFile(join(image.rootfs, 'package.json'), 'utf8')).toBe('{}\n');
  expect((await stat(join(image.rootfs, 'bin'))).mode & 0o777).toBe(0o755);
  expect((await stat(join(image.rootfs, 'bin/app'))).mode & 0o777).toBe(0o444);
});

test('a package.json of the image itself stays', async () => {
  const { rootfs } = await storeAt().prepare(repository, await pushed([file('package.json', '{"type":"module"}')]));
  expect(await readFile(join(rootfs, 'package.json'), 'utf8')).toBe('{"type":"module"}');
});

test('images share the files of the layers that they share', async () => {
  const base = await pushLayer([file('bin/node', 'large')]);
  const store = storeAt();
  const [one, two] = await Promise.all(
    ['1', '2'].map(async (text) => store.prepare(repository, await pushImage([base, await pushLayer([file('app.js', text)])]))),
  );
  const inodes = await Promise.all([one, two].map(async (image) => (await stat(join(image?.rootfs ?? '', 'bin/node'))).ino));
  expect(inodes[0]).toBe(inodes[1]);
  expect(await readFile(join(two?.rootfs ?? '', 'app.js'), 'utf8')).toBe('2');
});

test('stores of several processes on one directory do not disturb each other', async () => {
  const digest = await pushed([file('bin/app', 'app')]);
  const roots = await Promise.all(Array.from({ length: 4 }, () => storeAt().prepare(repository, digest)));
  expect(new Set(roots.map(({ rootfs }) => rootfs)).size).toBe(1);
  expect(await readFile(join(roots[0]?.rootfs ?? '', 'bin/app'), 'utf8')).toBe('app');
  const left = await Promise.all(['images', 'layers'].map((name) => readdir(join(directory, name))));
  expect(left.flat()).toHaveLength(2);
});

test('what several want at the same time is pulled once', async () => {
  const layer = await pushLayer([file('bin/app', 'wanted by all')]);
  const digest = await pushImage([layer]);
  const pulls = vi.spyOn(client, 'pullBlob');
  await Promise.all(Array.from({ length: 3 }, () => storeAt().prepare(repository, digest)));
  expect(pulls.mock.calls.filter(([, wanted]) => wanted === layer.digest)).toHaveLength(1);
  pulls.mockRestore();
});

test('whoever waits for a layer that another could not pull does so himself', async () => {
  const layer = await pushLayer([file('bin/app', 'wanted by two')]);
  const digest = await pushImage([layer]);
  const pulls = vi.spyOn(client, 'pullBlob').mockRejectedValueOnce(new Error('gone'));
  const [one, two] = await Promise.allSettled([storeAt().prepare(repository, digest), storeAt().prepare(repository, digest)]);
  expect([one.status, two.status].toSorted()).toEqual(['fulfilled', 'rejected']);
  pulls.mockRestore();
});

/** Returns the ids of this test's processes that unpack images. */
const unpacking = (): number[] => {
  const lines = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes('image-worker')).map((line) => Number.parseInt(line, 10));
};

test('the process for the next image is kept ready for a while, is used, and may be gone', async () => {
  const store = new ImageStore({ directory, client, log, readyMs: 60_000 });
  await store.prepare(repository, await pushed([file('bin/app', 'first')]));
  const [first = 0, ...others] = unpacking();
  expect(others).toEqual([]);
  await store.prepare(repository, await pushed([file('bin/app', 'second')]));
  const [second = 0] = unpacking();
  expect([first, second]).not.toContain(0);
  expect(second).not.toBe(first);
  process.kill(second, 'SIGKILL');
  await expect.poll(unpacking).toEqual([]);
  const { rootfs } = await store.prepare(repository, await pushed([file('bin/app', 'third')]));
  expect(await readFile(join(rootfs, 'bin/app'), 'utf8')).toBe('third');
  for (const left of unpacking()) process.kill(left, 'SIGKILL');
});

test('a process that no image needs ends by itself', async () => {
  const store = new ImageStore({ directory, client, log, readyMs: 100 });
  await store.prepare(repository, await pushed([file('bin/app', 'alone')]));
  await expect.poll(unpacking).toEqual([]);
});

test('an image that is at hand needs no registry', async () => {
  const digest = await pushed([file('bin/app', 'app')]);
  const { rootfs } = await storeAt().prepare(repository, digest);
  const nobody = new OciClient({ baseUrl: 'http://127.0.0.1:9' });
  expect((await storeAt({ client: nobody }).prepare(repository, digest)).rootfs).toBe(rootfs);
  await expect(storeAt({ client: nobody }).prepare(repository, sha256('other'))).rejects.toMatchObject({ kind: 'unavailable' });
});

test('nothing is unpacked while the disk is short, and what is at hand still runs', async () => {
  let isShort = false;
  const floor = { require: async () => (isShort ? Promise.reject(noSpace()) : undefined) };
  const store = new ImageStore({ directory, client, log, floor });
  const [known, other] = [await pushed([file('bin/app', 'app')]), await pushed([file('bin/app', 'other')])];
  const { rootfs } = await store.prepare(repository, known);
  isShort = true;
  await expect(store.prepare(repository, other)).rejects.toMatchObject({ kind: 'unavailable', code: 'PlatformDiskFull' });
  expect((await store.prepare(repository, known)).rootfs).toBe(rootfs);
});

test('a damaged layer is pulled again', async () => {
  const layer = await pushLayer([file('bin/app', 'app')]);
  await storeAt().prepare(repository, await pushImage([layer]));
  const contents = join(directory, 'layers', digestFolder(layer.digest), 'contents');
  for (const name of await readdir(contents)) {
    await rm(join(contents, name));
    await writeFile(join(contents, name), '');
  }
  const { rootfs } = await storeAt().prepare(repository, await pushImage([layer], { workdir: '/other' }));
  expect(await readFile(join(rootfs, 'bin/app'), 'utf8')).toBe('app');
});

test('an index leads to the image for this machine', async () => {
  const digest = await pushed([file('bin/app', 'here')]);
  const config = { mediaType: ociManifest, size: 1 };
  const { bytes } = await client.pullManifest(repository, digest);
  const entry = { ...config, digest, size: bytes.length, platform: { os: 'linux', architecture: hostArchitecture() } };
  const index = (manifests: object[]): Document => ({
    ...manifestOf({ schemaVersion: 2, mediaType: ociIndex, manifests }),
    mediaType: ociIndex,
  });
  const good = index([{ ...entry, platform: { os: 'windows', architecture: hostArchitecture() } }, entry]);
  await client.pushManifest(repository, good.digest, good);
  const image = await storeAt().prepare(repository, good.digest);
  expect(await readFile(join(image.rootfs, 'bin/app'), 'utf8')).toBe('here');

  const foreign = index([{ ...entry, platform: { os: 'linux', architecture: 's390x' } }]);
  await client.pushManifest(repository, foreign.digest, foreign);
  await expect(storeAt().prepare(repository, foreign.digest)).rejects.toMatchObject({ kind: 'rejected', code: 'ImageWrongPlatform' });

  const absent = sha256(Buffer.from('never pushed'));
  const sparse = index([
    { ...entry, platform: { os: 'linux', architecture: 's390x' } },
    { ...entry, digest: absent },
  ]);
  await client.pushManifest(repository, sparse.digest, sparse);
  const message = `its index names ${absent} for linux/${hostArchitecture()}, which is not in ${repository}; push that image, too`;
  await expect(storeAt().prepare(repository, sparse.digest)).rejects.toMatchObject({ kind: 'notFound', message });
});

test('what cannot run is rejected with its reason, and leaves nothing behind', async () => {
  const nothingToStart = await pushImage([await pushLayer([file('a', 'b')])], { entrypoint: [] });
  await expect(storeAt().prepare(repository, nothingToStart)).rejects.toMatchObject({ kind: 'rejected', code: 'ImageNoCommand' });
  const hostile = await pushed([{ kind: 'symlink', path: 'app/x', target: '../../../etc' }]);
  await expect(storeAt().prepare(repository, hostile)).rejects.toMatchObject({ kind: 'rejected', code: 'ImageContentInvalid' });
  const large = await pushed([file('a', 'x'.repeat(9000))], [file('b', 'y'.repeat(9000))]);
  await expect(storeAt({ bytes: 15_000 }).prepare(repository, large)).rejects.toMatchObject({ kind: 'rejected', code: 'ImageTooLarge' });
  const noProc = await pushed([{ kind: 'symlink', path: 'proc', target: '/etc' }]);
  await expect(storeAt().prepare(repository, noProc)).rejects.toMatchObject({ kind: 'rejected', code: 'ImageContentInvalid' });
  expect(await readdir(join(directory, 'images'))).toEqual([]);
});

test.each([
  ['said to lie elsewhere', { urls: ['http://127.0.0.1:9/'] }],
  ['of a kind that may not be copied', { mediaType: 'application/vnd.oci.image.layer.nondistributable.v1.tar+gzip' }],
])("another repository's layer cannot be had by its digest alone: %s", async (_, trick) => {
  const layer = await pushLayer([file('secret', 'of another team')]);
  await storeAt().prepare(repository, await pushImage([layer]));
  const { config, manifest } = imageDocuments([layer], settings);
  const thief = 'shop/thief';
  await client.pushBlob(thief, { digest: config.digest, size: config.bytes.length, body: () => config.bytes });
  const document = JSON.parse(Buffer.from(manifest.bytes).toString()) as { layers: object[] };
  const stolen = manifestOf({ ...document, layers: document.layers.map((descriptor) => ({ ...descriptor, ...trick })) });
  await client.pushManifest(thief, stolen.digest, stolen);
  await expect(storeAt().prepare(thief, stolen.digest)).rejects.toMatchObject({ kind: 'rejected', code: 'ImageContentInvalid' });
});

test('an image that is not there is not found', async () => {
  await expect(storeAt().prepare(repository, sha256('nothing'))).rejects.toMatchObject({ kind: 'notFound' });
  await expect(storeAt().prepare('shop/nothing', sha256('nothing'))).rejects.toMatchObject({ kind: 'notFound' });
  await expect(storeAt().prepare(repository, '../../etc')).rejects.toMatchObject({ kind: 'rejected' });
});

test('a registry that sends other bytes than it promised is not believed', async () => {
  const digest = await pushed([file('bin/app', 'app')]);
  const { bytes } = await client.pullManifest(repository, digest);
  const { layers } = JSON.parse(Buffer.from(bytes).toString()) as { layers: { digest: string }[] };
  const layer = layers[0]?.digest ?? '';
  // A proxy in front of the real registry that changes one byte of the answers that `isChanged` selects.
  const liar = async (isChanged: (path: string) => boolean, run: (dishonest: OciClient) => Promise<void>): Promise<void> => {
    const server = http.createServer(async (request, response) => {
      const answer = await fetch(fixture.registry.baseUrl + request.url, {
        headers: { authorization: request.headers.authorization ?? '' },
      });
      const body = Buffer.from(await answer.arrayBuffer());
      if (isChanged(request.url ?? '')) body[20] = (body[20] ?? 0) ^ 1;
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await run(new OciClient({ baseUrl, authorize: (name, actions) => fixture.registry.accessToken(name, actions) }));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  };
  for (const part of ['/manifests/', layer]) {
    await liar(
      (path) => path.includes(part),
      async (dishonest) => {
        await expect(storeAt({ client: dishonest }).prepare(repository, digest)).rejects.toMatchObject({
          kind: 'rejected',
          code: 'ImageContentInvalid',
        });
      },
    );
  }
  await liar(
    () => false,
    async (honest) => {
      await expect(storeAt({ client: honest }).prepare(repository, digest)).resolves.toBeDefined();
    },
  );
});

test('unused images go, used ones and their layers stay', async () => {
  const base = await pushLayer([file('bin/node', 'n')]);
  const store = storeAt();
  const used = await pushImage([base, await pushLayer([file('app', 'used')])]);
  const unused = await pushImage([base, await pushLayer([file('app', 'unused')])]);
  const kept = await store.prepare(repository, used);
  await store.prepare(repository, unused);
  expect(await store.prune({ inUse: [], unusedMs: 60_000 })).toEqual({ images: 0, layers: 0 });
  expect(await store.prune({ inUse: [used], unusedMs: -1 })).toEqual({ images: 1, layers: 1 });
  expect(await readFile(join(kept.rootfs, 'app'), 'utf8')).toBe('used');
  expect(await store.prune({ inUse: [], unusedMs: -1 })).toEqual({ images: 1, layers: 2 });
  expect((await store.prepare(repository, used)).rootfs).toBe(kept.rootfs);
});

test.runIf(process.platform === 'linux' && process.getuid?.() === 0)('a disk without space is reported as such', async (context) => {
  const digest = await pushed([file('app/big', randomBytes(2 << 20).toString('hex'))]);
  await mkdir(directory, { recursive: true });
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=512k', 'slipway-test', directory], { stdio: 'ignore' });
  } catch {
    return context.skip();
  }
  try {
    const failure: unknown = await storeAt({ bytes: 16 << 20 })
      .prepare(repository, digest)
      .catch((error: unknown) => error);
    const causes = [failure, (failure as Error).cause, ((failure as Error).cause as Error | undefined)?.cause];
    expect(causes.some((error) => hasCode(error, 'ENOSPC'))).toBe(true);
    // No incomplete layer is left on the disk.
    expect((await readdir(join(directory, 'layers'))).filter((name) => name.startsWith('.new-'))).toEqual([]);
  } finally {
    execFileSync('/bin/umount', [directory]);
  }
});
