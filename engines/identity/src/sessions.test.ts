// Sessions: shared by replicas, ended by signing out or when their sign-in method is disabled.
import { jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineDatabase, type EngineDatabase } from '@slipway/postgres/testing/test-server.ts';
import { tables } from './tables.ts';
import {
  authorizationOf,
  authorize,
  browse,
  Cookies,
  ownKey,
  redeem,
  requestTokens,
  signIn,
  targetOf,
  tokensOf,
} from './browser.fixture.ts';
import { memoryKeys, runIdentity, type Running } from './identity.fixture.ts';
import { removeExpired } from './payload-store.ts';

let database: EngineDatabase;
let server: Running;
let replica: Running;
let code: string;
const platformKey = memoryKeys();

beforeAll(async () => {
  database = await engineDatabase(tables);
  server = await runIdentity(database, { platformKey });
  // Both replicas use one public URL, but each has its own port.
  replica = await runIdentity(database, { platformKey, publicUrl: server.baseUrl.replace('127.0.0.1', 'localhost') });
  code = server.identity.demoCode() ?? '';
});
afterAll(async () => {
  await server.close();
  await replica.close();
  await database.drop();
});

/** Returns the same URL at the other replica, as a load balancer would route it. */
const atReplica = (url: URL): URL => new URL(url.pathname + url.search, replica.baseUrl);

describe('replicas', () => {
  test('carry on what another began: each step of one sign-in at the other replica', async () => {
    expect(replica.identity.demoCode()).toBe(code);
    const cookies = new Cookies();
    const authorization = authorizationOf(server.baseUrl);
    const login = await targetOf(await browse(authorization.url, cookies));
    const form = { redirect: 'manual', method: 'POST' } as const;
    const headers = (url: URL) => ({ cookie: cookies.for(url), origin: server.baseUrl });
    const opened = await fetch(atReplica(login), { ...form, headers: headers(login), body: new URLSearchParams({ code }) });
    cookies.keep(opened);
    const body = new URLSearchParams({ identity: 'ingrid.solheim' });
    const chosen = await fetch(atReplica(login), { ...form, headers: headers(login), body });
    const back = await targetOf(await browse(await targetOf(chosen), cookies));
    // The DPoP proof contains the URL that the browser sees.
    const key = { ...ownKey, proofFor: () => ownKey.proofFor(`${server.identity.issuer}/token`) };
    const tokens = await tokensOf(await redeem(replica.baseUrl, authorization, back, key));
    const verified = await jwtVerify(tokens.accessToken, server.identity.keySet, { issuer: server.identity.issuer });
    expect(verified.payload.sub).toBe('ingrid.solheim');
    expect((await requestTokens(server.baseUrl, { grant_type: 'refresh_token', refresh_token: tokens.refreshToken })).status).toBe(200);
  });

  test('know a session that the other began: no second sign-in page', async () => {
    const cookies = new Cookies();
    await authorize(authorizationOf(server.baseUrl), 'ingrid.solheim', { code, cookies });
    const again = await targetOf(await browse(atReplica(authorizationOf(server.baseUrl).url), cookies));
    expect(again.searchParams.get('code')).not.toBeNull();
  });
});

describe('signing out', () => {
  const logoutOf = (parameters: Record<string, string>): URL =>
    new URL(`/oidc/slipway/session/end?${new URLSearchParams(parameters).toString()}`, server.baseUrl);
  const home = () => `${server.baseUrl}/`;

  test('is confirmed on a page of our own, ends session and refresh token, and leads back', async () => {
    const cookies = new Cookies();
    const authorization = authorizationOf(server.baseUrl);
    const back = await authorize(authorization, 'ingrid.solheim', { code, cookies });
    const { idToken, refreshToken } = await tokensOf(await redeem(server.baseUrl, authorization, back));
    const url = logoutOf({ id_token_hint: idToken, post_logout_redirect_uri: home(), state: 'here' });
    const page = await (await browse(url, cookies)).text();
    expect(page).toContain('Sign out of Slipway?');
    expect(page).not.toMatch(/<script|style=/);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const confirm = new URL('/oidc/slipway/session/end/confirm', server.baseUrl);
    expect((await browse(confirm, cookies, { xsrf: 'wrong', logout: 'yes' })).status).toBe(400);
    const done = await targetOf(await browse(confirm, cookies, { xsrf, logout: 'yes' }));
    expect(done.href).toBe(`${home()}?state=here`);
    const refresh = await requestTokens(server.baseUrl, { grant_type: 'refresh_token', refresh_token: refreshToken });
    expect(await refresh.json()).toMatchObject({ error: 'invalid_grant' });
    const next = await targetOf(await browse(authorizationOf(server.baseUrl).url, cookies));
    expect(next.pathname).toMatch(/^\/oidc\/slipway\/login\//);
    // The browser is still known, so the code is not required again.
    expect(await (await browse(next, cookies)).text()).toContain('Sign in as');
  });

  test('where nobody is signed in leads straight back, or says so', async () => {
    const url = logoutOf({ client_id: 'slipway-console', post_logout_redirect_uri: home() });
    expect((await targetOf(await browse(url, new Cookies()))).href).toBe(home());
    const bare = await targetOf(await browse(logoutOf({}), new Cookies()));
    expect(await (await browse(bare, new Cookies())).text()).toContain('You are signed out');
  });

  test('never leads elsewhere', async () => {
    const foreign = { client_id: 'slipway-console', post_logout_redirect_uri: 'http://evil.example/' };
    const response = await browse(logoutOf(foreign), new Cookies());
    expect(response.status).toBe(400);
    expect((await targetOf(await browse(logoutOf({ post_logout_redirect_uri: 'http://evil.example/' }), new Cookies()))).host).toBe(
      new URL(server.baseUrl).host,
    );
  });
});

describe('a session', () => {
  test('of somebody who is gone leads to the sign-in page', async () => {
    const cookies = new Cookies();
    await authorize(authorizationOf(server.baseUrl), 'jonas.lindqvist', { code, cookies });
    await database.pool.query(`delete from identity where id = 'jonas.lindqvist'`);
    const next = await targetOf(await browse(authorizationOf(server.baseUrl).url, cookies));
    expect(next.pathname).toMatch(/^\/oidc\/slipway\/login\//);
    const back = await targetOf(await browse(await targetOf(await browse(next, cookies, { identity: 'sofia.marin' })), cookies));
    expect(back.searchParams.get('code')).not.toBeNull();
  });

  test('of the demo is worth nothing once passwords are demanded', async () => {
    const cookies = new Cookies();
    const authorization = authorizationOf(server.baseUrl);
    const back = await authorize(authorization, 'kwame.boateng', { code, cookies });
    const { refreshToken } = await tokensOf(await redeem(server.baseUrl, authorization, back));
    const strict = await runIdentity(database, { platformKey, hasLocalUsers: true });
    try {
      const refresh = await requestTokens(strict.baseUrl, { grant_type: 'refresh_token', refresh_token: refreshToken });
      expect(await refresh.json()).toMatchObject({ error: 'invalid_grant' });
      const next = await targetOf(await browse(authorizationOf(strict.baseUrl).url, cookies));
      expect(next.pathname).toMatch(/^\/oidc\/slipway\/login\//);
    } finally {
      await strict.close();
    }
  });

  test('gives way when somebody else signs in at the same browser', async () => {
    const cookies = new Cookies();
    const first = authorizationOf(server.baseUrl);
    const back = await authorize(first, 'ingrid.solheim', { code, cookies });
    const { refreshToken } = await tokensOf(await redeem(server.baseUrl, first, back));
    const login = await targetOf(await browse(authorizationOf(server.baseUrl, { prompt: 'login' }).url, cookies));
    const resumed = await browse(await targetOf(await browse(login, cookies, { identity: 'sofia.marin' })), cookies);
    expect((await targetOf(resumed)).searchParams.get('code')).not.toBeNull();
    const refresh = await requestTokens(server.baseUrl, { grant_type: 'refresh_token', refresh_token: refreshToken });
    expect(refresh.status).toBe(400);
  });

  test('asked for without a page answers that sign-in is needed; consent is never asked for', async () => {
    const silent = await browse(authorizationOf(server.baseUrl, { prompt: 'none' }).url, new Cookies());
    expect((await targetOf(silent)).searchParams.get('error')).toBe('login_required');
    const cookies = new Cookies();
    await authorize(authorizationOf(server.baseUrl), 'ingrid.solheim', { code, cookies });
    const consent = await targetOf(await browse(authorizationOf(server.baseUrl, { prompt: 'consent' }).url, cookies));
    const back = await targetOf(await browse(await targetOf(await browse(consent, cookies)), cookies));
    expect(back.searchParams.get('code')).not.toBeNull();
  });
});

describe('what is stored', () => {
  test('gives nobody a token: codes and refresh tokens are hashed', async () => {
    const { refreshToken } = await signIn(server.baseUrl, 'ingrid.solheim', { code });
    const { rows } = await database.pool.query<{ text: string }>(
      `select coalesce(string_agg(oidc_payload::text, ' '), '') as text from oidc_payload`,
    );
    expect(rows[0]?.text).toContain('RefreshToken');
    expect(rows[0]?.text).not.toContain(refreshToken);
  });

  test('is removed once it has expired', async () => {
    await database.pool.query(
      `insert into oidc_payload (model, id, payload, expires_at) values ('Session', 'old', '{}', now() - interval '1 second')`,
    );
    await removeExpired(database.pool);
    const { rows } = await database.pool.query<{ id: string }>(`select id from oidc_payload where id = 'old' or expires_at < now()`);
    expect(rows).toEqual([]);
  });
});
