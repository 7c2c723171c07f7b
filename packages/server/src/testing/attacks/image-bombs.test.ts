// @long: waits for limits, or starts programs
/** Images that are small to push and large to unpack: in bytes, in files, in names, in memory, in time. None may cost more than an image may. */
import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { pack as createPack } from 'tar-stream';
import type { Header } from 'tar-stream';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { digestFolder, sha256 } from '@slipway/images/oci/digest.ts';
import { imageDocuments } from '@slipway/images/oci/image-documents.ts';
import { ImageStore } from '@slipway/images/oci/image-store.ts';
import type { ImageStoreOptions } from '@slipway/images/oci/image-store.ts';
import type { LayerBlob } from '@slipway/images/oci/layer-writer.ts';
import { OciClient } from '@slipway/images/oci/oci-client.ts';
import { startRegistry, type RegistryFixture } from '@slipway/registry/registry.fixture.ts';
import type { Log } from '#ports/log.ts';

type Item = Partial<Header> & { name: string; bytes?: Buffer };
const log: Log = { debug() {}, info() {}, warn() {}, error() {} };
const repository = 'bombs/bomb';
let fixture: RegistryFixture;
let client: OciClient;
let work = '';
let directory = '';
let count = 0;

beforeAll(async () => {
  fixture = await startRegistry();
  await fixture.registry.projectEnsure('bombs', 'tests');
  const { baseUrl } = fixture.registry;
  client = new OciClient({ baseUrl, authorize: (name, actions) => fixture.registry.accessToken(name, actions) });
  work = await mkdtemp(join(tmpdir(), 'image-bombs-'));
});
afterAll(async () => {
  await fixture.stop();
  await rm(work, { recursive: true });
});
beforeEach(() => {
  directory = join(work, `store-${(count += 1)}`);
});

const store = (limits: NonNullable<ImageStoreOptions['limits']> = {}): ImageStore => new ImageStore({ directory, client, log, limits });
const archive = async (items: Iterable<Item>): Promise<Buffer> => {
  const pack = createPack();
  const bytes = buffer(pack);
  for (const { bytes: content = Buffer.alloc(0), ...header } of items) pack.entry(header, content);
  pack.finalize();
  return bytes;
};
const ociLayer = 'application/vnd.oci.image.layer.v1.tar';
const pushLayer = async (items: Iterable<Item>, compression: 'gzip' | 'zstd' = 'gzip'): Promise<LayerBlob> => {
  const tar = await archive(items);
  const stored = compression === 'gzip' ? gzipSync(tar) : zstdCompressSync(tar);
  const layer = {
    mediaType: `${ociLayer}+${compression}`,
    digest: sha256(stored),
    diffId: sha256(tar),
    size: stored.length,
    comment: 'bomb',
  };
  await client.pushBlob(repository, { ...layer, body: () => stored });
  return layer;
};
const pushImage = async (layers: readonly LayerBlob[], workdir = '/'): Promise<string> => {
  const settings = { entrypoint: ['/x'], workdir, env: {}, user: undefined, labels: {}, createdAt: new Date(0) };
  const { config, manifest } = imageDocuments(layers, settings);
  await client.pushBlob(repository, { digest: config.digest, size: config.bytes.length, body: () => config.bytes });
  await client.pushManifest(repository, manifest.digest, manifest);
  return manifest.digest;
};
const pushed = async (...layers: (readonly Item[])[]): Promise<string> => {
  const blobs: LayerBlob[] = [];
  for (const items of layers) blobs.push(await pushLayer(items));
  return pushImage(blobs);
};
const files = (many: number, name: (index: number) => string, bytes = Buffer.alloc(0)): Item[] =>
  Array.from({ length: many }, (_, index) => ({ name: name(index), bytes }));

/** Returns the size of all files below the folder, in bytes. Counts a hard-linked file once. */
const onDisk = (folder: string, seen = new Set<number>()): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(join(folder, name)))
    .filter((info) => info.isFile() && !seen.has(info.ino) && seen.add(info.ino))
    .reduce((sum, { size }) => sum + size, 0);
const tooLarge = (reason: RegExp) => ({
  kind: 'rejected',
  code: 'ImageTooLarge',
  context: { reason: expect.stringMatching(reason) as string },
});

test('layers that each keep the limit do not fill the disk together', async () => {
  const digest = await pushed(...[1, 2, 3, 4, 5, 6].map((layer) => [{ name: `large-${layer}`, bytes: randomBytes(300_000) }]));
  await expect(store({ bytes: 1_000_000 }).prepare(repository, digest)).rejects.toMatchObject(tooLarge(/larger than 1000000 bytes/));
  expect(onDisk(directory)).toBeLessThan(1_000_000);
});

test('layers that are at hand count as well', async () => {
  const layers = [
    await pushLayer([{ name: 'a', bytes: randomBytes(300_000) }]),
    await pushLayer([{ name: 'b', bytes: randomBytes(300_000) }]),
  ];
  const images = store({ bytes: 500_000 });
  for (const layer of layers) await images.prepare(repository, await pushImage([layer]));
  await expect(images.prepare(repository, await pushImage(layers))).rejects.toMatchObject({ code: 'ImageTooLarge' });
});

test('files, and directories that only paths imply, are counted over all layers', async () => {
  const many = [files(60, (index) => `a${index}`), files(60, (index) => `b${index}`)];
  await expect(store({ entries: 100 }).prepare(repository, await pushed(...many))).rejects.toMatchObject(tooLarge(/more than 100 files/));
  const implied = await pushed(files(10, (index) => `${index}/${'d/'.repeat(100)}x`));
  await expect(store({ entries: 900 }).prepare(repository, implied)).rejects.toMatchObject({ code: 'ImageTooLarge' });
  await expect(store({ entries: 1100 }).prepare(repository, implied)).resolves.toBeDefined();
});

test('names are counted over all layers, and none is longer than a path may be', async () => {
  const name = (index: number): string => `${`${index}`.padEnd(200, 'n')}/${'m'.repeat(200)}`;
  const digest = await pushed(...[0, 1, 2].map((layer) => files(100, (index) => `${layer}/${name(index)}`)));
  await expect(store({ listBytes: 100_000 }).prepare(repository, digest)).rejects.toMatchObject(tooLarge(/names in the image/));
  const long = await pushed([{ name: Array.from({ length: 20 }, () => 'n'.repeat(199)).join('/') }]);
  await expect(store().prepare(repository, long)).rejects.toMatchObject({ kind: 'rejected', code: 'ImageContentInvalid' });
  const endless = await pushed([{ name: 'n'.repeat(3_000_000) }]);
  const failure: unknown = await store()
    .prepare(repository, endless)
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: 'rejected', code: 'ImageContentInvalid' });
  expect((failure as Error).message.length).toBeLessThan(500);
});

test.each(['gzip', 'zstd'] as const)('%s does not blow a layer up out of all proportion', async (compression) => {
  const layer = await pushLayer([{ name: 'zeros', bytes: Buffer.alloc(100 << 20) }], compression);
  expect(layer.size).toBeLessThan(200_000);
  await expect(store().prepare(repository, await pushImage([layer]))).rejects.toMatchObject(tooLarge(/times larger unpacked/));
  expect(onDisk(directory)).toBe(0);
});

test('an image that fills the memory ends its own process, and the next is unpacked', async () => {
  const links = Array.from({ length: 15_000 }, (_, index): Item => ({
    name: `${index}`,
    type: 'symlink',
    linkname: `${index}`.padEnd(4000, 't'),
  }));
  const images = store({ memoryMegabytes: 48 });
  await expect(images.prepare(repository, await pushed(links))).rejects.toMatchObject(tooLarge(/more than 48 MB of memory/));
  await expect(images.prepare(repository, await pushed(files(10, String)))).resolves.toBeDefined();
});

test('an image that takes too long is given up', async () => {
  const digest = await pushed(files(10, String));
  await expect(store({ timeMs: 1 }).prepare(repository, digest)).rejects.toMatchObject(tooLarge(/takes longer than 0.001 s/));
});

test('links make no place that is too deep to be deleted again', async () => {
  const deep = `${'d'.repeat(250)}/`.repeat(3);
  const down = Array.from({ length: 6 }, (_, index): Item[] => {
    const from = index === 0 ? '' : `s${index}/`;
    return [
      { name: `${from}${deep}`, type: 'directory' },
      { name: `s${index + 1}`, type: 'symlink', linkname: `${from}${deep}` },
    ];
  });
  await expect(store().prepare(repository, await pushed(down.flat()))).rejects.toMatchObject({ kind: 'rejected' });
  expect(await readdir(join(directory, 'images'))).toEqual([]);
});

test('a working directory without end is refused', async () => {
  const digest = await pushImage([await pushLayer(files(1, String))], `/${'d/'.repeat(3000)}`);
  await expect(store().prepare(repository, digest)).rejects.toMatchObject({ kind: 'rejected', code: 'ImageContentInvalid' });
});

test('a layer larger than the image may be is not even fetched', async () => {
  const layer = await pushLayer([{ name: 'noise', bytes: randomBytes(300_000) }]);
  const asked = vi.spyOn(client, 'pullBlob');
  await expect(store({ bytes: 200_000 }).prepare(repository, await pushImage([layer]))).rejects.toMatchObject({ code: 'ImageTooLarge' });
  expect(asked).not.toHaveBeenCalled();
  asked.mockRestore();
});

test('what an older version or a crash left as the list of a layer is not read, whatever its size', async () => {
  const layer = await pushLayer(files(3, (index) => `left-${index}`));
  const folder = join(directory, 'layers', digestFolder(layer.digest));
  await mkdir(join(folder, 'contents'), { recursive: true });
  await writeFile(join(folder, 'layer.json'), `{"diffId":"${layer.diffId}","entries":[${' '.repeat(10_000_000)}]}`);
  const { rootfs } = await store().prepare(repository, await pushImage([layer]));
  expect(await readdir(rootfs)).toEqual(expect.arrayContaining(['left-0', 'left-1', 'left-2']));
});

test('documents that are nested without end, or larger than honest ones, are not parsed', async () => {
  const layer = await pushLayer(files(1, String));
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const { config, manifest } = imageDocuments([layer], {
    entrypoint: ['/x'],
    workdir: '/',
    env: {},
    user: undefined,
    labels: {},
    createdAt: new Date(0),
  });
  await client.pushBlob(repository, { digest: config.digest, size: config.bytes.length, body: () => config.bytes });
  const withMore = (more: string) => {
    const bytes = Buffer.from(`${Buffer.from(manifest.bytes).toString().slice(0, -1)},"annotations":{},"more":${more}}`);
    return { ...manifest, bytes, digest: sha256(bytes) };
  };
  // The registry takes no such document; one that it takes may still be larger than an image to run may have.
  const nested = withMore(deep);
  await expect(client.pushManifest(repository, nested.digest, nested)).rejects.toMatchObject({ kind: 'rejected' });
  const large = withMore(JSON.stringify('x'.repeat(2 << 20)));
  await client.pushManifest(repository, large.digest, large);
  const failure = { kind: 'rejected', code: 'ImageContentInvalid', message: 'the image manifest is not valid' };
  await expect(store().prepare(repository, large.digest)).rejects.toMatchObject(failure);
});
