import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { startRegistry } from '@slipway/registry/registry.fixture.ts';
import type { RegistryFixture } from '@slipway/registry/registry.fixture.ts';

import { sha256 } from './digest.ts';
import { imageDocuments } from './image-documents.ts';
import { OciClient } from './oci-client.ts';

let fixture: RegistryFixture;
let platform: OciClient;
beforeAll(async () => {
  fixture = await startRegistry();
  for (const project of ['shop', 'library']) await fixture.registry.projectEnsure(project, 'tests');
  await fixture.registry.projectPublish('library', true);
  platform = new OciClient({
    baseUrl: fixture.registry.baseUrl,
    authorize: (repository, actions) => fixture.registry.accessToken(repository, actions),
  });
});
afterAll(() => fixture.stop());

const robotClient = async (actions: readonly ('pull' | 'push')[], secret?: string): Promise<OciClient> => {
  const robot = await fixture.registry.robotEnsure('shop', `robot-${actions.join('-')}`, actions);
  return new OciClient({ baseUrl: fixture.registry.baseUrl, credentials: { ...robot, secret: secret ?? robot.secret } });
};
const blob = (text: string) => ({ digest: sha256(text), size: text.length, body: () => Buffer.from(text) });
const documents = () =>
  imageDocuments([], { entrypoint: ['x'], workdir: '/', env: {}, user: undefined, labels: {}, createdAt: new Date(0) });

test('a robot signs in by the token flow, pushes and pulls', async () => {
  const robot = await robotClient(['pull', 'push']);
  const { config, manifest } = documents();
  const text = Buffer.from(config.bytes);
  expect(await robot.pushBlob('shop/app', { digest: config.digest, size: text.length, body: () => Readable.from([text]) })).toBe(true);
  expect(await robot.pushBlob('shop/app', { digest: config.digest, size: text.length, body: () => text })).toBe(false);
  await robot.pushManifest('shop/app', 'v1', manifest);
  expect(await robot.pullManifest('shop/app', 'v1')).toEqual({ ...manifest, bytes: Buffer.from(manifest.bytes) });
  expect(await robot.pullDocument('shop/app', { digest: config.digest, size: text.length }, 1 << 20)).toEqual(text);
  expect(Buffer.concat(await (await robot.pullBlob('shop/app', config.digest)).toArray())).toEqual(text);
});

test('rights that are missing are a rejection, not a reason to try again', async () => {
  const reader = await robotClient(['pull']);
  await expect(reader.pushBlob('shop/app', blob('x'))).rejects.toMatchObject({ kind: 'rejected', code: 'RegistryDenied' });
  const stranger = await robotClient(['pull', 'push'], 'wrong');
  await expect(stranger.pullManifest('shop/app', 'v1')).rejects.toMatchObject({ kind: 'rejected', code: 'RegistryDenied' });
});

test('a blob is linked from a repository that may be read, and must be sent otherwise', async () => {
  await platform.pushBlob('library/base', blob('base'));
  await platform.pushBlob('shop/private', blob('private'));
  expect(await platform.linkBlob('shop/linked', sha256('base'), 'library/base')).toBe(true);
  expect(await platform.hasBlob('shop/linked', sha256('base'))).toBe(true);
  expect(await platform.linkBlob('library/other', sha256('private'), 'shop/private')).toBe(false);
  expect(await platform.hasBlob('library/other', sha256('private'))).toBe(false);
});

test('a manifest without its blobs is refused, and what is not there is not found', async () => {
  const config = { mediaType: 'application/vnd.oci.image.config.v1+json', digest: sha256('never sent'), size: 10 };
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, config, layers: [] }));
  const manifest = { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: sha256(bytes), bytes };
  await expect(platform.pushManifest('shop/app', 'broken', manifest)).rejects.toMatchObject({ name: 'PortFailure' });
  await expect(platform.pullManifest('shop/app', 'missing')).rejects.toMatchObject({ kind: 'notFound' });
  await expect(platform.pullBlob('shop/app', sha256('missing'))).rejects.toMatchObject({ kind: 'notFound' });
});

test('bytes that do not have their digest are refused by the registry', async () => {
  const sent = { digest: sha256('expected'), size: 5, body: () => Buffer.from('other') };
  await expect(platform.pushBlob('shop/app', sent)).rejects.toMatchObject({ kind: 'rejected', code: 'RegistryRefused' });
});

test('a registry that is down is unavailable; a caller who gave up gets their own reason', async () => {
  const nobody = new OciClient({ baseUrl: 'http://127.0.0.1:9' });
  await expect(nobody.pullManifest('shop/app', 'v1')).rejects.toMatchObject({ kind: 'unavailable' });
  const signal = AbortSignal.abort(new Error('cancelled'));
  await expect(platform.pushBlob('shop/app', blob('late'), signal)).rejects.toThrow('cancelled');
});

test('credentials go to no token address but those that were named', async () => {
  const elsewhere = await startRegistry({ publicUrl: 'http://tokens.example' });
  await elsewhere.registry.projectEnsure('shop', 'tests');
  const credentials = await elsewhere.registry.robotEnsure('shop', 'ci', ['pull']);
  const client = new OciClient({ baseUrl: elsewhere.registry.baseUrl, credentials });
  await expect(client.pullManifest('shop/app', 'v1')).rejects.toMatchObject({
    kind: 'rejected',
    message: expect.stringContaining('tokens.example'),
  });
  await elsewhere.stop();
});

test('a file that is gone before a push opens it fails the push alone, also when nobody waits for it any more', async () => {
  const stopping = new AbortController();
  const missing = () => createReadStream('/nowhere/app.tar.gz');
  const push = (digest: string, body: () => Readable) => platform.pushBlob('shop/app', { digest, size: 1, body }, stopping.signal);
  await expect(push(sha256('gone'), missing)).rejects.toMatchObject({ kind: 'unavailable' });
  const stopped = push(sha256('stopped'), () => {
    stopping.abort(new Error('another layer failed'));
    return missing();
  });
  await expect(stopped).rejects.toThrow('another layer failed');
  // An error that nobody hears ends the program: here, this test.
  await delay(50);
});
