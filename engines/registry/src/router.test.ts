import { readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf, OCI_INDEX, OCI_MANIFEST, RegistryClient, type PushedImage } from '@slipway/foundation/ports/registry.suite-client.ts';
import { startRegistry, type RegistryFixture } from './registry.fixture.ts';

describe('registry over HTTP', () => {
  let fixture: RegistryFixture;
  let ci: RegistryClient;
  let image: PushedImage;
  beforeAll(async () => {
    fixture = await startRegistry();
    ci = await fixture.client('shop');
    image = await ci.pushImage('shop/hello', '1', '0123456789');
  });
  afterAll(() => fixture.stop());

  const code = async (response: Response) => ((await response.json()) as { errors: { code: string }[] }).errors[0]?.code;

  it('lets no browser run or sniff what it answers, whatever it answers', async () => {
    const paths = ['/v2/', '/v2/shop/hello/manifests/1', '/v2/shop/hello/manifests/2', `/v2/shop/hello/blobs/${image.layer.digest}`];
    for (const address of [...paths, '/v2/shop/hello/tags/list', '/v2/nonsense', '/v2/token']) {
      for (const who of [ci, new RegistryClient(fixture.registry)]) {
        const { headers } = await who.send('GET', address);
        expect(headers.get('x-content-type-options'), address).toBe('nosniff');
        expect(headers.get('content-security-policy'), address).toBe("sandbox; default-src 'none'");
        expect(headers.get('docker-distribution-api-version'), address).toBe('registry/2.0');
      }
    }
  });

  it.each([
    ['/v2/../etc/passwd', '/v2/../etc/passwd'],
    ['/v2/shop/../../etc/blobs/x', '/v2/shop/../../etc/blobs/x'],
    ['/v2/shop/hello/blobs/..%2f..%2fsecret', '/v2/shop/hello/blobs/..%2f..%2fsecret'],
    ['/v2/shop/hello/blobs/sha256:..%2f..%2f..%2fetc%2fpasswd', '/v2/shop/hello/blobs/sha256:..%2f..%2f..%2fetc%2fpasswd'],
    ['/v2/shop/hello/manifests/..', '/v2/shop/hello/manifests/..'],
    ['/v2/shop/hello/manifests/%2e%2e%2f1', '/v2/shop/hello/manifests/%2e%2e%2f1'],
    ['/v2/shop/hello/manifests/1%00', '/v2/shop/hello/manifests/1%00'],
    ['/v2/shop%2fhello/manifests/1', '/v2/shop%2fhello/manifests/1'],
    ['/v2/Shop/Hello/manifests/1', '/v2/Shop/Hello/manifests/1'],
    ['/v2/shop/manifests/1', '/v2/shop/manifests/1'],
    ['/v2/shop//hello/manifests/1', '/v2/shop//hello/manifests/1'],
    ['a name that is too long', `/v2/shop/${'a'.repeat(300)}/manifests/1`],
    ['a name made to keep the pattern busy', `/v2/${'a-'.repeat(5000)}/manifests/1`],
    ['/v2/shop/hello/tags/other', '/v2/shop/hello/tags/other'],
    ['/v2/_catalog/', '/v2/_catalog/'],
  ])('has nothing at %s', async (_, address) => {
    // fetch would tidy the address up before sending it.
    const token = await fixture.registry.accessToken('shop/hello', ['pull']);
    const { port } = new URL(fixture.registry.baseUrl);
    const status = await new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path: address, headers: { authorization: `Bearer ${token}` } };
      http.get(options, (response) => resolve(response.resume().statusCode)).on('error', reject);
    });
    expect(status).toBeOneOf([400, 404]);
  });

  it('answers 400, not 500, to an address that cannot be decoded', async () => {
    expect((await ci.send('GET', '/v2/shop/hello/manifests/%ff')).status).toBe(400);
  });

  it('answers 405 with what is allowed', async () => {
    const response = await ci.send('PATCH', '/v2/shop/hello/manifests/1');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT, DELETE']);
  });

  it('finds a digest whose colon is escaped', async () => {
    expect((await ci.send('GET', `/v2/shop/hello/manifests/${encodeURIComponent(image.digest)}`)).status).toBe(200);
  });

  it.each([
    ['bytes=2-4', 206, '234'],
    ['bytes=7-', 206, '789'],
    ['bytes=-2', 206, '89'],
    ['bytes=8-100', 206, '89'],
    ['bytes=0-1,4-5', 200, '0123456789'],
    ['bytes=10-', 416, undefined],
    ['bytes=5-2', 416, undefined],
  ])('answers %s with %i', async (range, status, text) => {
    const response = await ci.send('GET', `/v2/shop/hello/blobs/${image.layer.digest}`, { headers: { range } });
    expect(response.status).toBe(status);
    if (text === undefined) expect(response.headers.get('content-range')).toBe('bytes */10');
    else expect(await response.text()).toBe(text);
  });

  it('pages through tags in byte order', async () => {
    for (const tag of ['b', 'a', 'B', '10', '9']) await ci.pushImage('shop/paged', tag, 'same');
    const list = async (query: string) => {
      const response = await ci.send('GET', `/v2/shop/paged/tags/list${query}`);
      return { tags: ((await response.json()) as { tags: string[] }).tags, link: response.headers.get('link') };
    };
    expect(await list('')).toEqual({ tags: ['10', '9', 'B', 'a', 'b'], link: null });
    expect(await list('?n=2')).toEqual({ tags: ['10', '9'], link: '</v2/shop/paged/tags/list?n=2&last=9>; rel="next"' });
    expect(await list('?n=3&last=9')).toEqual({ tags: ['B', 'a', 'b'], link: null });
    expect(await list('?n=0')).toEqual({ tags: [], link: null });
    expect((await ci.send('GET', '/v2/shop/paged/tags/list?n=many')).status).toBe(400);
    expect((await ci.send('GET', '/v2/shop/paged/tags/list?last=%00')).status).toBe(400);
    expect(await code(await ci.send('GET', '/v2/shop/missing/tags/list'))).toBe('NAME_UNKNOWN');
  });

  it('lists what refers to an image, by type if asked', async () => {
    const config = await ci.pushBlob('shop/hello', Buffer.from('{}'));
    const refer = async (artifactType: string) => {
      const manifest = Buffer.from(
        JSON.stringify({
          schemaVersion: 2,
          mediaType: OCI_MANIFEST,
          artifactType,
          config: { mediaType: 'application/vnd.oci.empty.v1+json', digest: config, size: 2 },
          layers: [],
          subject: { mediaType: OCI_MANIFEST, digest: image.digest, size: image.manifest.length },
          annotations: { note: 'zero \u0000 byte' },
        }),
      );
      const response = await ci.pushManifest('shop/hello', digestOf(manifest), manifest);
      expect([response.status, response.headers.get('oci-subject')]).toEqual([201, image.digest]);
      return {
        mediaType: OCI_MANIFEST,
        digest: digestOf(manifest),
        size: manifest.length,
        artifactType,
        annotations: { note: 'zero \u0000 byte' },
      };
    };
    const [signature, bill] = [await refer('application/signature'), await refer('application/bill')];
    const list = async (query = '') => {
      const response = await ci.send('GET', `/v2/shop/hello/referrers/${image.digest}${query}`);
      expect(response.headers.get('content-type')).toBe(OCI_INDEX);
      return {
        filters: response.headers.get('oci-filters-applied'),
        manifests: ((await response.json()) as { manifests: unknown[] }).manifests,
      };
    };
    const all = await list();
    expect(all.filters).toBeNull();
    expect(all.manifests).toHaveLength(2);
    expect(all.manifests).toEqual(expect.arrayContaining([signature, bill]));
    expect(await list('?artifactType=application/bill')).toEqual({ filters: 'artifactType', manifests: [bill] });
    expect((await list('?artifactType=%00')).manifests).toEqual([]);
    expect((await ci.send('GET', '/v2/shop/hello/referrers/latest')).status).toBe(400);
  });

  it('adds up an index from its images, takes one without all of them, and adds up again when it is pushed again', async () => {
    const other = await ci.pushImage('shop/hello', 'arm', 'for another machine');
    const index = (digests: string[]) =>
      Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: OCI_INDEX, manifests: digests.map((digest) => ({ digest, size: 1 })) }));
    expect((await ci.pushManifest('shop/hello', 'multi', index([image.digest, other.digest]), OCI_INDEX)).status).toBe(201);
    const sizeBytes = image.sizeBytes + other.sizeBytes;
    expect(await fixture.registry.image('shop/hello', 'multi')).toMatchObject({ mediaType: OCI_INDEX, sizeBytes });

    const copied = await ci.pushImage('shop/sparse', 'one', '0123456789');
    const sparse = index([copied.digest, other.digest]);
    expect((await ci.pushManifest('shop/sparse', 'multi', sparse, OCI_INDEX)).status).toBe(201);
    expect(await fixture.registry.image('shop/sparse', 'multi')).toMatchObject({ sizeBytes: copied.sizeBytes });
    expect((await ci.send('GET', `/v2/shop/sparse/manifests/${other.digest}`)).status).toBe(404);
    await ci.pushImage('shop/sparse', 'two', 'for another machine');
    expect((await ci.pushManifest('shop/sparse', 'multi', sparse, OCI_INDEX)).status).toBe(201);
    expect(await fixture.registry.image('shop/sparse', 'multi')).toMatchObject({ sizeBytes });
  });

  it('pushes several tags at once and reports each', async () => {
    const seen: string[] = [];
    const stop = fixture.registry.onPush(({ tag }) => seen.push(tag));
    const response = await ci.send('PUT', `/v2/shop/hello/manifests/${image.digest}?tag=x&tag=y`, {
      body: image.manifest,
      headers: { 'content-type': OCI_MANIFEST },
    });
    stop();
    expect([response.status, response.headers.get('oci-tag'), seen]).toEqual([201, 'x, y', ['x', 'y']]);
  });

  it('deletes a tag alone, and an image with its tags', async () => {
    const gone = await ci.pushImage('shop/gone', 'a', 'gone');
    await ci.pushImage('shop/gone', 'b', 'gone');
    expect((await ci.send('DELETE', '/v2/shop/gone/manifests/a')).status).toBe(202);
    expect((await ci.send('GET', '/v2/shop/gone/manifests/b')).status).toBe(200);
    const needed = await ci.send('DELETE', `/v2/shop/gone/blobs/${gone.layer.digest}`);
    expect([needed.status, needed.headers.get('allow'), await code(needed)]).toEqual([405, 'GET, HEAD', 'UNSUPPORTED']);
    expect((await ci.send('GET', `/v2/shop/gone/blobs/${gone.layer.digest}`)).status).toBe(200);
    expect((await ci.send('DELETE', `/v2/shop/gone/manifests/${gone.digest}`)).status).toBe(202);
    expect((await ci.send('GET', '/v2/shop/gone/manifests/b')).status).toBe(404);
    expect((await ci.send('DELETE', `/v2/shop/gone/manifests/${gone.digest}`)).status).toBe(404);
    expect((await ci.send('DELETE', `/v2/shop/gone/blobs/${gone.layer.digest}`)).status).toBe(202);
    expect((await ci.send('DELETE', `/v2/shop/gone/blobs/${gone.layer.digest}`)).status).toBe(404);
  });

  it('says so when the bytes of a blob are lost, and takes them again', async () => {
    const bytes = Buffer.from('precious');
    const digest = await ci.pushBlob('shop/hello', bytes);
    const file = path.join(fixture.dataDir, 'blobs/sha256', digest.slice(7, 9), digest.slice(7));
    expect(await readFile(file)).toEqual(bytes);
    await rm(file);
    expect((await ci.send('HEAD', `/v2/shop/hello/blobs/${digest}`)).status).toBe(404);
    expect(await code(await ci.send('GET', `/v2/shop/hello/blobs/${digest}`))).toBe('BLOB_UNKNOWN');
    expect(fixture.log).toContainEqual({ level: 'error', message: 'registry: the file of a blob is missing', context: { digest } });
    await ci.pushBlob('shop/hello', bytes);
    expect((await ci.send('GET', `/v2/shop/hello/blobs/${digest}`)).status).toBe(200);
  });

  it('keeps tags and images whole when many pushes to one repository meet', async () => {
    const pushes = Array.from({ length: 12 }, (_, index) => ci.pushImage('shop/busy', `${index % 4}`, `layer ${index % 3}`));
    const images = await Promise.all(pushes);
    const known = new Set(images.map(({ digest }) => digest));
    const tags = await fixture.registry.tags('shop/busy');
    expect(tags.flatMap((entry) => entry.tags).sort()).toEqual(['0', '1', '2', '3']);
    expect(tags.every(({ digest }) => known.has(digest))).toBe(true);
  });
});
