import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf, RegistryClient } from '@slipway/foundation/ports/registry.suite-client.ts';
import { startRegistry, type RegistryFixture } from '../registry.fixture.ts';

const UPLOADS = '/v2/shop/hello/blobs/uploads/';
const LIMIT = 1024 * 1024;

describe('uploads', () => {
  let fixture: RegistryFixture;
  let ci: RegistryClient;
  beforeAll(async () => {
    fixture = await startRegistry({ limits: { blobBytes: LIMIT } });
    ci = await fixture.client('shop');
  });
  afterAll(() => fixture.stop());

  const incoming = () => readdir(path.join(fixture.dataDir, 'incoming'));
  const start = async (client = ci) => (await client.send('POST', UPLOADS)).headers.get('location') ?? '';
  const patch = (location: string, body: Buffer<ArrayBuffer>, from: number, client = ci) =>
    client.send('PATCH', location, { body, headers: { 'content-range': `${from}-${from + body.length - 1}` } });
  const finish = (location: string, digest: string, body?: Buffer<ArrayBuffer>, client = ci) =>
    client.send('PUT', `${location}?digest=${digest}`, body ? { body } : {});
  const read = async (digest: string, client = ci) =>
    Buffer.from(await (await client.send('GET', `/v2/shop/hello/blobs/${digest}`)).arrayBuffer());

  it('puts chunks together in order and says how far it has come', async () => {
    const bytes = randomBytes(3000);
    const location = await start();
    expect((await patch(location, bytes.subarray(0, 1000), 0)).headers.get('range')).toBe('0-999');
    expect((await patch(location, bytes.subarray(1000, 2000), 1000)).status).toBe(202);
    const status = await ci.send('GET', location);
    expect([status.status, status.headers.get('range')]).toEqual([204, '0-1999']);
    expect((await finish(location, digestOf(bytes), bytes.subarray(2000))).status).toBe(201);
    expect(await read(digestOf(bytes))).toEqual(bytes);
    expect(await incoming()).toEqual([]);
  });

  it('answers 416 to a chunk out of order, and goes on from where it was', async () => {
    const bytes = randomBytes(2000);
    const location = await start();
    await patch(location, bytes.subarray(0, 1000), 0);
    const early = await patch(location, bytes.subarray(1500), 1500);
    expect([early.status, early.headers.get('range')]).toEqual([416, '0-999']);
    expect((await patch(location, bytes.subarray(0, 1000), 0)).status).toBe(416);
    await patch(location, bytes.subarray(1000), 1000);
    expect((await finish(location, digestOf(bytes))).status).toBe(201);
  });

  it('carries an upload on at another replica, chunk by chunk, and finishes it at a third', async () => {
    const bytes = randomBytes(3000);
    const robot = await fixture.registry.robotEnsure('shop', 'roaming', ['pull', 'push']);
    const [second, third] = [await fixture.replica(), await fixture.replica()];
    const at = (replica: { registry: { baseUrl: string } }) => new RegistryClient(replica.registry, robot);
    const location = await start(at(fixture));
    await patch(location, bytes.subarray(0, 1000), 0, at(fixture));
    await patch(location, bytes.subarray(1000, 2000), 1000, at(second));
    // The first two end: nothing of the upload may have lived in them.
    await second.stop();
    expect((await finish(location, digestOf(bytes), bytes.subarray(2000), at(third))).status).toBe(201);
    expect(await read(digestOf(bytes), at(third))).toEqual(bytes);
  });

  it('refuses bytes that do not match their digest, and forgets them', async () => {
    const location = await start();
    await patch(location, Buffer.from('one'), 0);
    const wrong = await finish(location, digestOf(Buffer.from('two')));
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ errors: [{ code: 'DIGEST_INVALID' }] });
    expect((await ci.send('GET', location)).status).toBe(404);
    const whole = await ci.send('POST', `${UPLOADS}?digest=${digestOf(Buffer.from('two'))}`, { body: 'one' });
    expect(whole.status).toBe(400);
    expect(await incoming()).toEqual([]);
    expect((await ci.send('HEAD', `/v2/shop/hello/blobs/${digestOf(Buffer.from('two'))}`)).status).toBe(404);
  });

  it('lets exactly one of several requests finish an upload', async () => {
    const bytes = randomBytes(1000);
    const location = await start();
    await patch(location, bytes, 0);
    const answers = await Promise.all([1, 2, 3, 4].map(() => finish(location, digestOf(bytes))));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 404, 404, 404]);
    expect(await read(digestOf(bytes))).toEqual(bytes);
    expect(await incoming()).toEqual([]);
  });

  it('takes one of two chunks for the same place', async () => {
    const location = await start();
    const answers = await Promise.all(['one', 'two'].map((text) => patch(location, Buffer.from(text), 0)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([202, 416]);
    expect(await incoming()).toHaveLength(1);
    expect((await ci.send('DELETE', location)).status).toBe(204);
    expect(await incoming()).toEqual([]);
    expect((await ci.send('GET', location)).status).toBe(404);
  });

  it('answers 413 to what is too large, whether announced or not', async () => {
    const bytes = randomBytes(LIMIT + 1);
    const announced = await ci.send('POST', `${UPLOADS}?digest=${digestOf(bytes)}`, { body: bytes });
    expect(announced.status).toBe(413);
    const location = await start();
    // Much more than fits into buffers on the way: the answer must arrive all the same.
    expect(await streamed(location, Buffer.alloc(20 * LIMIT))).toBe(413);
    await patch(location, bytes.subarray(0, 1000), 0);
    expect((await patch(location, bytes.subarray(1000), 1000)).status).toBe(413);
    await ci.send('DELETE', location);
    expect(await incoming()).toEqual([]);
  });

  it('leaves nothing of a request that breaks off, and the upload goes on', async () => {
    const bytes = randomBytes(2000);
    const location = await start();
    await patch(location, bytes.subarray(0, 1000), 0);
    await breakOff('PATCH', location, 1000, bytes.subarray(1000, 1200));
    await breakOff('POST', `${UPLOADS}?digest=${digestOf(bytes)}`, 2000, bytes.subarray(0, 100));
    // The server learns of it a little later than we do.
    await expect.poll(incoming).toHaveLength(1);
    expect((await ci.send('GET', location)).headers.get('range')).toBe('0-999');
    await patch(location, bytes.subarray(1000), 1000);
    expect((await finish(location, digestOf(bytes))).status).toBe(201);
  });

  it('mounts a blob from a repository that the caller may read, and from no other', async () => {
    const digest = await ci.pushBlob('shop/hello', Buffer.from('shared layer'));
    const mount = (client: RegistryClient, target: string, from: string) =>
      client.send('POST', `/v2/${target}/blobs/uploads/?mount=${digest}&from=${encodeURIComponent(from)}`);
    expect((await mount(ci, 'shop/copy', 'shop/hello')).status).toBe(201);
    expect((await ci.send('HEAD', `/v2/shop/copy/blobs/${digest}`)).status).toBe(200);
    const stranger = await fixture.client('thieves');
    for (const from of ['shop/hello', 'shop/missing', '../shop/hello', 'shop/\0']) {
      expect((await mount(stranger, 'thieves/loot', from)).status).toBe(202);
    }
    expect((await stranger.send('HEAD', `/v2/thieves/loot/blobs/${digest}`)).status).toBe(404);
  });

  it('finds a blob in the same project when no repository is named, and in no other project', async () => {
    const digest = await ci.pushBlob('shop/hello', Buffer.from('a layer of the project'));
    const mount = (client: RegistryClient, target: string) => client.send('POST', `/v2/${target}/blobs/uploads/?mount=${digest}`);
    const found = await mount(ci, 'shop/found');
    expect([found.status, found.headers.get('location')]).toEqual([201, `/v2/shop/found/blobs/${digest}`]);
    expect((await ci.send('HEAD', `/v2/shop/found/blobs/${digest}`)).status).toBe(200);
    expect((await mount(await fixture.client('thieves'), 'thieves/loot')).status).toBe(202);
    // Who may push but not read does not learn what there is.
    const writer = new RegistryClient(fixture.registry, await fixture.registry.robotEnsure('shop', 'writer', ['push']));
    expect((await mount(writer, 'shop/blind')).status).toBe(202);
  });

  it('knows an upload only in its own repository', async () => {
    const location = await start();
    const id = location.split('/').at(-1);
    for (const other of [`/v2/shop/other/blobs/uploads/${id}`, `${UPLOADS}00000000-0000-4000-8000-000000000000`, `${UPLOADS}..%2f..`]) {
      expect((await ci.send('GET', other)).status).toBe(404);
    }
  });

  it('answers 404 for a project that does not exist, even to a token of the platform', async () => {
    const platform = new RegistryClient(fixture.registry, await fixture.registry.accessToken('missing/hello', ['pull', 'push']));
    const answer = await platform.send('POST', '/v2/missing/hello/blobs/uploads/');
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ errors: [{ code: 'NAME_UNKNOWN' }] });
  });

  it('stores a blob with a sha512 digest, started without saying so', async () => {
    const bytes = randomBytes(500);
    const digest = `sha512:${createHash('sha512').update(bytes).digest('hex')}`;
    const location = await start();
    await patch(location, bytes, 0);
    expect((await finish(location, digest)).status).toBe(201);
    expect(await read(digest)).toEqual(bytes);
  });

  /** A body of unknown length, as Docker sends it. Answers the status. */
  async function streamed(location: string, bytes: Buffer): Promise<number> {
    const request = await open('PATCH', location, {});
    return new Promise((resolve, reject) => {
      request.on('response', (response) => resolve(response.resume().statusCode ?? 0));
      request.on('error', reject);
      // A first write without an end makes Node send chunks instead of a length.
      request.write(bytes.subarray(0, 1));
      request.end(bytes.subarray(1));
    });
  }

  /** Announces `length` bytes, sends fewer and goes away. */
  async function breakOff(method: string, location: string, length: number, bytes: Buffer): Promise<void> {
    const before = (await incoming()).length;
    const request = await open(method, location, { 'content-length': length });
    request.on('error', () => undefined);
    request.write(bytes);
    await expect.poll(async () => (await incoming()).length).toBeGreaterThan(before);
    request.destroy();
    await expect.poll(async () => (await incoming()).length).toBe(before);
  }

  async function open(method: string, location: string, headers: http.OutgoingHttpHeaders): Promise<http.ClientRequest> {
    const token = await fixture.registry.accessToken('shop/hello', ['pull', 'push']);
    const url = new URL(location, fixture.registry.baseUrl);
    return http.request(url, { method, agent: false, headers: { ...headers, authorization: `Bearer ${token}` } });
  }
});
