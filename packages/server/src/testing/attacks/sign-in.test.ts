/** Attacks on signing in: locking others out, sending their browser a code, and flooding the passwords. The attacker has an address of his own. */
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runIdentity, type Running } from '@slipway/identity/identity.fixture.ts';
import { setPassword } from '@slipway/identity/passwords/local-users.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { authorizationOf, browse, Cookies, targetOf } from '@slipway/identity/browser.fixture.ts';

const ATTACKER = '127.0.0.2';
const VICTIM = '127.0.0.1';
const WRONG = 'WRNG-0000';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

interface Sent {
  readonly from: string;
  readonly cookies: Cookies;
  readonly form?: Readonly<Record<string, string>>;
}
interface Got {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}
/** As `browse`, from an address of the machine's own. */
const send = async (url: URL, { from, cookies, form }: Sent): Promise<Got> => {
  const body = form && new URLSearchParams(form).toString();
  const headers = {
    cookie: cookies.for(url),
    ...(body === undefined ? {} : { origin: url.origin, 'content-type': 'application/x-www-form-urlencoded' }),
  };
  const options = { localAddress: from, agent: false, headers, method: body === undefined ? 'GET' : 'POST' };
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) =>
    http.request(url, options, resolve).on('error', reject).end(body),
  );
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
};
const openSignIn = async (server: Running): Promise<{ login: URL; cookies: Cookies }> => {
  const cookies = new Cookies();
  return { login: await targetOf(await browse(authorizationOf(server.baseUrl).url, cookies)), cookies };
};

describe('the demo code', () => {
  let server: Running;
  let code: string;
  beforeAll(async () => {
    server = await runIdentity(database);
    code = server.identity.demoCode() ?? '';
  });
  afterAll(() => server.close());

  test('cannot be given by making a browser open an address: nothing is set, nothing is remembered', async () => {
    const { login, cookies } = await openSignIn(server);
    for (const path of [`/oidc/slipway/demo?code=${code}`, `${login.pathname}?code=${code}`]) {
      const { headers, text: page } = await send(new URL(path, server.baseUrl), { from: VICTIM, cookies });
      expect(headers['set-cookie'] ?? []).toEqual([]);
      expect(page).not.toContain('Sign in as');
    }
    const hinted = authorizationOf(server.baseUrl, { login_hint: code });
    const next = await targetOf(await browse(hinted.url, cookies));
    expect((await send(next, { from: VICTIM, cookies })).text).toContain('Enter the demo code');
  });

  test('is not locked out by pictures in a page of somebody else: what is only opened is no try', async () => {
    const { login, cookies } = await openSignIn(server);
    for (let tries = 0; tries < 30; tries += 1)
      for (const path of [`/oidc/slipway/demo?code=${WRONG}`, `${login.pathname}?code=${WRONG}`])
        await send(new URL(path, server.baseUrl), { from: VICTIM, cookies });
    expect((await send(login, { from: VICTIM, cookies, form: { code } })).status).toBe(303);
  });

  test('is not locked out from another address, and that one is', async () => {
    const attacker = await openSignIn(server);
    const statuses = [];
    for (let tries = 0; tries < 30; tries += 1)
      statuses.push((await send(attacker.login, { ...attacker, from: ATTACKER, form: { code: WRONG } })).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), ...Array.from({ length: 20 }, () => 429)]);
    expect((await send(attacker.login, { ...attacker, from: ATTACKER, form: { code } })).status).toBe(429);
    const { login, cookies } = await openSignIn(server);
    expect((await send(login, { from: VICTIM, cookies, form: { code } })).status).toBe(303);
  });
});

describe('passwords', () => {
  const password = 'correct horse battery staple';
  let server: Running;
  beforeAll(async () => {
    server = await runIdentity(database, { isDemo: true, hasLocalUsers: true });
    await setPassword(database.pool, 'ingrid.solheim', password);
  });
  afterAll(() => server.close());

  test('a flood of guesses under a hundred names keeps nobody at another address out', async () => {
    const attacker = await openSignIn(server);
    const { login, cookies } = await openSignIn(server);
    const flood = Array.from({ length: 100 }, (_, index) =>
      send(attacker.login, { ...attacker, from: ATTACKER, form: { username: `invented.${index}`, password: 'wrong' } }),
    );
    const first = await Promise.race(flood);
    expect(first.status).toBe(503);
    const victim = await send(login, { from: VICTIM, cookies, form: { username: 'ingrid.solheim', password } });
    expect(victim.status).toBe(303);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    // Few of them were worth a hash.
    expect(statuses.filter((status) => status === 403).length).toBeLessThan(20);
    expect(new Set(statuses)).toEqual(new Set([403, 503]));
  });

  test('a name is not locked out from another address', async () => {
    const attacker = await openSignIn(server);
    const form = { username: 'ingrid.solheim', password: '' };
    const guess = () => send(attacker.login, { ...attacker, from: ATTACKER, form: { ...form, password: 'wrong' } });
    const statuses = [];
    for (let tries = 0; tries < 11; tries += 1) statuses.push((await guess()).status);
    expect(statuses.at(-1)).toBe(429);
    const { login, cookies } = await openSignIn(server);
    expect((await send(login, { from: VICTIM, cookies, form: { ...form, password } })).status).toBe(303);
  });
});

describe('the protocol', () => {
  let server: Running;
  beforeAll(async () => {
    server = await runIdentity(database);
  });
  afterAll(() => server.close());

  test.each(['token', 'id_token', 'code token', 'code id_token token', 'none'])(
    'no tokens in the address: response_type=%s',
    async (type) => {
      const { url, redirectUri } = authorizationOf(server.baseUrl, { response_type: type, nonce: 'n' });
      const back = await targetOf(await browse(url, new Cookies()));
      const answer = new URLSearchParams(back.hash.slice(1) || back.search);
      expect([back.origin + back.pathname, answer.get('error')]).toEqual([redirectUri, 'unsupported_response_type']);
    },
  );

  test('codes come in the query alone', async () => {
    for (const response_mode of ['fragment', 'form_post', 'web_message', 'jwt'])
      expect((await browse(authorizationOf(server.baseUrl, { response_mode }).url, new Cookies())).status).toBe(400);
  });

  test('userinfo, revocation and proofs of possession are announced', async () => {
    const document = await (await fetch(`${server.baseUrl}/oidc/slipway/.well-known/openid-configuration`)).json();
    expect(document).toMatchObject({
      userinfo_endpoint: `${server.baseUrl}/oidc/slipway/me`,
      revocation_endpoint: `${server.baseUrl}/oidc/slipway/token/revocation`,
      dpop_signing_alg_values_supported: ['ES256'],
      response_types_supported: ['code'],
    });
  });

  test('over TLS no neighbouring name can set our cookies: they bind themselves to this host', async () => {
    const secure = await runIdentity(database, { publicUrl: 'https://slipway.example.com' });
    try {
      const { url } = authorizationOf('https://slipway.example.com');
      const at = new URL(url.pathname + url.search, secure.baseUrl);
      const answer = await new Promise<http.IncomingMessage>((resolve, reject) =>
        http.get(at, { headers: { host: 'slipway.example.com' } }, resolve).on('error', reject),
      );
      answer.resume();
      const set = answer.headers['set-cookie'] ?? [];
      expect(set.length).toBeGreaterThan(0);
      for (const cookie of set)
        expect(cookie).toMatch(
          /^__(Host-slipway_\w+_session(\.sig)?=.*; path=\/;|Secure-slipway_\w+_(sign_in|resume)).*; secure; httponly/i,
        );
    } finally {
      await secure.close();
    }
  });
});
