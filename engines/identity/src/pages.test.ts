// Origin checks of forms, headers, assets, and unknown addresses.
import fs from 'node:fs';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineDatabase, type EngineDatabase } from '@slipway/postgres/testing/test-server.ts';
import { tables } from './tables.ts';
import { authorizationOf, browse, Cookies, targetOf } from './browser.fixture.ts';
import { runIdentity, type Running } from './identity.fixture.ts';

let database: EngineDatabase;
let server: Running;
let code: string;

beforeAll(async () => {
  database = await engineDatabase(tables);
  server = await runIdentity(database);
  code = server.identity.demoCode() ?? '';
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

describe('forms', () => {
  const send = async (origin: string | undefined, form: Record<string, string>): Promise<Response> => {
    const cookies = new Cookies();
    const login = await targetOf(await browse(authorizationOf(server.baseUrl).url, cookies));
    const headers = { cookie: cookies.for(login), ...(origin === undefined ? {} : { origin }) };
    return fetch(login, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(form) });
  };

  test.each(['http://evil.example', 'null', 'http://localhost:1', 'https://{host}', 'http://{host}.evil.example', undefined])(
    'from %s are refused',
    async (template) => {
      const origin = template?.replace('{host}', new URL(server.baseUrl).host);
      const response = await send(origin, { code });
      expect(response.status).toBe(403);
      expect(response.headers.getSetCookie()).toEqual([]);
      expect(await response.text()).toContain('This form came from elsewhere');
    },
  );

  test('from any loopback name of this server are taken', async () => {
    const { port } = new URL(server.baseUrl);
    for (const name of ['localhost', '127.0.0.1', '[::1]']) expect((await send(`http://${name}:${port}`, { code })).status).toBe(303);
  });

  test('that are none, or too long, are refused', async () => {
    const cookies = new Cookies();
    const url = await targetOf(await browse(authorizationOf(server.baseUrl).url, cookies));
    const post = (type: string, body: string) =>
      fetch(url, { method: 'POST', headers: { origin: server.baseUrl, cookie: cookies.for(url), 'content-type': type }, body });
    expect((await post('application/json', JSON.stringify({ code }))).status).toBe(400);
    expect((await post('application/x-www-form-urlencoded', `code=${'x'.repeat(100_000)}`)).status).toBe(400);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(405);
  });

  test('of a sign-in that is over, or of another browser, say how to start again', async () => {
    const login = await targetOf(await browse(authorizationOf(server.baseUrl).url, new Cookies()));
    const response = await browse(login, new Cookies());
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('This sign-in has expired');
  });
});

describe('headers', () => {
  test('every answer forbids scripts, frames, foreign content and sniffing', async () => {
    const login = await targetOf(await browse(authorizationOf(server.baseUrl).url, new Cookies()));
    for (const url of [login, new URL('/oidc/slipway/session/end', server.baseUrl), new URL('/oidc/nothing', server.baseUrl)]) {
      const { headers } = await browse(url, new Cookies());
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy.split('; ').slice(0, 4)).toEqual(["default-src 'none'", "style-src 'self'", "font-src 'self'", "img-src 'self' data:"]);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('script-src');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      // With `no-referrer`, browsers would send our forms with `Origin: null`.
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('a proxy header cannot change the addresses that are given out', async () => {
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '1.2.3.4' };
    const response = await fetch(`${server.baseUrl}/oidc/slipway/.well-known/openid-configuration`, { headers });
    expect(await response.text()).not.toContain('evil.example');
  });

  test('behind TLS the addresses are those of the public URL, and the cookies are for TLS only', async () => {
    const secure = await runIdentity(database, { publicUrl: 'https://slipway.example.com' });
    try {
      const { url } = authorizationOf('https://slipway.example.com');
      const at = new URL(url.pathname + url.search, secure.baseUrl);
      const response = await new Promise<http.IncomingMessage>((resolve, reject) =>
        http.get(at, { headers: { host: 'slipway.example.com' } }, resolve).on('error', reject),
      );
      await text(response);
      expect(response.statusCode).toBe(303);
      for (const cookie of response.headers['set-cookie'] ?? []) expect(cookie).toMatch(/; secure; httponly/i);
      expect(secure.identity.issuer).toBe('https://slipway.example.com/oidc/slipway');
      const discovery = await (await fetch(`${secure.baseUrl}/oidc/slipway/.well-known/openid-configuration`)).json();
      expect(discovery).toMatchObject({ token_endpoint: 'https://slipway.example.com/oidc/slipway/token' });
    } finally {
      await secure.close();
    }
  });

  test('other origins may read the discovery document, and ask for tokens only if they are ours', async () => {
    const ask = (origin: string) =>
      fetch(`${server.baseUrl}/oidc/slipway/token`, {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams({ client_id: 'slipway-console', grant_type: 'refresh_token', refresh_token: 'x' }),
      });
    expect((await ask('http://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
    const own = server.baseUrl.replace('127.0.0.1', 'localhost');
    expect((await ask(own)).headers.get('access-control-allow-origin')).toBe(own);
  });
});

describe('addresses', () => {
  test.each(['/oidc/', '/oidc/other/auth', '/oidc/assets/../embedded-identity.ts', '/oidc/assets/OFL.txt', '/oidc/slipwayx/auth'])(
    '%s is a page that says so',
    async (path) => {
      const { hostname, port } = new URL(server.baseUrl);
      // Not fetch, which would normalize the URL first.
      const response = await new Promise<http.IncomingMessage>((resolve, reject) =>
        http.get({ hostname, port, path }, resolve).on('error', reject),
      );
      expect(response.statusCode).toBe(404);
      expect(await text(response)).toContain('There is no such page');
    },
  );

  test('sheet and fonts have their types, and are not sent twice', async () => {
    for (const [name, type] of [
      ['sign-in.css', 'text/css; charset=utf-8'],
      ['atkinson-next.woff2', 'font/woff2'],
    ] as const) {
      const url = `${server.baseUrl}/oidc/assets/${name}`;
      const first = await fetch(url);
      expect(first.headers.get('content-type')).toBe(type);
      expect((await first.arrayBuffer()).byteLength).toBeGreaterThan(1000);
      expect((await fetch(url, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })).status).toBe(304);
    }
  });
});

test('the sheet has the same tokens as the console', () => {
  const read = (path: string) => fs.readFileSync(new URL(path, import.meta.url), 'utf8');
  const tokensOf = (css: string) =>
    new Map([...css.matchAll(/(--[\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value?.replaceAll('"', "'")]));
  const console = tokensOf(read('../../../packages/ui/src/styles/tokens.css'));
  const own = tokensOf(read('./assets/sign-in.css'));
  expect(own.size).toBeGreaterThan(20);
  for (const [name, value] of own) expect(`${name}: ${value}`).toBe(`${name}: ${console.get(name)}`);
});
