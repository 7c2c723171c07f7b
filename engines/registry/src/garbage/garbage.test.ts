import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { digestOf, type RegistryClient } from '@slipway/foundation/ports/registry.suite-client.ts';
import { BlobFiles } from '../content/blob-files.ts';
import { upsertBlob, upsertBlobLink } from '../content/content.sql.ts';
import type { RegistryContext } from '../context.ts';
import { collectGarbage, GRACE_MS, UPLOAD_MS } from './garbage.ts';
import { GarbageTimer } from './garbage-timer.ts';
import type { Db } from '../project.sql.ts';
import { Quota } from '../quota/quota.ts';
import { startRegistry, type RegistryFixture } from '../registry.fixture.ts';

const SECOND_MS = 1000;
const UPLOADS = '/v2/shop/hello/blobs/uploads/';

describe('garbage collection', () => {
  let fixture: RegistryFixture;
  let ci: RegistryClient;
  beforeAll(async () => {
    fixture = await startRegistry();
  });
  afterAll(() => fixture.stop());
  beforeEach(async () => {
    ci = await fixture.client('shop');
  });
  // What a test leaves behind is garbage a day later.
  afterEach(async () => {
    await fixture.registry.projectDelete('shop');
    fixture.advance(UPLOAD_MS + SECOND_MS);
    await collect();
    expect([await files('blobs'), await files('incoming')]).toEqual([[], []]);
  });

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
    const location = (await ci.send('POST', UPLOADS)).headers.get('location') ?? '';
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

  it('makes a push of the same bytes wait while it takes them', async () => {
    const bytes = Buffer.from('taken and brought again');
    const digest = await orphan(bytes);
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    class SlowFiles extends BlobFiles {
      override async remove(name: string): Promise<void> {
        entered.resolve();
        await gate.promise;
        await super.remove(name);
      }
    }
    const swept = collectGarbage(contextWith(new SlowFiles(fixture.dataDir)));
    await entered.promise;
    const pushed = ci.pushBlob('shop/hello', bytes);
    await expect.poll(waiting).toBe(1);
    gate.resolve();
    expect((await swept).blobs).toBe(1);
    await pushed;
    expect((await ci.send('GET', `/v2/shop/hello/blobs/${digest}`)).status).toBe(200);
  });

  it.each([
    ['pushed again', (db: Db, digest: string) => upsertBlob(db, digest, 1, fixture.now())],
    ['mounted', (db: Db, digest: string) => upsertBlobLink(db, 'shop/hello', digest, fixture.now())],
  ])('leaves bytes alone that are just being %s', async (_, begin) => {
    const digest = await orphan(Buffer.from('nearly taken'));
    const other = await fixture.database.pool.connect();
    await other.query('begin');
    await begin(other, digest);
    const swept = collect();
    await expect.poll(waiting).toBe(1);
    await other.query('commit');
    other.release();
    expect((await swept).blobs).toBe(0);
    expect(await isThere(digest)).toBe(true);
  });

  /** Bytes that nothing refers to, old enough to go. The row ages, not the clock: a push must look young beside it. */
  async function orphan(bytes: Buffer<ArrayBuffer>): Promise<string> {
    const digest = await ci.pushBlob('shop/hello', bytes);
    await ci.send('DELETE', `/v2/shop/hello/blobs/${digest}`);
    await fixture.database.pool.query(`update registry_blob set stored_at = stored_at - interval '2 hours'`);
    return digest;
  }

  /** How many sessions wait for a row. */
  async function waiting(): Promise<number> {
    const { rowCount } = await fixture.database.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount ?? 0;
  }

  function contextWith(files: BlobFiles): RegistryContext {
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const limits = { blobBytes: 1, manifestBytes: 1, idleMs: 1, graceMs: GRACE_MS };
    const { pool } = fixture.database;
    const rules = { uses: async () => [], mayPull: async () => ({ isAllowed: true }) as const };
    return {
      pool,
      host: 'localhost',
      files,
      log,
      limits,
      rules,
      quota: new Quota(pool, null),
      now: fixture.now,
      onEvent: async () => {},
      pushed: () => undefined,
    };
  }

  it('first runs a minute after the start, however long its interval is', async () => {
    const digest = await orphan(Buffer.from('nobody needs me either'));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const timer = new GarbageTimer(contextWith(new BlobFiles(fixture.dataDir)), UPLOAD_MS);
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    await timer.stop();
    expect(await isThere(digest)).toBe(false);
  });

  it('runs by itself', async () => {
    const timed = await startRegistry({ garbageEveryMs: 20 });
    const pusher = await timed.client('shop');
    await pusher.pushBlob('shop/hello', Buffer.from('no manifest needs me'));
    timed.advance(GRACE_MS + SECOND_MS);
    await expect.poll(() => timed.log.map((line) => line.message)).toContain('registry: garbage collected');
    await timed.stop();
  });
});
