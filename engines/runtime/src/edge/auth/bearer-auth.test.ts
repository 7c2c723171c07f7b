/** Tokens at the edge: acceptance, rejection, and what a service learns. The authority is a real one over HTTP. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalJWKSet, createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT, type JSONWebKeySet, type JWK } from 'jose';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { BearerAuth } from './bearer-auth.ts';
import type { Verdict } from './edge-auth.ts';
import { CLAIMS_KEYS_PATH, EdgeTokens, newClaimsKey } from './edge-tokens.ts';

const ISSUER = 'https://sign-in.test';
const PLATFORM = 'urn:slipway:api';
const AUDIENCE = 'service:berth/development/berth';

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let server: Server;
let published: JWK[] = [];
let asked = 0;
let first: Pair;
beforeAll(async () => {
  first = await generateKeyPair('ES256');
  published = [await publicKey(first, 'first')];
  server = createServer((_request, response) => {
    asked++;
    if (published.length === 0) response.statusCode = 500;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: published }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

const publicKey = async ({ publicKey: key }: Pair, kid: string): Promise<JWK> => ({ ...(await exportJWK(key)), kid, alg: 'ES256' });
const tokensOf = (url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`) =>
  EdgeTokens.open({
    authority: {
      issuer: ISSUER,
      platformAudience: PLATFORM,
      keys: createRemoteJWKSet(new URL(url), { cooldownDuration: 0, timeoutDuration: 2000 }),
    },
    claimsKey: newClaimsKey(),
    issuer: 'https://slipway.test',
  });
const authOf = async (tokens?: EdgeTokens) => new BearerAuth({ type: 'AZURE_AUTH', audience: AUDIENCE }, tokens ?? (await tokensOf()));
const tokenOf = (
  change: { aud?: string | string[]; iss?: string; exp?: string | number; sub?: string; more?: object; pair?: Pair; kid?: string } = {},
) => {
  const { aud = AUDIENCE, iss = ISSUER, exp = '1h', sub = 'mats', more = {}, pair = first, kid = 'first' } = change;
  const token = new SignJWT({ name: 'Mats Member', ...more }).setProtectedHeader({ alg: 'ES256', kid }).setIssuer(iss).setAudience(aud);
  if (sub) token.setSubject(sub);
  return token.setIssuedAt().setExpirationTime(exp).sign(pair.privateKey);
};
const requestOf = (token: string | undefined) =>
  ({ headers: { authorization: token === undefined ? undefined : `Bearer ${token}` }, socket: {} }) as unknown as IncomingMessage;
const claimsOf = (verdict: Verdict) => ('claims' in verdict ? (verdict.claims ?? '') : '');
const keySet = (tokens: EdgeTokens, method = 'GET') => {
  const answer = { status: 0, headers: {} as Record<string, string>, body: '' };
  const response = {
    writeHead: (status: number, headers: Record<string, string>) => Object.assign(answer, { status, headers }),
    end: (body?: string) => (answer.body = body ?? ''),
  };
  tokens.mount.handle({ method, resume() {} } as IncomingMessage, response as unknown as ServerResponse);
  return answer;
};

test('a good token is verified once, and the service gets claims that it can verify', async () => {
  const tokens = await tokensOf();
  const verify = vi.spyOn(tokens, 'verify');
  const auth = await authOf(tokens);
  const token = await tokenOf({ more: { roles: ['planner'], jti: 'once', iat: 1 } });
  const verdict = await auth.check(requestOf(token));
  expect(verdict).toMatchObject({ user: 'mats' });
  // Verified once, and answered synchronously the second time.
  expect(auth.check(requestOf(token))).toBe(verdict);
  expect(verify).toHaveBeenCalledTimes(1);
  expect(tokens.mount.prefixes).toEqual([`${CLAIMS_KEYS_PATH}/`]);
  const keys = createLocalJWKSet(JSON.parse(keySet(tokens).body) as JSONWebKeySet);
  const { payload } = await jwtVerify(claimsOf(verdict), keys, {
    issuer: 'https://slipway.test',
    audience: AUDIENCE,
    algorithms: ['ES256'],
  });
  expect(payload).toMatchObject({ sub: 'mats', user: 'mats', name: 'Mats Member', roles: ['planner'], token_issuer: ISSUER });
  expect(payload).not.toHaveProperty('jti');
  expect(payload.exp! - payload.iat!).toBe(300);
  expect(keySet(tokens).body).not.toContain('"d"');
  expect(keySet(tokens, 'POST')).toMatchObject({ status: 405, body: '' });
  // Claims are signed again before they expire, and the token is verified again later.
  const later = auth.check(requestOf(token), Date.now() + 151_000);
  expect(claimsOf(await later)).not.toBe(claimsOf(verdict));
  expect(verify).toHaveBeenCalledTimes(1);
  await auth.check(requestOf(token), Date.now() + 601_000);
  expect(verify).toHaveBeenCalledTimes(2);
});

test('requests that come at once have their token verified once', async () => {
  const tokens = await tokensOf();
  const verify = vi.spyOn(tokens, 'verify');
  const [auth, token] = [await authOf(tokens), await tokenOf()];
  const verdicts = await Promise.all(Array.from({ length: 20 }, () => auth.check(requestOf(token))));
  expect(new Set(verdicts).size).toBe(1);
  expect(verify).toHaveBeenCalledTimes(1);
});

test('an identity of Entra ID is known by tenant and object', async () => {
  const token = await tokenOf({ more: { oid: 'object', tid: 'tenant' } });
  expect(await (await authOf()).check(requestOf(token))).toMatchObject({ user: 'tenant/object' });
});

const broken: [string, () => Promise<string>, string][] = [
  ['for the platform', () => tokenOf({ aud: PLATFORM }), 'The token is for something else.'],
  ['for the platform besides', () => tokenOf({ aud: [AUDIENCE, PLATFORM] }), 'The token is for the platform, too.'],
  ['for another service', () => tokenOf({ aud: `${AUDIENCE}-2` }), 'The token is for something else.'],
  ['of another issuer', () => tokenOf({ iss: 'https://evil.test' }), 'The token is of another authority.'],
  ['that has expired', () => tokenOf({ exp: Math.floor(Date.now() / 1000) - 10 }), 'The token has expired.'],
  ['of nobody', () => tokenOf({ sub: '' }), 'The token names nobody.'],
  ['signed by somebody else', async () => tokenOf({ pair: await generateKeyPair('ES256') }), 'The token is not good.'],
  ['signed with an unknown key', async () => tokenOf({ pair: await generateKeyPair('ES256'), kid: 'unknown' }), 'The token is not good.'],
  ['that is none', async () => 'a.b.c', 'The token is not good.'],
  ['in two parts', async () => 'a.b', 'The header holds no token.'],
];
test.each(broken)('a token %s is refused', async (_what, make, reason) => {
  const verdict = await (await authOf()).check(requestOf(await make()));
  expect(verdict).toEqual({
    status: 401,
    detail: `${reason} A token with the audience ${AUDIENCE} is needed.`,
    headers: { 'www-authenticate': `Bearer error="invalid_token", error_description="${reason}"` },
  });
});

test('a token without an end, or signed by nobody, is refused', async () => {
  const auth = await authOf();
  const endless = await new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: 'first' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject('x')
    .sign(first.privateKey);
  expect(await auth.check(requestOf(endless))).toMatchObject({ status: 401 });
  const [header, body] = [{ alg: 'none' }, { iss: ISSUER, aud: AUDIENCE, sub: 'x', exp: 9e9 }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  expect(await auth.check(requestOf(`${header}.${body}.`))).toMatchObject({ status: 401 });
  expect(await auth.check(requestOf(`${header}.${body}.x`))).toMatchObject({ status: 401 });
});

test('without a token the answer says which is needed, and that nothing was wrong yet', async () => {
  expect((await authOf()).check(requestOf(undefined))).toEqual({
    status: 401,
    detail: `A token with the audience ${AUDIENCE} is needed.`,
    headers: { 'www-authenticate': 'Bearer realm="service"' },
  });
});

test('keys are read when the first token comes, and again for one that is not known', async () => {
  asked = 0;
  const auth = await authOf();
  expect(asked).toBe(0);
  await auth.check(requestOf(await tokenOf()));
  await auth.check(requestOf(await tokenOf({ sub: 'olga' })));
  expect(asked).toBe(1);
  const second = await generateKeyPair('ES256');
  published = [...published, await publicKey(second, 'second')];
  expect(await auth.check(requestOf(await tokenOf({ pair: second, kid: 'second' })))).toMatchObject({ user: 'mats' });
  expect(asked).toBe(2);
});

test('an authority that is down is reported as that, and a token that was good stays good', async () => {
  const down = await authOf(await tokensOf('http://127.0.0.1:9/keys'));
  const outage = { status: 503, detail: expect.stringContaining('sign-in authority does not answer') as string };
  expect(await down.check(requestOf(await tokenOf()))).toMatchObject(outage);
  const auth = await authOf();
  const token = await tokenOf();
  await auth.check(requestOf(token));
  const keys = published;
  published = [];
  const unknown = await tokenOf({ pair: await generateKeyPair('ES256'), kid: 'third' });
  expect(await auth.check(requestOf(unknown))).toMatchObject(outage);
  expect(await auth.check(requestOf(token))).toMatchObject({ user: 'mats' });
  published = keys;
});
