import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestOf, type RegistryClient } from '#ports/registry.suite-client.ts';
import { GRACE_MS, UPLOAD_MS } from './garbage.ts';
import { startRegistry, type RegistryFixture } from './registry-fixture.ts';

const SECOND_MS = 1000;

describe('garbage collection', () => {
  let fixture: RegistryFixture;
  let ci: RegistryClient;
  beforeEach(async () => {
    fixture = await startRegistry();
    ci = await fixture.client('shop');
  });
  afterEach(() => fixture.stop());

  const files = async (folder: 'blobs' | 'incoming') => {
    const entries = await readdir(path.join(fixture.dataDir, folder), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  };
  const isThere = async (digest: string) => (await files('blobs')).includes(digest.slice('sha256:'.length));
  const collect = () => fixture.registry.collectGarbage();

  it('takes what no image needs after an hour, and nothing before', async () => {
    const lonely = await ci.pushBlob('shop/hello', Buffer.from('no manifest needs me'));
    const image = await ci.pushImage('shop/hello', '1', 'one');
    fixture.advance(GRACE_MS - SECOND_MS);
    expect(await collect()).toMatchObject({ links: 0, blobs: 0 });
    fixture.advance(2 * SECOND_MS);
    expect(await collect()).toMatchObject({ links: 1, blobs: 1 });
    expect(await isThere(lonely)).toBe(false);
    expect((await ci.send('HEAD', `/v2/shop/hello/blobs/${lonely}`)).status).toBe(404);
    expect((await ci.send('GET', `/v2/shop/hello/blobs/${image.layer.digest}`)).status).toBe(200);
    expect(await collect()).toMatchObject({ links: 0, blobs: 0 });
  });

  it('takes the bytes of a deleted image, but not those that another repository shares', async () => {
    const shared = await ci.pushImage('shop/hello', '1', 'shared');
    await ci.pushImage('shop/other', '1', 'shared');
    const own = await ci.pushImage('shop/hello', '2', 'own');
    await fixture.registry.repositoryDelete('shop/hello');
    fixture.advance(GRACE_MS + SECOND_MS);
    await collect();
    expect([await isThere(shared.layer.digest), await isThere(shared.digest)]).toEqual([true, true]);
    expect([await isThere(own.layer.digest), await isThere(own.digest)]).toEqual([false, false]);
    await fixture.registry.projectDelete('shop');
    await collect();
    expect(await files('blobs')).toEqual([]);
  });

  it('keeps an untagged image: a revision may run it by its digest', async () => {
    const first = await ci.pushImage('shop/hello', 'main', 'one');
    await ci.pushImage('shop/hello', 'main', 'two');
    fixture.advance(GRACE_MS + SECOND_MS);
    await collect();
    expect((await ci.send('GET', `/v2/shop/hello/blobs/${first.layer.digest}`)).status).toBe(200);
  });

  it('spares an old blob that a pusher has just found instead of sending it again', async () => {
    const found = await ci.pushBlob('shop/hello', Buffer.from('found'));
    fixture.advance(GRACE_MS - SECOND_MS);
    const pusher = await fixture.registry.accessToken('shop/hello', ['pull', 'push']);
    const url = `${fixture.registry.baseUrl}/v2/shop/hello/blobs/${found}`;
    expect((await fetch(url, { method: 'HEAD', headers: { authorization: `Bearer ${pusher}` } })).status).toBe(200);
    fixture.advance(2 * SECOND_MS);
    await collect();
    expect(await isThere(found)).toBe(true);
  });

  it('takes uploads that nobody has touched for a day', async () => {
    const location = (await ci.send('POST', '/v2/shop/hello/blobs/uploads/')).headers.get('location') ?? '';
    await ci.send('PATCH', location, { body: 'half' });
    fixture.advance(UPLOAD_MS - SECOND_MS);
    await collect();
    expect(await files('incoming')).toHaveLength(1);
    fixture.advance(2 * SECOND_MS);
    expect(await collect()).toMatchObject({ uploadFiles: 1 });
    expect(await files('incoming')).toEqual([]);
    expect((await ci.send('GET', location)).status).toBe(404);
  });

  it('finds what a crash left: files on their way, and files in place without a row', async () => {
    const bytes = Buffer.from('moved, then the power went');
    const orphan = path.join(fixture.dataDir, 'blobs/sha256', digestOf(bytes).slice(7, 9), digestOf(bytes).slice(7));
    const half = path.join(fixture.dataDir, 'incoming/6f1e6c5e-0000-4000-8000-000000000000');
    for (const file of [orphan, half]) {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, bytes);
      const old = new Date(Date.now() - GRACE_MS - SECOND_MS);
      await utimes(file, old, old);
    }
    expect(await collect()).toMatchObject({ uploadFiles: 1, orphans: 1, blobs: 0 });
    fixture.advance(GRACE_MS + SECOND_MS);
    expect(await collect()).toMatchObject({ orphans: 0, blobs: 1 });
    expect([await files('blobs'), await files('incoming')]).toEqual([[], []]);
  });

  it('never takes a blob from under a push of the same bytes, on whichever replica', async () => {
    const other = await fixture.replica();
    for (let round = 0; round < 20; round += 1) {
      await ci.pushBlob('shop/hello', Buffer.from(`round ${round}`));
      // The rows age, not the clock: to a moved clock the files of the running pushes would look abandoned.
      await fixture.database.pool.query(`update registry_blob set stored_at = stored_at - interval '2 hours'`);
      await fixture.database.pool.query(`update registry_blob_link set linked_at = linked_at - interval '2 hours'`);
      const sweeps = [collect(), other.registry.collectGarbage(), collect()];
      // Pushes of an image need its blobs to be there when the manifest comes.
      await Promise.all([ci.pushImage('shop/hello', `${round}`, `round ${round}`), ...sweeps]);
      const digest = digestOf(Buffer.from(`round ${round}`));
      const pulled = await ci.send('GET', `/v2/shop/hello/blobs/${digest}`);
      expect(Buffer.from(await pulled.arrayBuffer()).toString()).toBe(`round ${round}`);
    }
  });

  it('runs by itself', async () => {
    const timed = await startRegistry({ garbageEveryMs: 20 });
    const pusher = await timed.client('shop');
    await pusher.pushBlob('shop/hello', Buffer.from('no manifest needs me'));
    timed.advance(GRACE_MS + SECOND_MS);
    await expect.poll(() => timed.log.map((line) => line.message), { timeout: 5000 }).toContain('registry: garbage collected');
    await timed.stop();
  });
});
