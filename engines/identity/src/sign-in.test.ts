// The complete sign-in over HTTP: code flow with PKCE, token claims, and rejected requests.
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { engineDatabase, type EngineDatabase } from '@slipway/postgres/testing/test-server.ts';
import { tables } from './tables.ts';
import { authorizationOf, authorize, browse, Cookies, requestTokens, signIn, targetOf, tokensOf } from './browser.fixture.ts';
import { runIdentity, type Running } from './identity.fixture.ts';

let database: EngineDatabase;
let server: Running;
let code: string;
const printed = [vi.spyOn(console, 'info'), vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];

beforeAll(async () => {
  database = await engineDatabase(tables);
  server = await runIdentity(database);
  code = server.identity.demoCode() ?? '';
});
afterAll(async () => {
  await server.close();
  await database.drop();
});
afterEach(() => {
  for (const spy of printed) expect(spy.mock.calls).toEqual([]);
  expect(server.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

const verify = (token: string, change: { audience?: string; issuer?: string; currentDate?: Date } = {}) =>
  jwtVerify(token, server.identity.keySet, { issuer: server.identity.issuer, audience: server.identity.audience, ...change });

describe('tokens', () => {
  test('an access token is a JWT that the API can verify: issuer, audience, an hour', async () => {
    const { accessToken } = await signIn(server.baseUrl, 'ingrid.solheim', { code });
    const { payload, protectedHeader } = await verify(accessToken);
    expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    expect(payload).toMatchObject({ sub: 'ingrid.solheim', aud: 'urn:slipway:api', client_id: 'slipway-console' });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
  });

  test('the ID token names the person', async () => {
    const { idToken } = await signIn(server.baseUrl, 'sofia.marin', { code });
    expect(decodeProtectedHeader(idToken).alg).toBe('ES256');
    expect(decodeJwt(idToken)).toMatchObject({
      sub: 'sofia.marin',
      name: 'Sofía Marín',
      email: 'sofia.marin@norrland-line.example',
      aud: 'slipway-console',
    });
  });

  test('another audience, another issuer, an expired or a forged token do not verify', async () => {
    const { accessToken, idToken } = await signIn(server.baseUrl, 'ingrid.solheim', { code });
    await expect(verify(accessToken, { audience: 'service:apps/development/api' })).rejects.toMatchObject({ claim: 'aud' });
    await expect(verify(accessToken, { issuer: 'http://elsewhere.example/oidc/slipway' })).rejects.toMatchObject({ claim: 'iss' });
    await expect(verify(accessToken, { currentDate: new Date(Date.now() + 3_700_000) })).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
    await expect(verify(idToken)).rejects.toMatchObject({ claim: 'aud' });
    const [head, , signature] = accessToken.split('.');
    const body = Buffer.from(JSON.stringify({ ...decodeJwt(accessToken), sub: 'kwame.boateng' })).toString('base64url');
    await expect(verify(`${head}.${body}.${signature}`)).rejects.toMatchObject({ code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' });
  });

  test('a client that names the API as resource gets the same, and any other resource is refused', async () => {
    const named = authorizationOf(server.baseUrl, { resource: 'urn:slipway:api' });
    expect((await authorize(named, 'ingrid.solheim', { code })).searchParams.get('code')).not.toBeNull();
    const other = await browse(authorizationOf(server.baseUrl, { resource: 'urn:other:api' }).url, new Cookies());
    expect((await targetOf(other)).searchParams.get('error')).toBe('invalid_target');
  });
});

describe('refresh', () => {
  test('a refresh token gives new tokens, and a new refresh token in its place', async () => {
    const first = await signIn(server.baseUrl, 'rahul.deshmukh', { code });
    const response = await requestTokens(server.baseUrl, { grant_type: 'refresh_token', refresh_token: first.refreshToken });
    const second = await tokensOf(response);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect((await verify(second.accessToken)).payload.sub).toBe('rahul.deshmukh');
  });

  test('a used refresh token ends the whole chain: somebody else may have it', async () => {
    const { refreshToken } = await signIn(server.baseUrl, 'rahul.deshmukh', { code });
    const refresh = (token: string) => requestTokens(server.baseUrl, { grant_type: 'refresh_token', refresh_token: token });
    const next = await tokensOf(await refresh(refreshToken));
    expect((await refresh(refreshToken)).status).toBe(400);
    expect((await refresh(next.refreshToken)).status).toBe(400);
  });

  test('presented five times at the same moment, a refresh token gives tokens once at most', async () => {
    const { refreshToken } = await signIn(server.baseUrl, 'rahul.deshmukh', { code });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => requestTokens(server.baseUrl, { grant_type: 'refresh_token', refresh_token: refreshToken })),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ status }) => status === 400).length).toBeGreaterThanOrEqual(4);
  });

  test('somebody who was removed gets no more tokens', async () => {
    const { refreshToken } = await signIn(server.baseUrl, 'jonas.lindqvist', { code });
    await database.pool.query(`update identity set type = 'SERVICE_ACCOUNT' where id = 'jonas.lindqvist'`);
    const response = await requestTokens(server.baseUrl, { grant_type: 'refresh_token', refresh_token: refreshToken });
    await database.pool.query(`update identity set type = 'USER' where id = 'jonas.lindqvist'`);
    expect(await response.json()).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('the request', () => {
  const errorOf = async (change: Record<string, string>): Promise<string | null> => {
    const { url } = authorizationOf(server.baseUrl, change);
    return (await targetOf(await browse(url, new Cookies()))).searchParams.get('error');
  };

  test('PKCE is demanded, and only S256', async () => {
    expect(await errorOf({ code_challenge: '', code_challenge_method: '' })).toBe('invalid_request');
    expect(await errorOf({ code_challenge_method: 'plain' })).toBe('invalid_request');
  });

  test('a wrong verifier gets no tokens, and a code serves once', async () => {
    const authorization = authorizationOf(server.baseUrl);
    const back = await authorize(authorization, 'ingrid.solheim', { code });
    const form = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: authorization.redirectUri,
      code_verifier: authorization.verifier,
    };
    const wrong = await requestTokens(server.baseUrl, { ...form, code_verifier: authorizationOf(server.baseUrl).verifier });
    expect(await wrong.json()).toMatchObject({ error: 'invalid_grant' });
    expect((await requestTokens(server.baseUrl, form)).status).toBe(200);
    expect(await (await requestTokens(server.baseUrl, form)).json()).toMatchObject({ error: 'invalid_grant' });
  });

  test.each(['http://evil.example/', 'http://localhost:1/', '{base}/elsewhere', '{base}//evil.example', 'javascript:alert(1)'])(
    'no redirect to %s',
    async (template) => {
      const redirect_uri = template.replace('{base}', server.baseUrl);
      const response = await browse(authorizationOf(server.baseUrl, { redirect_uri }).url, new Cookies());
      expect(response.status).toBe(400);
      expect(response.headers.get('location')).toBeNull();
      expect(await response.text()).toContain('Sign-in did not work');
    },
  );

  test.each([{ response_type: 'token' }, { response_type: 'id_token' }, { response_mode: 'form_post' }] as Record<string, string>[])(
    'no other flow: %o',
    async (change) => {
      const response = await browse(authorizationOf(server.baseUrl, change).url, new Cookies());
      expect(response.headers.get('location') ?? '').not.toContain('/login/');
      expect(await response.text()).not.toContain('<script');
    },
  );

  test('any loopback name serves: the tokens name one issuer', async () => {
    const byName = server.baseUrl.replace('127.0.0.1', 'localhost');
    const [one, other] = [await signIn(server.baseUrl, 'ingrid.solheim', { code }), await signIn(byName, 'ingrid.solheim', { code })];
    expect(decodeJwt(one.accessToken).iss).toBe(`${byName}/oidc/slipway`);
    expect(decodeJwt(other.accessToken).iss).toBe(`${byName}/oidc/slipway`);
  });

  test('the discovery document has the issuer, and addresses under the name that was asked', async () => {
    const document = await (await fetch(`${server.baseUrl}/oidc/slipway/.well-known/openid-configuration`)).json();
    expect(document).toMatchObject({
      issuer: server.identity.issuer,
      authorization_endpoint: `${server.baseUrl}/oidc/slipway/auth`,
      token_endpoint: `${server.baseUrl}/oidc/slipway/token`,
      jwks_uri: `${server.baseUrl}/oidc/slipway/jwks`,
      end_session_endpoint: `${server.baseUrl}/oidc/slipway/session/end`,
      code_challenge_methods_supported: ['S256'],
    });
    const keys = (await (await fetch(`${server.baseUrl}/oidc/slipway/jwks`)).json()) as { keys: object[] };
    expect(keys.keys).toHaveLength(1);
    expect(keys.keys[0]).not.toHaveProperty('d');
  });
});
