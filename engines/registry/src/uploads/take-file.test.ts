import { link, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noSpace } from '@slipway/foundation/no-space.ts';
import { digestOf, OCI_MANIFEST, type RegistryClient } from '@slipway/foundation/ports/registry.suite-client.ts';
import { BlobFiles } from '../content/blob-files.ts';
import { GRACE_MS } from '../garbage/garbage.ts';
import { startRegistry, type RegistryFixture } from '../registry.fixture.ts';

const LIMIT = 100_000;

describe('a file that is moved in', () => {
  let fixture: RegistryFixture;
  let ci: RegistryClient;
  let work: string;
  let isShort = false;
  beforeAll(async () => {
    const floor = { require: async () => (isShort ? Promise.reject(noSpace()) : undefined) };
    fixture = await startRegistry({ limits: { blobBytes: LIMIT }, floor });
    ci = await fixture.client('shop');
    work = await mkdtemp(path.join(tmpdir(), 'slipway-take-'));
  });
  afterAll(async () => {
    await fixture.stop();
    await rm(work, { recursive: true, force: true });
  });

  const written = async (size = 2000) => {
    const bytes = randomBytes(size);
    const file = path.join(work, digestOf(bytes).slice(7, 20));
    await writeFile(file, bytes);
    return { bytes, digest: digestOf(bytes), size, file };
  };
  const take = (blob: { digest: string; size: number; file: string }, repository = 'shop/base') =>
    fixture.registry.blobTake(repository, blob);
  const stored = (digest: string) => stat(new BlobFiles(fixture.dataDir).pathOf(digest));
  const isGone = (file: string) =>
    stat(file).then(
      () => false,
      () => true,
    );
  const incoming = () => readdir(path.join(fixture.dataDir, 'incoming'));
  /** Nothing of it is left in the registry. */
  const expectNothing = async (digest: string) => {
    await expect(stored(digest)).rejects.toThrow('ENOENT');
    expect(await incoming()).toEqual([]);
    const { rows } = await fixture.database.pool.query('select 1 from registry_blob where digest = $1', [digest]);
    expect(rows).toEqual([]);
  };

  it('is the same file afterwards, and a blob like any other', async () => {
    const blob = await written();
    const { ino } = await stat(blob.file);
    expect(await take(blob)).toBe(true);
    expect(await isGone(blob.file)).toBe(true);
    expect(await stored(blob.digest)).toMatchObject({ ino, size: blob.size, mode: 0o100600 });
    expect(await incoming()).toEqual([]);
    const answer = await ci.send('GET', `/v2/shop/base/blobs/${blob.digest}`);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(blob.bytes);
    // It belongs to that repository, and to no other.
    expect((await ci.send('HEAD', `/v2/shop/other/blobs/${blob.digest}`)).status).toBe(404);
  });

  it('may come a second time', async () => {
    const blob = await written();
    expect(await take(blob)).toBe(true);
    await writeFile(blob.file, blob.bytes);
    expect(await take(blob)).toBe(true);
    expect((await ci.send('HEAD', `/v2/shop/base/blobs/${blob.digest}`)).status).toBe(200);
  });

  it('counts towards the quota, and is left where it is when it does not fit', async () => {
    await fixture.registry.projectEnsure('narrow', 'tests');
    await fixture.registry.projectQuota('narrow', 5000);
    const [first, second, third] = [await written(), await written(), await written()];
    expect(await take(first, 'narrow/base')).toBe(true);
    expect(await fixture.registry.storage('narrow')).toMatchObject({ usedBytes: 2000 });
    // At once, before the project is counted anew.
    expect(await take(second, 'narrow/base')).toBe(true);
    await expect(take(third, 'narrow/base')).rejects.toMatchObject({ kind: 'rejected', code: 'RegistryDenied' });
    expect(await isGone(third.file)).toBe(false);
    await expectNothing(third.digest);
    expect(await fixture.registry.storage('narrow')).toMatchObject({ usedBytes: 4000 });
  });

  it('goes after an hour without an image, however old it was, and stays with one', async () => {
    const [lonely, layer] = [await written(), await written()];
    const long = new Date(Date.now() - 10 * GRACE_MS);
    for (const blob of [lonely, layer]) {
      await utimes(blob.file, long, long);
      await take(blob);
    }
    expect((await stored(lonely.digest)).mtimeMs).toBeGreaterThan(Date.now() - GRACE_MS);
    const config = Buffer.from('{}');
    await ci.pushBlob('shop/base', config);
    const describeBlob = (mediaType: string, digest: string, size: number) => ({ mediaType, digest, size });
    const manifest = {
      schemaVersion: 2,
      mediaType: OCI_MANIFEST,
      config: describeBlob('application/vnd.oci.image.config.v1+json', digestOf(config), config.length),
      layers: [describeBlob('application/vnd.oci.image.layer.v1.tar', layer.digest, layer.size)],
    };
    expect((await ci.pushManifest('shop/base', 'v1', Buffer.from(JSON.stringify(manifest)))).status).toBe(201);
    await fixture.registry.collectGarbage();
    expect((await stored(lonely.digest)).size).toBe(lonely.size);
    fixture.advance(GRACE_MS + 1000);
    await fixture.registry.collectGarbage();
    await expectNothing(lonely.digest);
    expect((await stored(layer.digest)).size).toBe(layer.size);
  });

  it.each([
    ['shorter than it is said to be', async () => ({ ...(await written()), size: 2001 })],
    [
      'known by another name, too',
      async () => {
        const blob = await written();
        await link(blob.file, `${blob.file}-too`);
        return blob;
      },
    ],
    [
      'a link',
      async () => {
        const blob = await written();
        await symlink(blob.file, `${blob.file}-link`);
        return { ...blob, file: `${blob.file}-link` };
      },
    ],
    ['too large', () => written(LIMIT + 1)],
    ['of no digest', async () => ({ ...(await written()), digest: 'sha256:../../etc' })],
  ])('is refused where it is %s', async (_, make) => {
    const blob = await make();
    await expect(take(blob)).rejects.toMatchObject({ kind: 'rejected' });
    expect(await isGone(blob.file)).toBe(false);
    expect(await incoming()).toEqual([]);
    expect((await ci.send('HEAD', `/v2/shop/base/blobs/${blob.digest}`)).status).not.toBe(200);
  });

  it('leaves nothing where the project is gone, or the disk is short', async () => {
    const lost = await written();
    await expect(take(lost, 'nobody/base')).rejects.toMatchObject({ kind: 'notFound' });
    await expectNothing(lost.digest);
    const blob = await written();
    isShort = true;
    await expect(take(blob)).rejects.toMatchObject({ kind: 'unavailable' });
    isShort = false;
    await expectNothing(blob.digest);
    expect(await take(blob)).toBe(true);
  });

  it('stays where it is on another disk', async (context) => {
    const elsewhere = '/dev/shm';
    const other = await stat(elsewhere).catch(() => undefined);
    if (!other || other.dev === (await stat(fixture.dataDir)).dev) return context.skip();
    const blob = await written();
    const file = path.join(elsewhere, `slipway-${path.basename(blob.file)}`);
    await writeFile(file, blob.bytes);
    try {
      expect(await take({ ...blob, file })).toBe(false);
      expect(await isGone(file)).toBe(false);
      await expectNothing(blob.digest);
    } finally {
      await rm(file, { force: true });
    }
  });
});
