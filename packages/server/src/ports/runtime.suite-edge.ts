/** Suite part: what the edge does for a service. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { until, type SuiteRuntime, type SuiteService } from './runtime.suite-runtime.ts';

export function edgeTests(suite: () => SuiteRuntime): void {
  test('requests and answers pass whole; what the edge says itself cannot be faked', async () => {
    const service = suite().service();
    await service.serve();
    const body = Buffer.alloc(300_000, 'x');
    const answer = await service.call('/echo?a=1%20b', {
      method: 'POST',
      body,
      headers: { 'x-forwarded-for': '6.6.6.6', 'x-thing': 'kept', connection: 'x-hop', 'x-hop': '1' },
    });
    const seen = JSON.parse(answer.body) as { method: string; url: string; size: number; headers: Record<string, string> };
    expect(seen).toMatchObject({ method: 'POST', url: '/echo?a=1%20b', size: 300_000 });
    expect(seen.headers).toMatchObject({ 'x-thing': 'kept', 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
    expect(seen.headers).not.toHaveProperty('x-hop');
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });

  test('a body of unknown length passes, and is stopped at the limit', async () => {
    const service = suite().service();
    await service.serve({}, { requestSizeLimitMb: 0.5 });
    const chunked = { method: 'POST', headers: { 'transfer-encoding': 'chunked' } };
    expect((await service.call('/echo', { ...chunked, body: Buffer.alloc(1000) })).body).toContain('"size":1000');
    expect(await problem(service.call('/echo', { ...chunked, body: Buffer.alloc(600_000) }))).toBe(413);
    expect(await problem(service.call('/echo', { method: 'POST', body: Buffer.alloc(600_000) }))).toBe(413);
  });

  test('paths: base path, stripping, excluded prefixes', async () => {
    const service = suite().service();
    await service.serve({}, { basePath: '/shop', stripBasePath: true, excludePathPrefixes: ['/env'] });
    expect((await service.call('/shop/version')).body).toBe('1');
    expect(await problem(service.call('/version'))).toBe(404);
    expect(await problem(service.call('/shopping/version'))).toBe(404);
    expect(await problem(service.call('/shop/%65nv?name=VERSION'))).toBe(404);
    await service.route([1], { basePath: '/shop', stripBasePath: false });
    expect((await service.call('/shop/version')).body).toBe('no such path /shop/version');
  });

  test('too many requests are refused, and told when to come again', async () => {
    const service = suite().service();
    await service.serve({}, { spikeArrestPerMinute: 60 });
    const statuses = (await Promise.all(Array.from({ length: 12 }, () => service.call('/version')))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(3);
    const refused = await until('a refusal', async () => [await service.call('/version')].find(({ status }) => status === 429));
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('user name and password are asked for, checked, and kept from the service', async () => {
    const service = suite().service();
    // The password is "geheim".
    const passwordHash = 'scrypt$16384$8$1$c2xpcHdheS1zdWl0ZQ$Mn9BidEFczVyQJdO1CeMgleUErOd2z5ZZ6Q_HFMlGsY';
    await service.serve({}, { authentication: { type: 'BASIC_AUTH', username: 'anna', passwordHash } });
    const as = (credentials: string) => ({ headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } });
    const asked = await service.call('/echo');
    expect(asked.status).toBe(401);
    expect(asked.headers['www-authenticate']).toContain('Basic');
    expect(await problem(service.call('/echo', as('anna:falsch')))).toBe(401);
    expect(await problem(service.call('/echo', as('berta:geheim')))).toBe(401);
    for (let round = 0; round < 2; round++) {
      const seen = JSON.parse((await service.call('/echo', as('anna:geheim'))).body) as { headers: Record<string, string> };
      expect(seen.headers['x-forwarded-user']).toBe('anna');
      expect(seen.headers).not.toHaveProperty('authorization');
    }
    expect(await upgraded(service, '/ws', 'hello')).toContain('HTTP/1.1 401');
  });

  test('a service that does not answer in time, and one without instances', async () => {
    const service = suite().service();
    await service.serve({}, { readTimeoutMs: 300 });
    expect(await problem(service.call('/never'))).toBe(504);
    await service.delete(1);
    expect(await problem(service.call('/version'))).toBe(503);
  });

  test('other protocols pass after an upgrade', async () => {
    const service = suite().service();
    await service.serve();
    const text = await upgraded(service, '/ws', 'hello');
    expect(text).toContain('HTTP/1.1 101');
    expect(text).toContain('hello');
    expect(await upgraded(service, '/refuse', 'hello')).toContain('HTTP/1.1 400');
  });

  test('a service that is off the edge answers 404, an unknown host name 421', async () => {
    const service = suite().service();
    await service.serve();
    await suite().runtime.setRoute(service.ref, undefined);
    expect(await problem(service.call('/version'))).toBe(404);
    expect(await problem(service.call('/version', { host: 'evil.example.com' }))).toBe(421);
  });

  test('requests are counted', async () => {
    const service = suite().service();
    await service.serve();
    await service.call('/version');
    await service.call('/slow?ms=60');
    await service.call('/exit?code=0').catch(() => undefined);
    const stats = await until('the figures', async () => {
      const found = (await suite().runtime.edgeStats()).find((entry) => entry.service === service.ref.service);
      return found && found.requests >= 3 ? found : undefined;
    });
    expect(stats).toMatchObject({ ...service.ref, requests: 3, errors5xx: 1 });
    expect(stats.p95Ms).toBeGreaterThan(50);
    expect(Date.now() - stats.lastRequestAt!.getTime()).toBeLessThan(10_000);
  });
}

/** The status of an answer that must be a problem document of that status. */
async function problem(answering: ReturnType<SuiteService['call']>): Promise<number> {
  const { body, headers, status } = await answering;
  expect(headers['content-type']).toBe('application/problem+json');
  expect(JSON.parse(body)).toMatchObject({ status });
  return status;
}

/** Everything that comes back on a connection that asks for an upgrade and then says `text`. */
async function upgraded(service: SuiteService, path: string, text: string): Promise<string> {
  const { host, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ host: '127.0.0.1', port: Number(port) });
    socket.on('connect', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`));
    socket.on('data', (chunk) => {
      const isFirst = received === '';
      received += String(chunk);
      if (isFirst && received.includes(' 101 ')) socket.write(text);
      if (received.endsWith(text)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}
