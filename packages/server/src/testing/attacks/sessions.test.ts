/** Attacks with what a session leaves behind: replayed cookies, codes and tokens of somebody else, and tokens after signing out. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { meSessionsDelete, meTokenCreate, meTokenDelete, meView, type ApiToken, type Me } from '@slipway/contract/identity.ts';
import { notifyChange } from '#kernel/changes.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';
import {
  authorizationOf,
  authorize,
  browse,
  Cookies,
  newBrowserKey,
  ownKey,
  redeem,
  requestTokens,
  signIn,
  targetOf,
  tokensOf,
  type BrowserKey,
} from '@slipway/identity/browser.fixture.ts';
import { listenWith } from './event-listener.ts';

let app: TestApp;
let code: string;
let thief: BrowserKey;
beforeAll(async () => {
  app = await testApp({ isWorker: false, hasIdentity: true });
  code = app.identity?.demoCode() ?? '';
  thief = await newBrowserKey();
  await seedApp(app.database.db, { id: 'berth' });
});
afterAll(() => app?.close());

const statusOf = async (token: string): Promise<number> => (await app.call(undefined, meView, { token })).status;
const refresh = (token: string, key: BrowserKey | null = ownKey) =>
  requestTokens(app.url, { grant_type: 'refresh_token', refresh_token: token }, key);

/** A browser in which the administrator is signed in, and its cookies as a program on another port of the host gets them. */
const signedIn = async (person = 'kwame.boateng') => {
  const cookies = new Cookies();
  const authorization = authorizationOf(app.url);
  const back = await authorize(authorization, person, { code, cookies });
  return { cookies, tokens: await tokensOf(await redeem(app.url, authorization, back)) };
};
const signOut = async (cookies: Cookies, idToken: string): Promise<void> => {
  const url = new URL(`/oidc/slipway/session/end?id_token_hint=${idToken}`, app.url);
  const page = await (await browse(url, cookies)).text();
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const answer = await browse(new URL('/oidc/slipway/session/end/confirm', app.url), cookies, { xsrf, logout: 'yes' });
  expect(answer.status).toBe(303);
};

describe('replayed cookies', () => {
  test.each([
    ['its own key', () => thief.thumbprint],
    ['no key', () => ''],
    ['something that is no key', () => 'x'],
  ])('sign nobody in silently for a program with %s', async (_name, key) => {
    const { cookies } = await signedIn();
    const silent = authorizationOf(app.url, { prompt: 'none', dpop_jkt: key() });
    const answer = await browse(silent.url, cookies);
    const { searchParams } = new URL(answer.headers.get('location') ?? app.url);
    expect([searchParams.get('code'), searchParams.get('error')]).toEqual([null, 'login_required']);
  });

  test("get a code for the victim's own key at most, and no tokens for it", async () => {
    const { cookies } = await signedIn();
    const forged: BrowserKey = { thumbprint: ownKey.thumbprint, proofFor: thief.proofFor };
    const statuses = [];
    for (const key of [null, thief, forged, ownKey]) {
      const silent = authorizationOf(app.url, { prompt: 'none' });
      const back = await targetOf(await browse(silent.url, cookies));
      expect(back.searchParams.get('code')).not.toBeNull();
      statuses.push((await redeem(app.url, silent, back, key)).status);
    }
    // Its owner alone goes on.
    expect(statuses).toEqual([400, 400, 400, 200]);
  });

  test('do not reach the list of demo people either: the code that was given once is bound, too', async () => {
    const { cookies } = await signedIn();
    for (const key of [thief.thumbprint, '']) {
      const login = await targetOf(await browse(authorizationOf(app.url, { dpop_jkt: key }).url, cookies));
      expect(await (await browse(login, cookies)).text()).toContain('Enter the demo code');
      expect((await browse(login, cookies, { identity: 'kwame.boateng' })).status).toBe(403);
    }
  });

  test('cannot be bound to another key without signing in', async () => {
    const { cookies } = await signedIn();
    const consent = authorizationOf(app.url, { prompt: 'consent', dpop_jkt: thief.thumbprint });
    expect((await targetOf(await browse(consent.url, cookies))).pathname).toMatch(/\/login\//);
    const silent = authorizationOf(app.url, { prompt: 'none', dpop_jkt: thief.thumbprint });
    expect((await targetOf(await browse(silent.url, cookies))).searchParams.get('error')).toBe('login_required');
  });
});

describe('stolen tokens', () => {
  test('a refresh token is worth nothing without the key, and its owner goes on', async () => {
    const { tokens } = await signedIn();
    for (const key of [null, thief])
      expect(await (await refresh(tokens.refreshToken, key)).json()).toMatchObject({ error: 'invalid_grant' });
    expect((await refresh(tokens.refreshToken)).status).toBe(200);
  });

  test('a proof serves once, for its address and method, and not for ever', async () => {
    const url = `${app.url}/oidc/slipway/token`;
    const { tokens } = await signedIn();
    const ask = (proof: string) =>
      fetch(url, {
        method: 'POST',
        headers: { dpop: proof },
        body: new URLSearchParams({ client_id: 'slipway-console', grant_type: 'refresh_token', refresh_token: tokens.refreshToken }),
      });
    const stale = Math.floor(Date.now() / 1000) - 3600;
    for (const claims of [{ iat: stale }, { htm: 'GET' }, { htu: 'https://elsewhere.test/token' }])
      expect((await ask(await ownKey.proofFor(url, claims))).status).toBe(400);
    const proof = await ownKey.proofFor(url);
    const answer = await ask(proof);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ token_type: 'Bearer' });
    expect((await ask(proof)).status).toBe(400);
  });

  test('a client whose clock is wrong gets a nonce, and goes on with it', async () => {
    const url = `${app.url}/oidc/slipway/token`;
    const { tokens } = await signedIn();
    const iat = Math.floor(Date.now() / 1000) - 86_400;
    const body = new URLSearchParams({ client_id: 'slipway-console', grant_type: 'refresh_token', refresh_token: tokens.refreshToken });
    const first = await fetch(url, { method: 'POST', headers: { dpop: await ownKey.proofFor(url, { iat }) }, body });
    expect(await first.json()).toMatchObject({ error: 'use_dpop_nonce' });
    const nonce = first.headers.get('dpop-nonce') ?? '';
    expect((await fetch(url, { method: 'POST', headers: { dpop: await ownKey.proofFor(url, { iat, nonce }) }, body })).status).toBe(200);
  });
});

describe('an access token', () => {
  test('ends when its owner signs out, and with it the event stream that it opened', async () => {
    const { cookies, tokens } = await signedIn();
    const stream = await listenWith(app.url, tokens.accessToken);
    expect(await statusOf(tokens.accessToken)).toBe(200);
    await signOut(cookies, tokens.idToken);
    expect(await statusOf(tokens.accessToken)).toBe(401);
    await stream.ended;
  });

  test('ends when a refresh token of its chain is used twice: all of the chain, and no other', async () => {
    const { tokens } = await signedIn('ingrid.solheim');
    const other = await signIn(app.url, 'ingrid.solheim', { code });
    const next = await tokensOf(await refresh(tokens.refreshToken));
    expect([await statusOf(tokens.accessToken), await statusOf(next.accessToken)]).toEqual([200, 200]);
    expect((await refresh(tokens.refreshToken)).status).toBe(400);
    expect([await statusOf(tokens.accessToken), await statusOf(next.accessToken)]).toEqual([401, 401]);
    expect(await statusOf(other.accessToken)).toBe(200);
  });

  test('ends when its refresh token is revoked', async () => {
    const { tokens } = await signedIn('ingrid.solheim');
    const form = { client_id: 'slipway-console', token: tokens.refreshToken };
    const revoked = await fetch(`${app.url}/oidc/slipway/token/revocation`, { method: 'POST', body: new URLSearchParams(form) });
    expect(revoked.status).toBe(200);
    expect(await statusOf(tokens.accessToken)).toBe(401);
  });

  test('ends when somebody else signs in at the same browser, and when its owner is removed', async () => {
    const { cookies, tokens } = await signedIn('ingrid.solheim');
    const login = await targetOf(await browse(authorizationOf(app.url, { prompt: 'login' }).url, cookies));
    await browse(await targetOf(await browse(login, cookies, { identity: 'sofia.marin' })), cookies);
    expect(await statusOf(tokens.accessToken)).toBe(401);
    const gone = await signIn(app.url, 'jonas.lindqvist', { code });
    const stream = await listenWith(app.url, gone.accessToken);
    await app.database.pool.query(`delete from identity where id = 'jonas.lindqvist'`);
    expect(await statusOf(gone.accessToken)).toBe(401);
    // Whatever changes credentials or teams makes every stream look again.
    await notifyChange(app.database.db, { kind: 'team', team: 'cranes' });
    await stream.ended;
  });

  test('that names no sign-in, or one that never was, is refused though its signature is good', async () => {
    const { tokens } = await signedIn('ingrid.solheim');
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ grant_id: expect.any(String), aud: 'urn:slipway:api' });
    expect(decodeJwt(tokens.accessToken)).not.toHaveProperty('cnf');
    await app.database.pool.query(`delete from oidc_payload where model = 'Grant' and id = $1`, [
      decodeJwt(tokens.accessToken)['grant_id'],
    ]);
    expect(await statusOf(tokens.accessToken)).toBe(401);
  });

  test('tells who signed in at the userinfo endpoint, as long as it is good', async () => {
    const { cookies, tokens } = await signedIn();
    const ask = (token: string | undefined, method = 'GET') =>
      fetch(`${app.url}/oidc/slipway/me`, { method, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
    for (const method of ['GET', 'POST'])
      expect(await (await ask(tokens.accessToken, method)).json()).toEqual({
        sub: 'kwame.boateng',
        name: 'Kwame Boateng',
        preferred_username: 'kwame.boateng',
        email: 'kwame.boateng@norrland-line.example',
      });
    for (const wrong of [undefined, tokens.idToken, 'x', `${tokens.accessToken}x`]) {
      const answer = await ask(wrong);
      expect([answer.status, answer.headers.get('www-authenticate')?.startsWith('Bearer ')]).toEqual([401, true]);
    }
    await signOut(cookies, tokens.idToken);
    expect((await ask(tokens.accessToken)).status).toBe(401);
  });
});

describe('signing out everywhere', () => {
  test('ends the sign-ins of all browsers at once, and leaves other people and API tokens alone', async () => {
    const [here, there, other] = [await signedIn('ingrid.solheim'), await signedIn('ingrid.solheim'), await signedIn('sofia.marin')];
    const body = { name: 'CI', scopes: ['read'], expiresInDays: 1 };
    const made = (await app.call(undefined, meTokenCreate, { token: here.tokens.accessToken, body })).body as ApiToken & { token: string };
    const stream = await listenWith(app.url, there.tokens.accessToken);
    expect((await app.call(undefined, meSessionsDelete, { token: here.tokens.accessToken })).status).toBe(204);
    for (const { cookies, tokens } of [here, there]) {
      expect(await statusOf(tokens.accessToken)).toBe(401);
      expect((await refresh(tokens.refreshToken)).status).toBe(400);
      const silent = await targetOf(await browse(authorizationOf(app.url, { prompt: 'none' }).url, cookies));
      expect(silent.searchParams.get('error')).toBe('login_required');
    }
    await stream.ended;
    expect([await statusOf(made.token), await statusOf(other.tokens.accessToken)]).toEqual([200, 200]);
    expect(await statusOf((await signedIn('ingrid.solheim')).tokens.accessToken)).toBe(200);
  });

  test('ends the tokens of an outside provider as well, to the second', async () => {
    const outside = await testApp({ isWorker: false });
    try {
      const token = await outside.signIn.token('owner');
      const call = (given: string) => outside.call(undefined, meView, { token: given });
      expect((await outside.call(undefined, meSessionsDelete, { token })).status).toBe(204);
      // As if a second had gone by since.
      await outside.database.pool.query(`update identity set signed_out_at = signed_out_at + interval '1 second' where id = 'olga'`);
      expect((await call(token)).status).toBe(401);
      expect((await call(await outside.apiToken('owner', ['read']))).status).toBe(200);
      await outside.database.pool.query(`update identity set signed_out_at = signed_out_at - interval '2 seconds' where id = 'olga'`);
      expect((await call(await outside.signIn.token('owner'))).status).toBe(200);
    } finally {
      await outside.close();
    }
  });
});

describe('an event stream', () => {
  const tokenOf = async (person: string): Promise<string> => (await signIn(app.url, person, { code })).accessToken;

  test('of a stranger tells nothing of secret groups or of activity, and of the rest what he could read', async () => {
    const { db, pool } = app.database;
    await pool.query(`insert into team_member values ('cranes', 'ingrid.solheim', 'MEMBER') on conflict do nothing`);
    const [stranger, member, administrator] = await Promise.all(
      ['rahul.deshmukh', 'ingrid.solheim', 'kwame.boateng'].map(async (person) => listenWith(app.url, await tokenOf(person))),
    );
    await notifyChange(db, { kind: 'secretGroup', app: 'berth', env: 'development' });
    await notifyChange(db, { kind: 'activity', app: 'berth' });
    await notifyChange(db, { kind: 'secretGroup', app: 'nowhere', env: 'development' });
    await notifyChange(db, { kind: 'app', app: 'berth' });
    const last = { kind: 'app', app: 'berth' };
    for (const stream of [stranger, member, administrator]) await expect.poll(() => stream?.hints).toContainEqual(last);
    expect(stranger?.hints).toEqual([last]);
    expect(member?.hints.map(({ kind }) => kind).toSorted()).toEqual(['activity', 'app', 'secretGroup']);
    expect(administrator?.hints).toHaveLength(4);
    for (const stream of [stranger, member, administrator]) stream?.close();
  });

  test('follows the teams: who has left hears no more of what is the team’s alone', async () => {
    const { db, pool } = app.database;
    await pool.query(`insert into team_member values ('cranes', 'sofia.marin', 'MEMBER') on conflict do nothing`);
    const stream = await listenWith(app.url, await tokenOf('sofia.marin'));
    await notifyChange(db, { kind: 'secretGroup', app: 'berth', env: 'development' });
    await expect.poll(() => stream.hints).toHaveLength(1);
    await pool.query(`delete from team_member where team_id = 'cranes' and identity_id = 'sofia.marin'`);
    await notifyChange(db, { kind: 'team', team: 'cranes' });
    await expect.poll(() => stream.hints).toHaveLength(2);
    await notifyChange(db, { kind: 'secretGroup', app: 'berth', env: 'production' });
    await notifyChange(db, { kind: 'app', app: 'berth' });
    await expect.poll(() => stream.hints.at(-1)).toEqual({ kind: 'app', app: 'berth' });
    expect(stream.hints.map(({ kind }) => kind)).toEqual(['secretGroup', 'team', 'app']);
    stream.close();
  });

  test('opened with an API token ends when that is revoked', async () => {
    const token = await tokenOf('ingrid.solheim');
    const body = { name: 'watcher', scopes: ['read'], expiresInDays: 1 };
    const made = (await app.call(undefined, meTokenCreate, { token, body })).body as ApiToken & { token: string };
    expect(((await app.call(undefined, meView, { token: made.token })).body as Me).id).toBe('ingrid.solheim');
    const stream = await listenWith(app.url, made.token);
    await app.call(undefined, meTokenDelete, { token, params: { tokenId: made.id } });
    await stream.ended;
  });
});
