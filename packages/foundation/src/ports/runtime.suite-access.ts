/** Suite part: authentication at the edge. Tests every method with correct, wrong and missing credentials. */
import { expect, test } from 'vitest';
import {
  SUITE_PLATFORM_AUDIENCE,
  upgraded,
  type Answer,
  type SuiteClaims,
  type SuiteRuntime,
  type SuiteService,
} from './runtime.suite-runtime.ts';
import type { EdgeAuthentication } from './runtime.ts';

/** The password is "geheim". */
const passwordHash = 'scrypt$16384$8$1$c2xpcHdheS1zdWl0ZQ$Mn9BidEFczVyQJdO1CeMgleUErOd2z5ZZ6Q_HFMlGsY';
const anna = { type: 'BASIC_AUTH', username: 'anna', passwordHash } as const;
/** Headers that a client may send, but that must not override the edge's headers. */
const lies = { 'x-forwarded-user': 'root', 'x-slipway-claims': 'lies', 'x-slipway-other': 'lies' };

const basic = (credentials: string) => ({ authorization: `Basic ${Buffer.from(credentials).toString('base64')}` });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const call = (service: SuiteService, headers: Record<string, string> = {}) => service.call('/echo', { headers });
const seen = (answer: Answer) => (JSON.parse(answer.body) as { headers: Record<string, string> }).headers;

/** Returns status and challenge of a response that must be a problem document. */
const refusal = ({ body, headers, status }: Answer) => {
  expect(headers['content-type']).toBe('application/problem+json');
  expect(JSON.parse(body)).toMatchObject({ status });
  return { status, challenge: headers['www-authenticate'] ?? '' };
};

export function accessTests(suite: () => SuiteRuntime): void {
  const serve = async (authentication: EdgeAuthentication): Promise<SuiteService> => {
    const service = suite().service();
    await service.serve({}, { authentication });
    return service;
  };
  const audience = 'service:shop/development/shop';
  const token = (claims: Partial<SuiteClaims> = {}) => suite().tokens.token({ audience, ...claims });

  test("where nobody is asked, nobody is named, and what a client shows is the service's own", async () => {
    const service = await serve({ type: 'NO_AUTH' });
    const headers = seen(await call(service, { ...lies, authorization: 'Bearer own' }));
    expect(headers).toMatchObject({ authorization: 'Bearer own' });
    for (const name of Object.keys(lies)) expect(headers).not.toHaveProperty(name);
  });

  test('user name and password are asked for, checked, and kept from the service', async () => {
    const service = await serve(anna);
    expect(refusal(await call(service))).toEqual({ status: 401, challenge: expect.stringMatching(/^Basic realm=/) as string });
    for (const wrong of ['anna:falsch', 'berta:geheim', 'anna:'])
      expect(refusal(await call(service, basic(wrong)))).toMatchObject({ status: 401 });
    expect(refusal(await call(service, bearer(await token())))).toMatchObject({ status: 401 });
    for (let round = 0; round < 2; round++) {
      const headers = seen(await call(service, { ...lies, ...basic('anna:geheim') }));
      expect(headers['x-forwarded-user']).toBe('anna');
      for (const name of ['authorization', 'x-slipway-claims', 'x-slipway-other']) expect(headers).not.toHaveProperty(name);
    }
  });

  test('whoever guesses passwords is made to wait', async () => {
    const service = await serve(anna);
    const answers = await Promise.all(Array.from({ length: 14 }, (_, index) => call(service, basic(`anna:${index}`))));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(4);
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
  });

  test('a token of the authority is verified, and replaced by claims that the edge signs', async () => {
    const service = await serve({ type: 'AZURE_AUTH', audience });
    for (let round = 0; round < 2; round++) {
      const { 'x-slipway-claims': claims = '', ...headers } = seen(await call(service, { ...lies, ...bearer(await token()) }));
      const said = await suite().tokens.claims(claims, audience);
      expect(said['aud']).toBe(audience);
      expect(headers['x-forwarded-user']).toBe(said['sub']);
      for (const name of ['authorization', 'x-slipway-other']) expect(headers).not.toHaveProperty(name);
    }
  });

  test('no token, a bad one, and one that is for something else', async () => {
    const service = await serve({ type: 'AZURE_AUTH', audience });
    expect(refusal(await call(service))).toEqual({ status: 401, challenge: 'Bearer realm="service"' });
    const bad: Partial<SuiteClaims>[] = [
      { audience: 'service:shop/production/shop' },
      { audience: SUITE_PLATFORM_AUDIENCE },
      { audience: [audience, SUITE_PLATFORM_AUDIENCE] },
      { issuer: 'https://elsewhere.example' },
      { lifetimeSeconds: -60 },
      { isForged: true },
    ];
    const shown = [...(await Promise.all(bad.map((claims) => token(claims)))), 'none', 'a.b.c'];
    for (const wrong of shown) {
      const { challenge, status } = refusal(await call(service, bearer(wrong)));
      expect([status, challenge.split(',')[0]]).toEqual([401, 'Bearer error="invalid_token"']);
    }
    expect(refusal(await call(service, basic('anna:geheim')))).toMatchObject({ status: 401 });
    // Claims issued for one service open no other service, nor the same one.
    const claims = seen(await call(service, bearer(await token())))['x-slipway-claims'] ?? '';
    expect(refusal(await call(service, bearer(claims)))).toMatchObject({ status: 401 });
  });

  test('an upgrade asks as every request does', async () => {
    const open = await serve({ type: 'NO_AUTH' });
    expect(await upgraded(open, '/ws')).toContain('hello');
    const byPassword = await serve(anna);
    expect(await upgraded(byPassword, '/ws')).toContain('HTTP/1.1 401');
    expect(await upgraded(byPassword, '/ws', basic('anna:falsch'))).toContain('HTTP/1.1 401');
    expect(await upgraded(byPassword, '/ws', basic('anna:geheim'))).toContain('hello');
    const byToken = await serve({ type: 'AZURE_AUTH', audience });
    expect(await upgraded(byToken, '/ws')).toContain('www-authenticate: Bearer');
    expect(await upgraded(byToken, '/ws', bearer(await token({ isForged: true })))).toContain('HTTP/1.1 401');
    expect(await upgraded(byToken, '/ws', bearer(await token()))).toContain('hello');
  });

  test('a closed service answers nobody, and says why', async () => {
    const service = await serve({ type: 'CLOSED', detail: 'There is no password yet.' });
    for (const headers of [{}, basic('anna:geheim'), bearer(await token())]) {
      const answer = await call(service, headers);
      expect(refusal(answer)).toMatchObject({ status: 503 });
      expect(answer.body).toContain('There is no password yet.');
    }
    expect(await upgraded(service, '/ws')).toContain('HTTP/1.1 503');
    await service.route([1], { authentication: anna });
    expect(await call(service, basic('anna:geheim'))).toMatchObject({ status: 200 });
  });

  test('another password, or another sign-in, holds from the next request on', async () => {
    const service = await serve(anna);
    expect(await call(service, basic('anna:geheim'))).toMatchObject({ status: 200 });
    const other = passwordHash.replace('Mn9B', 'Mn9C');
    await service.route([1], { authentication: { ...anna, passwordHash: other } });
    expect(await call(service, basic('anna:geheim'))).toMatchObject({ status: 401 });
    await service.route([1], { authentication: { type: 'AZURE_AUTH', audience } });
    expect(await call(service, basic('anna:geheim'))).toMatchObject({ status: 401 });
    await service.route([1]);
    expect(await call(service)).toMatchObject({ status: 200 });
  });
}
