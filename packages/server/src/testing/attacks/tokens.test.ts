/** Attacks with API tokens and names: a stolen token must not live on in what was made with it, and nobody may be called like the platform. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ApiTokenCreate,
  identityList,
  meTokenCreate,
  meTokenDelete,
  meTokenList,
  meView,
  serviceAccountCreate,
  serviceAccountTokenCreate,
  userSearch,
  type ApiToken,
  type Identity,
  type Me,
} from '@slipway/contract/identity.ts';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { serviceAccessTokenCreate } from '@slipway/contract/service/service-access.ts';
import { makeFirstAdministrator } from '@slipway/identity/passwords/local-users.ts';
import { adminTokenId, syncAdminToken } from '#kernel/auth/api-token.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedService } from '#testing/fixtures.ts';

const DAY_MS = 86_400_000;
const everything = ['read', 'write', 'git', 'registry'] as const;
type Made = ApiToken & { token: string };

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
  await seedApp(app.database.db, { id: 'berth' });
  await seedService(app.database.db, { app: 'berth' });
});
afterAll(() => app?.close());

const make = async (by: string | undefined, expiresInDays: number, scopes: readonly string[] = everything): Promise<Made> => {
  const body = ApiTokenCreate.parse({ name: `for ${expiresInDays} days`, scopes, expiresInDays });
  const answer = await app.call(by === undefined ? 'owner' : undefined, meTokenCreate, {
    body,
    ...(by === undefined ? {} : { token: by }),
  });
  expect(answer.status).toBe(201);
  return answer.body as Made;
};
const statusOf = async (token: string): Promise<number> => (await app.call(undefined, meView, { token })).status;
const revoke = (tokenId: string, actor: 'owner' | 'member' = 'owner') => app.call(actor, meTokenDelete, { params: { tokenId } });

/** Sends the token as a password, as git and docker do. Returns the status. */
const asPassword = async (path: string, token: string): Promise<number> => {
  const authorization = `Basic ${Buffer.from(`any:${token}`).toString('base64')}`;
  return (await fetch(`${app.url}${path}`, { headers: { authorization } })).status;
};

describe('a token that a token made', () => {
  test('ends no later than that one, over any number of generations', async () => {
    const parent = await make(undefined, 1);
    const child = await make(parent.token, 365);
    const grandchild = await make(child.token, 365);
    for (const token of [child, grandchild]) {
      expect(Date.parse(token.expiresAt)).toBeLessThanOrEqual(Date.parse(parent.expiresAt));
      expect(Date.parse(token.expiresAt) - Date.now()).toBeLessThanOrEqual(DAY_MS);
    }
    // A shorter wish counts.
    const long = await make(undefined, 30);
    expect(Date.parse((await make(long.token, 2)).expiresAt)).toBeLessThan(Date.parse(long.expiresAt) - 20 * DAY_MS);
  });

  test('is revoked with it, everywhere, and so is what it made', async () => {
    const parent = await make(undefined, 1);
    const child = await make(parent.token, 1);
    const grandchild = await make(child.token, 1);
    expect(await statusOf(grandchild.token)).toBe(200);
    expect(await asPassword('/v2/', grandchild.token)).toBe(200);
    expect((await revoke(parent.id)).status).toBe(204);
    for (const { token } of [parent, child, grandchild]) {
      expect(await statusOf(token)).toBe(401);
      expect(await asPassword('/v2/', token)).toBe(401);
      expect(await asPassword('/git/berth/berth.git/info/refs?service=git-upload-pack', token)).toBe(401);
    }
    const listed = ((await app.call('owner', meTokenList)).body as ApiToken[]).map(({ id }) => id);
    for (const { id } of [parent, child, grandchild]) expect(listed).not.toContain(id);
    expect((await revoke(child.id)).status).toBe(404);
  });

  test('leaves its parent and its siblings alone when it is revoked itself', async () => {
    const parent = await make(undefined, 1);
    const [one, other] = [await make(parent.token, 1), await make(parent.token, 1)];
    expect((await revoke(one.id)).status).toBe(204);
    expect([await statusOf(one.token), await statusOf(other.token), await statusOf(parent.token)]).toEqual([401, 200, 200]);
  });

  test('says what it was made with', async () => {
    const parent = await make(undefined, 1);
    const child = await make(parent.token, 1);
    expect([parent.parent, child.parent]).toEqual([null, { id: parent.id, name: parent.name }]);
    const listed = (await app.call('owner', meTokenList)).body as ApiToken[];
    expect(listed.find(({ id }) => id === child.id)?.parent).toEqual({ id: parent.id, name: parent.name });
  });

  test('ends although it is made in the very moment in which its parent is revoked', async () => {
    const parent = await make(undefined, 1);
    const body = ApiTokenCreate.parse({ name: 'late', scopes: ['read'] });
    const tries = Array.from({ length: 6 }, () => app.call(undefined, meTokenCreate, { body, token: parent.token }));
    const [, ...answers] = await Promise.all([revoke(parent.id), ...tries]);
    for (const { status, body: made } of answers) if (status === 201) expect(await statusOf((made as Made).token)).toBe(401);
  });
});

describe('what else is made with a token', () => {
  test("a service account's token ends with it", async () => {
    const parent = await make(undefined, 1);
    const request = { params: { team: 'cranes' }, body: { displayName: 'Backdoor' } };
    const answer = await app.call(undefined, serviceAccountCreate, { ...request, token: parent.token });
    const { token } = answer.body as { identity: Identity; token: Made };
    expect(Date.parse(token.expiresAt)).toBeLessThanOrEqual(Date.parse(parent.expiresAt));
    const further = await make(token.token, 365);
    expect([await statusOf(token.token), await statusOf(further.token)]).toEqual([200, 200]);
    await revoke(parent.id);
    expect([await statusOf(token.token), await statusOf(further.token)]).toEqual([401, 401]);
    // Made by somebody who signed in it lives on its own.
    const own = (await app.call('owner', serviceAccountCreate, request)).body as { token: Made };
    expect(await statusOf(own.token.token)).toBe(200);
  });

  test('a token for calling a service ends no later', async () => {
    const minute = new Date(Date.now() + 60_000);
    const token = await app.apiToken('owner', everything, minute);
    const params = { app: 'berth', env: 'development', service: 'berth' };
    const made = (await app.call(undefined, serviceAccessTokenCreate, { params, token })).body as { expiresAt: string };
    expect(Date.parse(made.expiresAt)).toBeLessThanOrEqual(minute.getTime());
  });

  test("what the environment's administrator token made for others ends when it is changed", async () => {
    await syncAdminToken(app.database.pool, 'first-token-of-the-environment-1234567890');
    const request = { params: { team: 'cranes' }, body: { displayName: 'Backdoor of an administrator' } };
    const answer = await app.call(undefined, serviceAccountCreate, { ...request, token: 'first-token-of-the-environment-1234567890' });
    const { token } = answer.body as { token: Made };
    expect(token.parent).toEqual({ id: adminTokenId, name: 'SLIPWAY_ADMIN_TOKEN' });
    expect(await statusOf(token.token)).toBe(200);
    await syncAdminToken(app.database.pool, 'second-token-of-the-environment-123456789');
    expect(await statusOf(token.token)).toBe(401);
    await syncAdminToken(app.database.pool, undefined);
  });
});

describe('a further token of a service account', () => {
  const body = { name: 'Next quarter', scopes: ['read'], expiresInDays: 90 };
  const further = (team: string, identityId: string, by: { actor?: 'owner' | 'stranger' | 'member'; token?: string } = {}) =>
    app.call(by.token === undefined ? (by.actor ?? 'owner') : undefined, serviceAccountTokenCreate, {
      params: { team, identityId },
      body,
      ...(by.token === undefined ? {} : { token: by.token }),
    });
  const errorOf = async (answer: ReturnType<typeof further>) => {
    const { status, body: problem } = await answer;
    return `${status} ${(problem as ErrorObject).errors?.[0]?.code}`;
  };

  test("is its team owner's to make, so that it need not renew itself, and ends with the token that made it", async () => {
    const made = (await further('cranes', 'robot-1')).body as Made;
    expect((await app.call(undefined, meView, { token: made.token })).body).toMatchObject({ id: 'robot-1' });
    expect(made.parent).toBeNull();
    const parent = await make(undefined, 1);
    const child = (await further('cranes', 'robot-1', { token: parent.token })).body as Made;
    expect(Date.parse(child.expiresAt)).toBeLessThanOrEqual(Date.parse(parent.expiresAt));
    await revoke(parent.id);
    expect([await statusOf(child.token), await statusOf(made.token)]).toEqual([401, 200]);
  });

  test('is no way to act as a person, as the platform, or in a team of others', async () => {
    expect(await errorOf(further('cranes', 'mats'))).toBe('404 MISSING_RESOURCE');
    expect(await errorOf(further('customs', 'robot-1', { actor: 'stranger' }))).toBe('404 MISSING_RESOURCE');
    await syncAdminToken(app.database.pool, 'x'.repeat(40));
    await app.database.pool.query(`insert into team_member values ('cranes', 'platform-automation', 'MEMBER') on conflict do nothing`);
    expect(await errorOf(further('cranes', 'platform-automation'))).toBe('404 MISSING_RESOURCE');
    await app.database.pool.query(`insert into team_member values ('customs', 'robot-1', 'MEMBER')`);
    expect(await errorOf(further('cranes', 'robot-1'))).toBe('403 NotAnOwner');
    await app.database.pool.query(`delete from team_member where team_id = 'customs' and identity_id = 'robot-1'`);
    const weak = await app.apiToken('owner', ['write']);
    expect(await errorOf(further('cranes', 'robot-1', { token: weak }))).toBe('403 TokenScopeMissing');
  });
});

describe("the platform's own names", () => {
  const meOf = async (subject: string): Promise<Me> => {
    const token = await app.signIn.token('stranger', { subject, name: 'Mallory', email: `${subject.replace(/\W/g, '')}@example.test` });
    return (await app.call(undefined, meView, { token })).body as Me;
  };

  test('are no id for a subject of an outside provider, whether they are in use yet or not', async () => {
    await app.database.pool.query(`delete from identity where id in ('platform-automation', 'admin')`);
    for (const subject of ['platform-automation', 'Platform-Automation', 'admin', 'sa_0123456789'])
      expect((await meOf(subject)).id).toBe(`${subject}-${(await meOf(subject)).id.slice(-12)}`);
    await syncAdminToken(app.database.pool, 'x'.repeat(40));
    await makeFirstAdministrator(app.database.pool);
    for (const subject of ['platform-automation', 'admin'])
      expect(await meOf(subject)).toMatchObject({ isAdministrator: false, displayName: 'Mallory' });
    const { rows } = await app.database.pool.query(
      `select id, subject from identity where id in ('platform-automation', 'admin') order by id`,
    );
    expect(rows).toEqual([
      { id: 'admin', subject: null },
      { id: 'platform-automation', subject: null },
    ]);
  });

  test('are given back at the upgrade by those who took them before', async () => {
    const { pool } = app.database;
    await pool.query(`delete from identity where id in ('platform-automation', 'admin')`);
    await pool.query(`insert into identity (id, subject, display_name, email, is_administrator)
      values ('platform-automation', 'taken 1', 'Mallory', 'm1@example.test', true), ('admin', 'taken 2', 'Anna', 'a2@example.test', true)`);
    await pool.query(`insert into team_member values ('customs', 'admin', 'MEMBER')`);
    const sql = await readFile(new URL('../../../migrations/0012_sign_in.sql', import.meta.url), 'utf8');
    await pool.query(sql.slice(sql.indexOf('do $$')));
    const { rows } = await pool.query(
      `select subject, email, is_administrator, id ~ '^(platform-automation|admin)-[0-9a-f]{12}$' as is_renamed,
         (select count(*)::integer from team_member where identity_id = identity.id) as teams
       from identity where subject like 'taken _' order by subject`,
    );
    expect(rows).toEqual([
      { subject: 'taken 1', email: 'm1@example.test', is_administrator: false, is_renamed: true, teams: 0 },
      { subject: 'taken 2', email: 'a2@example.test', is_administrator: true, is_renamed: true, teams: 1 },
    ]);
  });

  test('appear in no list of people', async () => {
    await syncAdminToken(app.database.pool, 'x'.repeat(40));
    await app.database.pool.query(`insert into team_member values ('customs', 'platform-automation', 'OWNER') on conflict do nothing`);
    for (const query of [{}, { teamId: 'customs' }, { query: 'Platform' }]) {
      const { content, totalElements } = (await app.call('stranger', identityList, { query: { ...query, size: 100 } }))
        .body as Page<Identity>;
      expect(content.map(({ id }) => id)).not.toContain('platform-automation');
      expect(totalElements).toBe(content.length);
    }
    expect((await app.call('stranger', userSearch, { query: { query: 'Platform' } })).body).toEqual([]);
  });
});
