/** Two teams' robot accounts: neither sees, reads, writes or deletes anything of the other's project, however it asks. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { imageRepositoryList, imageTagList, imageTagView } from '@slipway/contract/registry/images.ts';
import { containerRegistryView } from '@slipway/contract/registry/project.ts';
import { RegistryClient, type PushedImage } from '#ports/registry.suite-client.ts';
import type { RobotCredentials } from '#ports/registry.ts';
import { testApp, type TestApp } from '../app.ts';
import { seedApp } from '../fixtures.ts';

const secret = 'quay/secret-plans';
let app: TestApp;
let theirs: PushedImage;
let robot: RobotCredentials;
let mine: RegistryClient;

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  const { registry } = app.adapters;
  const all = ['pull', 'push', 'delete'] as const;
  for (const [id, team] of [
    ['yard', 'cranes'],
    ['quay', 'tugs'],
  ] as const) {
    const known = await app.database.db.selectFrom('team').select('id').where('id', '=', team).executeTakeFirst();
    if (!known) await app.database.db.insertInto('team').values({ id: team, display_name: team, created_by: 'olga' }).execute();
    await seedApp(app.database.db, { id, team });
    await registry.projectEnsure(id, `app:${id}`);
  }
  theirs = await new RegistryClient(registry, await registry.robotEnsure('quay', 'ci', all)).pushImage(secret, 'v1', 'plans of the quay');
  robot = await registry.robotEnsure('yard', 'ci', all);
  mine = new RegistryClient(registry, robot);
  await mine.pushImage('yard/yard', 'v1', 'plans of the yard');
});
afterAll(() => app?.close());

const basic = (): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${robot.username}:${robot.secret}`).toString('base64')}`,
});

test.each([
  ['GET', () => `/v2/${secret}/manifests/v1`],
  ['HEAD', () => `/v2/${secret}/manifests/v1`],
  ['GET', () => `/v2/${secret}/manifests/${theirs.digest}`],
  ['GET', () => `/v2/${secret}/blobs/${theirs.layer.digest}`],
  ['GET', () => `/v2/${secret}/tags/list`],
  ['GET', () => `/v2/${secret}/referrers/${theirs.digest}`],
  ['POST', () => `/v2/${secret}/blobs/uploads/`],
  ['DELETE', () => `/v2/${secret}/manifests/v1`],
  ['DELETE', () => `/v2/${secret}/blobs/${theirs.layer.digest}`],
])('%s %s is refused, as it is where nothing is', async (method, pathOf) => {
  const path = pathOf();
  const nothing = path.replace(secret, 'quay/nothing');
  const [known, unknown] = [await mine.send(method, path), await mine.send(method, nothing)];
  expect(known.status).toBe(401);
  expect([unknown.status, await unknown.text()]).toEqual([known.status, (await known.text()).replaceAll(secret, 'quay/nothing')]);
  const direct = await fetch(`${app.url}${path}`, { method, headers: basic() });
  expect(direct.status).toBe(403);
});

test('a token that was asked for the other project carries nothing', async () => {
  const scope = [`repository:${secret}:pull,push,delete`, 'repository:quay/*:*', 'registry:catalog:*'];
  const query = scope.map((one) => `scope=${encodeURIComponent(one)}`).join('&');
  const answer = await fetch(`${app.url}/v2/token?service=slipway-registry&${query}`, { headers: basic() });
  const { token } = (await answer.json()) as { token: string };
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { access: { actions: string[] }[] };
  expect(claims.access.flatMap(({ actions }) => actions)).toEqual([]);
});

test('neither catalog nor mounts lead across', async () => {
  expect(await (await mine.send('GET', '/v2/_catalog')).json()).toEqual({ repositories: ['yard/yard'] });
  const query = `mount=${theirs.layer.digest}&from=${secret}`;
  // An upload is begun instead: whoever has the bytes may send them.
  expect((await mine.send('POST', `/v2/yard/yard/blobs/uploads/?${query}`)).status).toBe(202);
  expect((await mine.send('HEAD', `/v2/yard/yard/blobs/${theirs.layer.digest}`)).status).toBe(404);
});

test('a repository of one project cannot be named through the path of another', async () => {
  const place = { app: 'yard', env: 'development' };
  for (const repository of ['../quay/secret-plans', '..%2fquay%2fsecret-plans', '/quay/secret-plans', 'yard/../../quay/secret-plans']) {
    for (const route of [imageTagList, imageTagView]) {
      const answer = await app.call('member', route, { params: { ...place, repository, tag: 'v1' } });
      expect([400, 404]).toContain(answer.status);
    }
  }
  expect((await app.call('member', containerRegistryView, { params: { app: 'quay', env: 'development' } })).status).toBe(404);
  expect((await app.call('member', imageRepositoryList, { params: { app: 'quay', env: 'development' } })).status).toBe(404);
});
