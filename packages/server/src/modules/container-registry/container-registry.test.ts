/** Robot accounts over HTTP: made, listed, renewed on purpose only, and gone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  containerRegistryView,
  robotAccountCreate,
  robotAccountDelete,
  type ContainerRegistry,
} from '@slipway/contract/container-registry.ts';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import { answersOf } from '@slipway/contract/kernel/hint.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { listenWith } from '#testing/attacks/event-listener.ts';

const place = { app: 'yard', env: 'development' };
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
  await app.database.db
    .insertInto('app')
    .values({ id: 'yard', display_name: 'Yard', team_id: 'cranes', state: 'ACTIVE', created_by: 'olga' })
    .execute();
  await app.adapters.registry.projectEnsure('yard', 'app:yard');
});
afterAll(() => app.close());

const view = async (): Promise<ContainerRegistry> =>
  (await app.call('member', containerRegistryView, { params: place })).body as ContainerRegistry;
const create = (body: object) => app.call('member', robotAccountCreate, { params: place, body });

test('a robot account is listed without its secret, which was answered once', async () => {
  const made = await create({ name: 'ci', permissions: ['pull', 'push'] });
  expect(made).toMatchObject({ status: 201, body: { username: 'robot$yard+ci' } });
  const { robotAccounts, can } = await view();
  expect(robotAccounts).toMatchObject([{ name: 'ci', username: 'robot$yard+ci', permissions: ['pull', 'push'] }]);
  expect(JSON.stringify(robotAccounts)).not.toContain((made.body as { secret: string }).secret);
  expect(can).toEqual({ manageRobotAccounts: true });
});

test('a name that is taken is refused at its field; renewing it is said', async () => {
  const taken = await create({ name: 'ci', permissions: ['pull'] });
  expect(taken.status).toBe(409);
  expect((taken.body as ErrorObject).errors).toEqual([{ field: 'name', code: 'RobotAccountAlreadyExists' }]);
  expect((await create({ name: 'ci', permissions: ['pull'], renew: true })).status).toBe(201);
  expect((await view()).robotAccounts[0]?.permissions).toEqual(['pull']);
});

test.each([
  [{ name: '', permissions: ['pull'] }, 'name', 'Required'],
  [{ name: 'CI', permissions: ['pull'] }, 'name', 'KebabCase'],
  [{ name: 'ci2', permissions: [] }, 'permissions', 'Required'],
])('%j is refused', async (body, field, code) => {
  const answer = await create(body);
  expect(answer.status).toBe(400);
  expect((answer.body as ErrorObject).errors[0]).toMatchObject({ field, code });
});

test('a deleted one is gone, and deleting it again is no error', async () => {
  for (let times = 0; times < 2; times += 1) {
    expect((await app.call('member', robotAccountDelete, { params: { ...place, robot: 'ci' } })).status).toBe(204);
  }
  expect((await view()).robotAccounts).toEqual([]);
});

test('members hear that the app’s robot accounts changed, and nobody else', async () => {
  const [member, stranger] = await Promise.all([
    listenWith(app.url, await app.signIn.token('member')),
    listenWith(app.url, await app.signIn.token('stranger')),
  ]);
  await create({ name: 'heard', permissions: ['pull'] });
  const hint = { kind: 'robotAccount', app: 'yard', team: 'cranes' };
  await expect.poll(() => member.hints, { timeout: 10_000 }).toContainEqual(hint);
  expect(answersOf(hint)).toEqual(['containerRegistry']);
  expect(stranger.hints).toEqual([]);
  member.close();
  stranger.close();
});
