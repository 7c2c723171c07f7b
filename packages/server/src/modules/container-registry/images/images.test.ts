/** Repositories, tags and images over HTTP: what is listed, what runs them, and what may be deleted or moved, from here and by clients. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  imageRepositoryDelete,
  imageRepositoryList,
  imageTagDelete,
  imageTagList,
  imageTagView,
  type ImageDetail,
  type ImageRepository,
  type ImageTag,
} from '@slipway/contract/registry/images.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { appActivityList } from '@slipway/contract/activity.ts';
import { digestOf, OCI_INDEX, OCI_MANIFEST, RegistryClient } from '#ports/registry.suite-client.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';

const place = { app: 'yard', env: 'development' };
const repository = 'yard/yard';
let app: TestApp;
let ci: RegistryClient;
const digests: Record<string, string> = {};

const push = async (tag: string, content = tag, to = repository): Promise<string> => {
  digests[tag] = (await ci.pushImage(to, tag, content)).digest;
  return digests[tag];
};
const tags = async (query: object = {}): Promise<Page<ImageTag>> =>
  (await app.call('member', imageTagList, { params: { ...place, repository: 'yard' }, query: { ...query } })).body as Page<ImageTag>;
const remove = (tag: string) => app.call('member', imageTagDelete, { params: { ...place, repository: 'yard', tag } });

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  const { db } = app.database;
  const { registry } = app.adapters;
  await seedApp(db, { id: 'yard' });
  await registry.projectEnsure('yard', 'app:yard');
  ci = new RegistryClient(registry, await registry.robotEnsure('yard', 'ci', ['pull', 'push', 'delete']));
  for (const tag of ['old', 'dev', 'live', 'newest']) await push(tag);
  for (const [environment, tag] of [
    ['production', 'live'],
    ['development', 'dev'],
  ] as const) {
    const serviceId = await seedService(db, { app: 'yard', environment, serving: ['yard-1'] });
    await seedRevision(db, { serviceId, service: 'yard', number: 1, imageDigest: digests[tag]!, imageTag: tag });
  }
});
afterAll(() => app?.close());

test('repositories are listed by name, with their tags and bytes, and found by part of a name', async () => {
  await push('base', 'base', 'yard/team/base');
  const list = async (query: object) =>
    (await app.call('member', imageRepositoryList, { params: place, query: { ...query } })).body as Page<ImageRepository>;
  const all = await list({});
  expect(all.content.map(({ name, tagCount }) => [name, tagCount])).toEqual([
    ['team/base', 1],
    ['yard', 4],
  ]);
  expect(all.content[1]?.sizeBytes).toBeGreaterThan(all.content[0]?.sizeBytes ?? Infinity);
  expect((await list({ sort: '-sizeBytes' })).content.map(({ name }) => name)).toEqual(['yard', 'team/base']);
  expect((await list({ query: 'BAS' })).content.map(({ name }) => name)).toEqual(['team/base']);
  const nested = await app.call('member', imageTagView, { params: { ...place, repository: 'team/base', tag: 'base' } });
  expect(nested.body).toMatchObject({ repository: 'yard/team/base', tag: 'base' });
});

test('tags come newest first, with who pushed and what runs them', async () => {
  const { content, totalElements } = await tags();
  expect(totalElements).toBe(4);
  expect(content.map(({ tag }) => tag)).toEqual(['newest', 'live', 'dev', 'old']);
  expect(content[1]).toMatchObject({
    digest: digests['live'],
    pushedBy: { kind: 'ROBOT', id: 'robot$yard+ci', displayName: 'ci' },
    runs: [{ environment: 'production', service: 'yard', revision: 'yard-1', isLive: true, isServing: true }],
    isExpiring: false,
    can: { delete: 'TagInUse', move: 'TagInUse' },
  });
  expect(content[2]?.can).toEqual({ delete: 'TagInUse', move: true });
  expect(content[0]?.can).toEqual({ delete: true, move: true });
});

test('tags are found by part of the tag or the begin of the digest, sorted, and by whether something runs them', async () => {
  const found = async (query: object) => (await tags(query)).content.map(({ tag }) => tag);
  expect(await found({ query: 'EW' })).toEqual(['newest']);
  expect(await found({ query: digests['dev']!.slice(0, 20) })).toEqual(['dev']);
  expect(await found({ query: digests['dev']!.slice(7, 19) })).toEqual(['dev']);
  expect(await found({ sort: 'tag' })).toEqual(['dev', 'live', 'newest', 'old']);
  expect(await found({ isRunning: true })).toEqual(['live', 'dev']);
  expect(await found({ isRunning: false, size: 1, page: 1 })).toEqual(['old']);
});

test('a tag that a revision runs is not deleted, and says which revision', async () => {
  const refused = await remove('live');
  expect(errorsOf(refused)).toEqual([409, 'undefined: TagInUse']);
  expect(refused.body).toMatchObject({ detail: expect.stringContaining('yard-1 in production') });
  const client = await ci.send('DELETE', `/v2/${repository}/manifests/live`);
  expect(client.status).toBe(403);
  expect(await client.json()).toMatchObject({ errors: [{ code: 'DENIED', message: expect.stringContaining('yard-1') }] });
  expect((await ci.send('DELETE', `/v2/${repository}/manifests/${digests['dev']}`)).status).toBe(403);
  const whole = await app.call('member', imageRepositoryDelete, { params: { ...place, repository: 'yard' } });
  expect(errorsOf(whole)).toEqual([409, 'undefined: RepositoryInUse']);
});

test('a tag that production runs is not moved; one that development runs is', async () => {
  await expect(push('live', 'something else')).rejects.toThrow(/403.*DENIED.*yard-1/s);
  digests['live'] = (await tags({ query: 'live' })).content[0]!.digest;
  // The same image again is no move.
  await ci.pushImage(repository, 'live', 'live');
  await push('dev', 'another');
  expect((await tags({ query: 'dev' })).content[0]).toMatchObject({ digest: digests['dev'], runs: [] });
});

test('a deleted tag takes its image along, unless another tag has it, and stands in the activity log', async () => {
  await ci.pushImage(repository, 'also-newest', 'newest');
  expect((await remove('newest')).status).toBe(204);
  expect((await ci.send('GET', `/v2/${repository}/manifests/${digests['newest']}`)).status).toBe(200);
  expect((await remove('also-newest')).status).toBe(204);
  expect((await ci.send('GET', `/v2/${repository}/manifests/${digests['newest']}`)).status).toBe(404);
  expect(errorsOf(await remove('newest'))).toEqual([404, 'undefined: TagDoesNotExist']);
  const nowhere = await app.call('member', imageTagDelete, { params: { ...place, repository: 'none', tag: 'x' } });
  expect(errorsOf(nowhere)).toEqual([404, 'undefined: RepositoryDoesNotExist']);
  const { content } = (await app.call('member', appActivityList, { params: place })).body as Page<{ message: string; reason: string }>;
  expect(content.map(({ message }) => message)).toContain('Mats Member deleted yard/yard:newest from the container registry');
});

test('an index keeps its images, and they go with it', async () => {
  const one = await ci.pushImage(repository, 'amd64', 'amd64');
  const index = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: OCI_INDEX,
      manifests: [
        { mediaType: OCI_MANIFEST, digest: one.digest, size: one.manifest.length, platform: { os: 'linux', architecture: 'amd64' } },
      ],
    }),
  );
  expect((await ci.pushManifest(repository, 'many', index, OCI_INDEX)).status).toBe(201);
  expect((await remove('amd64')).status).toBe(204);
  expect((await ci.send('GET', `/v2/${repository}/manifests/${one.digest}`)).status).toBe(200);
  const view = await app.call('member', imageTagView, { params: { ...place, repository: 'yard', tag: 'many' } });
  expect(view.body).toMatchObject({ platforms: [{ os: 'linux', architecture: 'amd64', digest: one.digest, sizeBytes: one.sizeBytes }] });
  expect((await remove('many')).status).toBe(204);
  expect((await ci.send('GET', `/v2/${repository}/manifests/${one.digest}`)).status).toBe(404);
});

test('an image shows its layers with their commands, its labels and its referrers', async () => {
  const layer = Buffer.from('a layer');
  const config = Buffer.from(
    JSON.stringify({
      architecture: 'arm64',
      os: 'linux',
      created: '2026-11-01T10:00:00Z',
      config: { Labels: { team: 'cranes' }, Entrypoint: ['node'], Cmd: ['server.js'], User: '1000', ExposedPorts: { '8080/tcp': {} } },
      history: [
        { created: '2026-11-01T09:00:00Z', created_by: 'COPY dist' },
        { created_by: 'CMD node', empty_layer: true },
      ],
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    }),
  );
  for (const bytes of [layer, config]) await ci.pushBlob(repository, bytes);
  const describe = (mediaType: string, bytes: Buffer) => ({ mediaType, digest: digestOf(bytes), size: bytes.length });
  const shared = { schemaVersion: 2, mediaType: OCI_MANIFEST, config: describe('application/vnd.oci.image.config.v1+json', config) };
  const layers = [describe('application/vnd.oci.image.layer.v1.tar', layer)];
  const image = Buffer.from(JSON.stringify({ ...shared, layers }));
  await ci.pushManifest(repository, 'anatomy', image);
  const signature = Buffer.from(
    JSON.stringify({
      ...shared,
      artifactType: 'application/vnd.dev.cosign.artifact.sig.v1+json',
      layers,
      subject: describe(OCI_MANIFEST, image),
      annotations: { by: 'ci' },
    }),
  );
  await ci.pushManifest(repository, digestOf(signature), signature);
  const { body } = await app.call('member', imageTagView, { params: { ...place, repository: 'yard', tag: 'anatomy' } });
  const detail = body as ImageDetail;
  expect(detail).toMatchObject({
    isSigned: true,
    platforms: [{ os: 'linux', architecture: 'arm64' }],
    createdAt: '2026-11-01T10:00:00.000Z',
    labels: { team: 'cranes' },
    user: '1000',
    command: ['node', 'server.js'],
    exposedPorts: ['8080/tcp'],
    layers: [
      { digest: digestOf(layer), sizeBytes: layer.length, command: 'COPY dist', createdAt: '2026-11-01T09:00:00.000Z' },
      { digest: null, sizeBytes: 0, command: 'CMD node', createdAt: null },
    ],
    referrers: [
      { digest: digestOf(signature), artifactType: 'application/vnd.dev.cosign.artifact.sig.v1+json', annotations: { by: 'ci' } },
    ],
    refusal: null,
  });
  expect((await remove('anatomy')).status).toBe(204);
  expect((await ci.send('GET', `/v2/${repository}/manifests/${digestOf(signature)}`)).status).toBe(404);
});

test('a repository that nothing runs goes with its tags', async () => {
  const gone = await app.call('member', imageRepositoryDelete, { params: { ...place, repository: 'team/base' } });
  expect(gone.status).toBe(204);
  const again = await app.call('member', imageRepositoryDelete, { params: { ...place, repository: 'team/base' } });
  expect(errorsOf(again)).toEqual([404, 'undefined: RepositoryDoesNotExist']);
});
