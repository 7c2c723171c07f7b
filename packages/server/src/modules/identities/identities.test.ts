/** The signed-in identity, people search, identities, API tokens and service accounts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { teamActivityList, type Activity } from '@slipway/contract/activity.ts';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import {
  identityList,
  identityView,
  mePhoto,
  meTokenCreate,
  meTokenDelete,
  meTokenList,
  meView,
  serviceAccountCreate,
  userSearch,
  type ApiToken,
  type Identity,
  type Me,
} from '@slipway/contract/identity.ts';
import { syncAdminToken } from '#kernel/auth/api-token.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
});
afterAll(() => app?.close());

test('meView tells who calls, and of which teams', async () => {
  expect((await app.call('owner', meView)).body).toMatchObject({
    id: 'olga',
    type: 'USER',
    teamRefs: ['cranes'],
    ownedTeamRefs: ['cranes'],
  });
  expect((await app.call('serviceAccount', meView)).body).toMatchObject({ type: 'SERVICE_ACCOUNT', ownedTeamRefs: [] });
  expect((await app.call('administrator', meView)).body).toMatchObject({ isAdministrator: true, teamRefs: [] });
});

test.each([
  [500, 404],
  [501, 200],
])('mePhoto of %i bytes is %i', async (size, status) => {
  await app.database.db
    .updateTable('identity')
    .set({ photo: Buffer.alloc(size, 1), photo_type: 'image/png' })
    .where('id', '=', 'mats')
    .execute();
  expect((await app.call('member', mePhoto)).status).toBe(status);
});

describe('userSearch', () => {
  const search = async (query: string) => (await app.call('stranger', userSearch, { query: { query } })).body as Identity[];

  test('needs three characters', async () => {
    const { status, body } = await app.call('stranger', userSearch, { query: { query: ' ol ' } });
    expect([status, (body as ErrorObject).errors[0]?.code]).toEqual([400, 'QueryTooShort']);
  });

  test('of identities needs three characters too, except within a team', async () => {
    const find = (query: object) => app.call('stranger', identityList, { query: { ...query } });
    expect(errorsOf(await find({ query: 'ol' }))).toEqual([400, 'query: QueryTooShort']);
    expect(((await find({ query: 'ol', teamId: 'cranes' })).body as Page<Identity>).content.map(({ id }) => id)).toEqual(['olga']);
    expect((await find({ query: '' })).status).toBe(200);
  });

  test('finds by name and e-mail, never the platform itself', async () => {
    await syncAdminToken(app.database.pool, 'a'.repeat(32));
    expect((await search('OLGA')).map(({ id }) => id)).toEqual(['olga']);
    expect((await search('mats@exa')).map(({ id }) => id)).toEqual(['mats']);
    expect(await search('Platform')).toEqual([]);
    expect(await search('%%%')).toEqual([]);
  });
});

test('identities are listed by team, and seen one by one', async () => {
  const { content } = (await app.call('stranger', identityList, { query: { teamId: 'cranes' } })).body as Page<Identity>;
  expect(content.map(({ id }) => id)).toEqual(['robot-1', 'mats', 'olga']);
  expect((await app.call('stranger', identityView, { params: { identityId: 'olga' } })).body).toMatchObject({ email: 'olga@example.test' });
  expect((await app.call('stranger', identityView, { params: { identityId: 'nobody' } })).status).toBe(404);
});

describe('API tokens', () => {
  const body = (more: object = {}) => ({ body: { name: 'CI', scopes: ['read'], ...more } });

  test('are shown once, listed without their secret, and gone when revoked', async () => {
    const made = (await app.call('owner', meTokenCreate, body({ expiresInDays: 7 }))).body as ApiToken & { token: string };
    expect(made.token).toMatch(/^slw_[\w-]{43}$/);
    expect(Date.parse(made.expiresAt) - Date.now()).toBeLessThanOrEqual(7 * 86_400_000);
    const { token, ...rest } = made;
    const list = async () => (await app.call('owner', meTokenList)).body as ApiToken[];
    expect(await list()).toEqual([rest]);
    expect((await app.call(undefined, meView, { token })).status).toBe(200);
    expect((await list())[0]?.lastUsedAt).not.toBeNull();
    expect((await app.call('owner', meTokenDelete, { params: { tokenId: made.id } })).status).toBe(204);
    expect(await list()).toEqual([]);
    expect((await app.call('owner', meTokenDelete, { params: { tokenId: made.id } })).status).toBe(404);
  });

  test('cannot make stronger ones', async () => {
    const token = await app.apiToken('owner', ['read', 'write']);
    const refused = await app.call(undefined, meTokenCreate, { token, ...body({ scopes: ['read', 'git'] }) });
    expect([refused.status, (refused.body as ErrorObject).errors[0]]).toMatchObject([403, { field: 'scopes', context: { scope: 'git' } }]);
    expect((await app.call(undefined, meTokenCreate, { token, ...body() })).status).toBe(201);
  });

  test.each([
    ['no name', { name: '' }, 'name: Required'],
    ['no scope', { scopes: [] }, 'scopes: Required'],
    ['another scope', { scopes: ['all'] }, 'scopes.0: InvalidValue'],
    ['no day', { expiresInDays: 0 }, 'expiresInDays: Minimum'],
    ['too many days', { expiresInDays: 366 }, 'expiresInDays: Maximum'],
    ['half a day', { expiresInDays: 1.5 }, 'expiresInDays: NotAnInteger'],
  ])('with %s are refused', async (_name, more, error) => {
    const answer = await app.call('owner', meTokenCreate, body(more));
    expect(errorsOf(answer)).toEqual([400, error]);
  });

  test("that never expire, like the environment's, are listed", async () => {
    const secret = 'environment-token-of-32-characters';
    await syncAdminToken(app.database.pool, secret);
    const { status, body: tokens } = await app.call(undefined, meTokenList, { token: secret });
    expect([status, tokens]).toMatchObject([200, [{ expiresAt: '9999-12-31T23:59:59.999Z' }]]);
  });

  test('are in the log, without their secret', async () => {
    const { rows } = await app.database.pool.query<{ type: string; message: string; text: string }>(
      `select type, message, activity::text as text from activity where actor_id = 'olga' order by id`,
    );
    expect(rows[0]).toMatchObject({ type: 'meTokenCreate', message: 'Olga Owner created the API token CI' });
    expect(rows.map(({ text }) => text).join()).not.toContain('slw_');
  });
});

test('a service account belongs to its team, with a token that works', async () => {
  const request = { params: { team: 'cranes' }, body: { displayName: 'Deploy robot' } };
  const made = await app.call('owner', serviceAccountCreate, request);
  const { identity, token } = made.body as { identity: Identity; token: { token: string } };
  expect([made.status, identity]).toMatchObject([201, { displayName: 'Deploy robot', type: 'SERVICE_ACCOUNT' }]);
  const holders = app.database.db.selectFrom('service_account_holder').selectAll().where('account_id', '=', identity.id);
  expect(await holders.execute()).toEqual([{ account_id: identity.id, identity_id: 'olga' }]);
  const { db } = app.database;
  const setRole = (role: 'OWNER' | 'MEMBER') =>
    db.updateTable('team_member').set({ role }).where('identity_id', '=', identity.id).execute();
  await setRole('OWNER');
  const next = await app.call(undefined, serviceAccountCreate, { ...request, token: token.token });
  await setRole('MEMBER');
  const { identity: second } = next.body as { identity: Identity };
  // Whoever holds the first account could have read the answer.
  expect(
    await db
      .selectFrom('service_account_holder')
      .select('identity_id')
      .where('account_id', '=', second.id)
      .orderBy('identity_id')
      .execute(),
  ).toEqual([{ identity_id: 'olga' }, { identity_id: identity.id }]);
  const me = (await app.call(undefined, meView, { token: token.token })).body as Me;
  expect(me).toMatchObject({ id: identity.id, teamRefs: ['cranes'], ownedTeamRefs: [], isAdministrator: false });
  const log = (await app.call('member', teamActivityList, { params: { team: 'cranes' } })).body as Page<Activity>;
  expect(log.content[0]).toMatchObject({ type: 'serviceAccountCreate', after: { displayName: 'Deploy robot' } });
});
