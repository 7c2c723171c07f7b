/** Queries the provider over HTTP. Every invalid response stops the start with the variable's name. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outsideSignIn } from './outside-sign-in.ts';

let server: Server;
let authority: string;
let answer: { status: number; body: string };

beforeAll(async () => {
  server = createServer((_request, response) => response.writeHead(answer.status).end(answer.body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  authority = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tenant`;
});
afterAll(() => void server.close());

const ask = (found: object | string, status = 200, at = authority) => {
  answer = { status, body: typeof found === 'string' ? found : JSON.stringify(found) };
  return outsideSignIn({ authority: at, clientId: 'console', audience: 'api' });
};

test.each(['', '/'])('a provider that names itself is taken, ending in "%s"', async (end) => {
  const { signIn, publicKeys } = await ask({ issuer: authority, jwks_uri: `${authority}/keys` }, 200, `${authority}${end}`);
  expect([signIn.issuer, publicKeys]).toEqual([authority, `${authority}/keys`]);
});

test.each([
  [
    'another issuer',
    () => ask({ issuer: 'https://evil.example.com', jwks_uri: 'https://evil.example.com/keys' }),
    'names https://evil.example.com',
  ],
  ['another path of the same host', () => ask({ issuer: `${authority}-2`, jwks_uri: `${authority}/keys` }), 'as its issuer'],
  ['no keys', () => ask({ issuer: authority }), 'is no OpenID configuration'],
  ['a page', () => ask('<h1>Sign in</h1>'), 'is no OpenID configuration'],
  ['an error', () => ask('', 503), 'answers 503'],
  ['nothing', () => ask('', 200, 'http://127.0.0.1:1'), 'does not answer'],
])('%s stops the start', async (_name, asked, text) => {
  await expect(asked()).rejects.toThrow(new RegExp(`^SLIPWAY_OIDC_AUTHORITY: .*${text}`));
});
