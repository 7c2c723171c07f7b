/** Tests robot accounts over HTTP and at the registry: creation, permissions, rotation, disabling, expiry and deletion. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import { answersOf } from '@slipway/contract/hint.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { containerRegistryView, type ContainerRegistry } from '@slipway/contract/registry/project.ts';
import {
  robotAccountActivate,
  robotAccountChoose,
  robotAccountCreate,
  robotAccountDelete,
  robotAccountList,
  robotAccountRotate,
  robotAccountSecretEnd,
  robotAccountUpdate,
  robotAccountView,
  type RobotAccount,
  type RobotSecret,
} from '@slipway/contract/registry/robot-account.ts';
import { secretGroupCreate, secretReveal } from '@slipway/contract/secret/secret-group.ts';
import { RegistryClient } from '#ports/registry.suite-client.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { listenWith } from '#testing/attacks/event-listener.ts';
import { sayRobotNotices } from './robot-watch.ts';

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

const call = async <T>(route: RouteShape, params: object = {}, body?: unknown, query?: Record<string, unknown>): Promise<T> => {
  const answer = await app.call('member', route, {
    params: { ...place, ...params },
    ...(body === undefined ? {} : { body }),
    ...(query && { query }),
  });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body as T;
};
const create = (body: object) => app.call('member', robotAccountCreate, { params: place, body });
const made = async (body: object): Promise<RobotSecret> => call(robotAccountCreate, {}, body);
const one = (robot: string): Promise<RobotAccount> => call(robotAccountView, { robot });
const names = async (): Promise<string[]> => (await call<{ content: RobotAccount[] }>(robotAccountList)).content.map(({ name }) => name);
const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
/** Requests a token as `docker login` does. Returns the HTTP status. */
const signIn = async ({ username, secret }: Pick<RobotSecret, 'username' | 'secret'>): Promise<number> =>
  (await fetch(`${app.url}/v2/token`, { headers: { authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}` } }))
    .status;
const client = ({ username, secret }: RobotSecret) => new RegistryClient(app.adapters.registry, { username, secret: secret ?? '' });
const log = (reason: string) =>
  app.database.db.selectFrom('activity').select(['message', 'level']).where('reason', '=', reason).where('app_id', '=', 'yard').execute();

test('without accounts, whoever asks which to use hears the specification’s code', async () => {
  expect(errorsOf(await app.call('member', robotAccountChoose, { params: place }))).toEqual([
    409,
    'undefined: HARBOR_NO_ROBOT_ACCOUNTS_CONFIGURED',
  ]);
});

test('whoever was shown the secret does not decide what the account pushes', async () => {
  const { db } = app.database;
  const group = { name: 'builds', entries: [{ key: 'OTHER', value: 'x' }] };
  await call(secretGroupCreate, {}, group);
  await made({ name: 'written', permissions: ['push'], into: { environment: 'development', group: 'builds', key: 'ROBOT' } });
  await made({ name: 'shown', permissions: ['push'] });
  const holders = async () =>
    (await db.selectFrom('service_account_holder').selectAll().orderBy('identity_id').execute()).map(
      ({ account_id: account, identity_id: person }) => `${account} ${person}`,
    );
  expect(await holders()).toEqual(['robot$yard+shown mats']);
  await app.call('owner', robotAccountRotate, { params: { ...place, robot: 'shown' }, body: { overlapHours: 0 } });
  expect(await holders()).toEqual(['robot$yard+shown mats', 'robot$yard+shown olga']);
  // The migration finds the same in the activity log.
  const migration = readFileSync(join(import.meta.dirname, '../../../../migrations/0095_holders_and_counters.sql'), 'utf8');
  await db.deleteFrom('service_account_holder').execute();
  await app.database.pool.query(`${migration.slice(migration.indexOf('create temporary'), migration.indexOf('-- What an entry'))}
    ${migration.slice(migration.indexOf('insert into service_account_holder'))}`);
  expect(await holders()).toEqual(['robot$yard+shown mats', 'robot$yard+shown olga']);
  // Whoever reads the value in the group knows the secret as well.
  const reveal = { params: { ...place, group: 'builds' }, body: { key: 'ROBOT', version: 2, reason: 'To push by hand' } };
  expect((await app.call('owner', secretReveal, reveal)).status).toBe(200);
  expect(await holders()).toContain('robot$yard+written olga');
  for (const robot of ['written', 'shown']) await call(robotAccountDelete, { robot });
});

test('an account is listed without its secret, which was answered once', async () => {
  const { username, secret } = await made({ name: 'ci', description: 'Build pipeline', permissions: ['pull', 'push'], expiresOn: day(90) });
  expect(username).toBe('robot$yard+ci');
  const robot = await one('ci');
  expect(robot).toMatchObject({
    permissions: ['repository:pull', 'repository:push', 'artifact:read', 'tag:list', 'tag:create'],
    description: 'Build pipeline',
    state: 'ACTIVE',
    expiresOn: day(90),
    lastUsed: null,
    createdBy: { id: 'mats' },
    can: { rotate: true },
  });
  const { robotAccounts, can } = await call<ContainerRegistry>(containerRegistryView);
  expect(robotAccounts).toMatchObject([{ name: 'ci' }]);
  expect(JSON.stringify([robotAccounts, robot])).not.toContain(secret);
  expect(can).toMatchObject({ manageRobotAccounts: true });
  expect(await signIn({ username, secret })).toBe(200);
  expect((await one('ci')).lastUsed).toMatchObject({ address: expect.stringContaining('127.0.0.1'), client: 'node' });
});

test.each([
  [{ name: 'ci', permissions: ['pull'] }, 409, 'name: RobotAccountAlreadyExists'],
  [{ name: '', permissions: ['pull'] }, 400, 'name: Required'],
  [{ name: 'CI', permissions: ['pull'] }, 400, 'name: KebabCase'],
  [{ name: 'slipway', permissions: ['pull'] }, 400, 'name: InvalidName'],
  [{ name: 'ci2', permissions: [] }, 400, 'permissions: Required'],
  [{ name: 'ci2', permissions: ['registry:all'] }, 400, 'permissions.0: InvalidValue'],
  [{ name: 'ci2', permissions: ['pull'], expiresOn: '2020-01-01' }, 400, 'expiresOn: ExpiryInThePast'],
  [
    { name: 'ci2', permissions: ['pull'], into: { environment: 'development', group: 'nothing', key: 'CI' } },
    404,
    'into.group: SecretGroupDoesNotExist',
  ],
])('%j is refused', async (body, status, error) => {
  expect(errorsOf(await create(body))).toEqual([status, error]);
});

test('a permission is a resource with an action, and the registry enforces each', async () => {
  const pusher = client(await made({ name: 'pusher', permissions: ['push'] }));
  await pusher.pushImage('yard/api', '1', 'one');
  const { digest } = (await app.adapters.registry.image('yard/api', '1')) ?? { digest: '' };
  let count = 0;
  const status = async (permissions: string[], method: string, path: string) =>
    (await client(await made({ name: `only-${++count}`, permissions })).send(method, path)).status;
  expect(await status(['tag:list'], 'GET', '/v2/yard/api/tags/list')).toBe(200);
  expect(await status(['artifact:read'], 'GET', '/v2/yard/api/tags/list')).toBe(403);
  expect(await status(['artifact:read'], 'GET', '/v2/yard/api/manifests/1')).toBe(200);
  expect(await status(['repository:pull'], 'GET', '/v2/yard/api/manifests/1')).toBe(403);
  expect(await status(['tag:delete'], 'DELETE', `/v2/yard/api/manifests/${digest}`)).toBe(403);
  expect(await status(['artifact:delete'], 'DELETE', '/v2/yard/api/manifests/1')).toBe(403);
  // The account may sign images of others but not move tags.
  const signer = client(await made({ name: 'signer', permissions: ['repository:push', 'artifact:read'] }));
  await expect(signer.pushImage('yard/api', '2', 'two')).rejects.toThrow();
  expect(await status(['tag:delete', 'artifact:read'], 'DELETE', '/v2/yard/api/manifests/1')).toBe(202);
});

test('a change keeps the secret, and the log says what changed', async () => {
  const secret = await made({ name: 'changed', permissions: ['pull'] });
  await call(robotAccountUpdate, { robot: 'changed' }, { description: 'More', permissions: ['pull', 'tag:delete'], expiresOn: null });
  expect(await one('changed')).toMatchObject({
    description: 'More',
    permissions: ['repository:pull', 'artifact:read', 'tag:list', 'tag:delete'],
  });
  expect(await signIn(secret)).toBe(200);
});

describe('rotation', () => {
  test('the old secret works on until its hours are over, or it is ended', async () => {
    const old = await made({ name: 'turning', permissions: ['pull'] });
    const fresh = await call<RobotSecret>(robotAccountRotate, { robot: 'turning' }, { overlapHours: 24 });
    expect(fresh.secret).not.toBe(old.secret);
    expect([await signIn(old), await signIn(fresh)]).toEqual([200, 200]);
    const { previousSecret } = await one('turning');
    expect(Date.parse(previousSecret?.endsAt ?? '')).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    expect(previousSecret?.lastUsedAt).not.toBeNull();
    await call(robotAccountSecretEnd, { robot: 'turning' });
    expect([await signIn(old), await signIn(fresh)]).toEqual([401, 200]);
    expect((await one('turning')).previousSecret).toBeNull();
  });

  test('with no overlap the old one ends at once, and the account can be extended', async () => {
    const old = await made({ name: 'sudden', permissions: ['pull'], expiresOn: day(3) });
    const fresh = await call<RobotSecret>(robotAccountRotate, { robot: 'sudden' }, { overlapHours: 0, expiresOn: day(100) });
    expect(fresh.previousEndsAt).toBeNull();
    expect([await signIn(old), await signIn(fresh)]).toEqual([401, 200]);
    expect(await one('sudden')).toMatchObject({ expiresOn: day(100), state: 'ACTIVE' });
    expect(
      errorsOf(await app.call('member', robotAccountRotate, { params: { ...place, robot: 'sudden' }, body: { overlapHours: 5 } })),
    ).toEqual([400, 'overlapHours: InvalidValue']);
  });

  test('the secret goes into a secret group instead of the answer', async () => {
    await call(secretGroupCreate, {}, { name: 'registry', entries: [{ key: 'OTHER', value: 'stays' }] });
    await made({ name: 'written', permissions: ['pull'] });
    const into = { environment: 'development', group: 'registry', key: 'ROBOT_SECRET' };
    const answer = await call<RobotSecret>(robotAccountRotate, { robot: 'written' }, { into });
    expect(answer).toMatchObject({ secret: null, writtenTo: { ...into, version: 2 } });
    const reason = 'compares it with the registry';
    const { value } = await call<{ value: string }>(secretReveal, { group: 'registry' }, { key: 'ROBOT_SECRET', version: 2, reason });
    expect(await signIn({ username: answer.username, secret: value })).toBe(200);
    const entries = await app.database.db.selectFrom('activity').select(['before', 'after', 'message']).execute();
    expect(JSON.stringify(entries)).not.toContain(value);
  });
});

test('a disabled account is refused and says how often, until it is enabled', async () => {
  const secret = await made({ name: 'resting', permissions: ['pull'] });
  expect(await call(robotAccountActivate, { robot: 'resting' }, { active: false })).toMatchObject({ state: 'DISABLED' });
  expect([await signIn(secret), await signIn(secret), await signIn({ ...secret, secret: 'wrong' })]).toEqual([401, 401, 401]);
  expect((await one('resting')).refusals.count).toBe(2);
  await sayRobotNotices(app.database.db, app.adapters.registry);
  await sayRobotNotices(app.database.db, app.adapters.registry);
  expect(await log('Refused')).toMatchObject([{ level: 'WARNING', message: expect.stringContaining('resting was refused') }]);
  expect(await call(robotAccountActivate, { robot: 'resting' }, { active: true })).toMatchObject({
    state: 'ACTIVE',
    refusals: { count: 0 },
  });
  expect(await signIn(secret)).toBe(200);
});

test('an expired one is refused; the team hears two weeks before, once; both stand first in the list', async () => {
  const expired = await made({ name: 'z-expired', permissions: ['pull'], expiresOn: day(1) });
  await made({ name: 'y-ending', permissions: ['pull'], expiresOn: day(13) });
  await made({ name: 'later', permissions: ['pull'], expiresOn: day(15) });
  await app.database.pool.query(`update registry_robot set expires_on = $1 where name = 'z-expired'`, [day(-1)]);
  expect(await signIn(expired)).toBe(401);
  await sayRobotNotices(app.database.db, app.adapters.registry);
  expect(await sayRobotNotices(app.database.db, app.adapters.registry)).toBe(0);
  expect(await log('Ending')).toEqual([
    { level: 'WARNING', message: `The robot account y-ending ends after ${day(13)}. Rotate and extend it.` },
  ]);
  const warned = async () =>
    (await app.database.pool.query(`select context ->> 'name' as name from notification_event where type = 'robot.expiring'`)).rows;
  expect(await warned()).toEqual([{ name: 'y-ending' }]);
  for (const left of [3, 2, 1, 0, 0]) {
    await app.database.pool.query(`update registry_robot set expires_on = $1, warned_of = $1 where name = 'y-ending'`, [day(left)]);
    await sayRobotNotices(app.database.db, app.adapters.registry);
  }
  // At 14, 3 and 1 days before: two days left is the milestone of three.
  expect(await warned()).toHaveLength(3);
  await app.database.pool.query(`update registry_robot set expires_on = $1 where name = 'y-ending'`, [day(13)]);
  expect((await names()).slice(0, 2)).toEqual(['z-expired', 'y-ending']);
  expect((await names()).at(-1)).toBe('slipway');
  expect((await one('y-ending')).state).toBe('EXPIRING');
  expect((await one('later')).state).toBe('ACTIVE');
});

test('the platform’s own account is shown and changed by nobody', async () => {
  const robot = { ...place, robot: 'slipway' };
  expect(await one('slipway')).toMatchObject({ managedBy: 'PLATFORM', can: { delete: 'RobotAccountOfPlatform' } });
  for (const route of [robotAccountDelete, robotAccountSecretEnd])
    expect(errorsOf(await app.call('member', route, { params: robot }))).toEqual([409, 'undefined: RobotAccountOfPlatform']);
});

test('which account to use: one that may do it, with the least beside', async () => {
  expect(await call(robotAccountChoose, {}, undefined, { for: 'pull' })).toMatchObject({ host: app.adapters.registry.host });
  for (const robot of ['changed']) await app.call('member', robotAccountDelete, { params: { ...place, robot } });
  expect(errorsOf(await app.call('member', robotAccountChoose, { params: place, query: { for: 'delete' } }))).toEqual([
    409,
    'undefined: HARBOR_ROBOT_ACCOUNT_MISSING',
  ]);
});

test('a deleted one is gone, and deleting it again is no error', async () => {
  for (let times = 0; times < 2; times += 1) {
    expect((await app.call('member', robotAccountDelete, { params: { ...place, robot: 'ci' } })).status).toBe(204);
  }
  const gone = await app.call('member', robotAccountView, { params: { ...place, robot: 'ci' } });
  expect((gone.body as ErrorObject).name).toBe('RobotAccountDoesNotExist');
});

test('a project holds a hundred', async () => {
  const there = (await app.adapters.registry.robots('yard')).length;
  for (let at = there; at < 100; at += 1) await app.adapters.registry.robotEnsure('yard', `many-${at}`, ['pull']);
  expect(errorsOf(await create({ name: 'one-more', permissions: ['pull'] }))).toEqual([409, 'undefined: TooManyRobotAccounts']);
  await app.database.pool.query(`delete from registry_robot where name like 'many-%'`);
});

test('members hear that the app’s robot accounts changed, and nobody else', async () => {
  const [member, stranger] = await Promise.all([
    listenWith(app.url, await app.signIn.token('member')),
    listenWith(app.url, await app.signIn.token('stranger')),
  ]);
  await create({ name: 'heard', permissions: ['pull'] });
  const hint = { kind: 'robotAccount', app: 'yard', robot: 'heard', team: 'cranes' };
  await expect.poll(() => member.hints, { timeout: 10_000 }).toContainEqual(hint);
  expect(answersOf(hint)).toEqual(['robotAccount', 'containerRegistry']);
  expect(stranger.hints).toEqual([]);
  member.close();
  stranger.close();
});
