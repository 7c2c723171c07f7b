// @long: tries an engine by itself, which the tests of modules use, too
/** How the base layer reaches the registry: moved if the registry is on the same disk, uploaded otherwise. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DigestMeter } from '@slipway/images/oci/digest.ts';
import { OciClient, type BlobUpload } from '@slipway/images/oci/oci-client.ts';
import { startRegistry, type RegistryFixture } from '@slipway/registry/registry.fixture.ts';
import type { Registry, WrittenBlob } from '@slipway/foundation/ports/registry.ts';
import { faultyPort } from '@slipway/foundation/testing/faulty-port.ts';
import { BaseImage, baseRepository } from './base-image.ts';

/** Records uploads. */
class WatchedClient extends OciClient {
  readonly sent: string[] = [];

  override pushBlob(repository: string, blob: BlobUpload, signal?: AbortSignal): Promise<boolean> {
    this.sent.push(`${repository}@${blob.digest}`);
    return super.pushBlob(repository, blob, signal);
  }
}

let fixture: RegistryFixture;
let client: WatchedClient;
let directory: string;
beforeEach(async () => {
  fixture = await startRegistry();
  const { registry } = fixture;
  client = new WatchedClient({
    baseUrl: registry.baseUrl,
    authorize: (repository, actions) => registry.accessToken(repository, actions),
  });
  directory = await mkdtemp(join(tmpdir(), 'base-image-'));
});
afterEach(async () => {
  await fixture.stop();
  await rm(directory, { recursive: true, force: true });
});

const without = (...names: readonly (keyof Registry)[]): Registry =>
  new Proxy<Registry>(faultyPort<Registry>(fixture.registry).port, {
    get: (target, name) => (names.some((hidden) => hidden === name) ? undefined : (Reflect.get(target, name) as unknown)),
  });
const digestIn = async (repository: string, digest: string): Promise<string> => {
  const meter = new DigestMeter();
  for await (const _ of (await client.pullBlob(repository, digest)).pipe(meter));
  return meter.digest();
};
const layerFiles = async () => (await readdir(directory)).filter((name) => name.endsWith('.tar'));

test('a registry on the same disk is given the file, and nothing is sent', async () => {
  const base = new BaseImage(directory, fixture.registry, client);
  const layer = await base.ensure();
  expect(client.sent).not.toContain(`${baseRepository}@${layer.digest}`);
  expect(await digestIn(baseRepository, layer.digest)).toBe(layer.digest);
  expect(await fixture.registry.image(baseRepository, base.digest(layer))).toBeDefined();
  expect(await fixture.registry.storage('library')).toMatchObject({ usedBytes: expect.any(Number), uploadingBytes: 0 });
  expect((await fixture.registry.storage('library')).usedBytes).toBeGreaterThan(layer.size);
  expect(await layerFiles()).toEqual([]);
  // Garbage collection keeps the layer, since an image refers to it.
  fixture.advance(2 * 24 * 3600_000);
  await fixture.registry.collectGarbage();
  expect(await digestIn(baseRepository, layer.digest)).toBe(layer.digest);
});

test('any other registry is sent the layer', async () => {
  const base = new BaseImage(directory, without('blobTake'), client);
  const layer = await base.ensure();
  expect(client.sent).toContain(`${baseRepository}@${layer.digest}`);
  expect(await digestIn(baseRepository, layer.digest)).toBe(layer.digest);
});

test('a registry on another disk is sent the layer', async () => {
  const elsewhere = faultyPort<Registry>(fixture.registry);
  elsewhere.next('blobTake', async () => false);
  const layer = await new BaseImage(directory, elsewhere.port, client).ensure();
  expect(client.sent).toContain(`${baseRepository}@${layer.digest}`);
  expect(await digestIn(baseRepository, layer.digest)).toBe(layer.digest);
});

test('where the layer cannot be linked, each repository is given a file of its own', async () => {
  await fixture.registry.projectEnsure('shop', 'tests');
  // Linking from a private project is forbidden.
  const watched = faultyPort(without('projectPublish'));
  const taken: unknown[] = [];
  const take = (repository: unknown, blob: unknown) => {
    taken.push(repository);
    return fixture.registry.blobTake(repository as string, blob as WrittenBlob);
  };
  watched.next('blobTake', take, 2);
  const base = new BaseImage(directory, watched.port, client);
  const layer = await base.ensure();
  await base.link(layer, 'shop/hello');
  expect(taken).toEqual([baseRepository, 'shop/hello']);
  expect(client.sent).not.toContain(`shop/hello@${layer.digest}`);
  expect(await digestIn('shop/hello', layer.digest)).toBe(layer.digest);
});

test('a registry that fails meanwhile leaves no file behind, and the next try starts afresh', async () => {
  const faulty = faultyPort<Registry>(fixture.registry);
  faulty.away('blobTake', 'registry');
  const base = new BaseImage(directory, faulty.port, client);
  await expect(base.ensure()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await layerFiles()).toEqual([]);
  const layer = await base.ensure();
  expect(await digestIn(baseRepository, layer.digest)).toBe(layer.digest);
});
