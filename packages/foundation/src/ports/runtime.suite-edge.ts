/** Suite part: features of the edge. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { until, upgraded, type SuiteRuntime, type SuiteService } from './runtime.suite-runtime.ts';

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

  test('too many requests are refused, and learn when to come again', async () => {
    const service = suite().service();
    await service.serve({}, { spikeArrestPerMinute: 60 });
    const statuses = (await Promise.all(Array.from({ length: 12 }, () => service.call('/version')))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(3);
    const refused = await until('a refusal', async () => [await service.call('/version')].find(({ status }) => status === 429));
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('services share a domain by base path, beside their own host names', async () => {
    const domain = `${suite().service().ref.service}.example`;
    const [shop, admin] = [suite().service(), suite().service()];
    await shop.serve({ env: { VERSION: 'shop' } }, { domain, basePath: '/', stripBasePath: true });
    await admin.serve({ env: { VERSION: 'admin' } }, { domain, basePath: '/admin', stripBasePath: true });
    const at = async (path: string, host = domain) => (await shop.call(path, { host })).body;
    expect(await at('/version')).toBe('shop');
    expect(await at('/version', `${domain.toUpperCase()}:4080`)).toBe('shop');
    expect(await at('/admin/version')).toBe('admin');
    expect(await at('/administrator')).toBe('no such path /administrator');
    expect((await admin.call('/admin/version')).body).toBe('admin');
    await admin.route([1], { domain: undefined, basePath: '/admin', stripBasePath: true });
    expect(await at('/admin/version')).toBe('no such path /admin/version');
    await suite().runtime.setRoute(shop.ref, undefined);
    expect(await problem(shop.call('/version', { host: domain }))).toBe(421);
  });

  test('numbers change on a running route; a request in flight ends as it began', async () => {
    const service = suite().service();
    const sizes = { method: 'POST', body: Buffer.alloc(600_000) };
    await service.serve();
    const finish = await begun(service, '/echo', sizes.body);
    await service.route([1], { readTimeoutMs: 200, requestSizeLimitMb: 0.5, excludePathPrefixes: ['/env'] });
    expect(await problem(service.call('/slow?ms=600'))).toBe(504);
    expect(await problem(service.call('/echo', sizes))).toBe(413);
    expect(await problem(service.call('/env?name=VERSION'))).toBe(404);
    await service.route([1], { spikeArrestPerMinute: 1 });
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await service.call('/version')).status));
    expect(statuses).toContain(429);
    expect(await finish()).toContain('"size":600000');
    await service.route([1]);
    expect((await service.call('/echo', sizes)).body).toContain('"size":600000');
  });

  test('a body that stalls is given up', async () => {
    const service = suite().service();
    await service.serve({}, { writeTimeoutMs: 200 });
    const head = `POST /echo HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\nContent-Length: 100\r\n\r\nhalf`;
    expect(await said(service, head)).toContain('HTTP/1.1 408');
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
    const text = await upgraded(service, '/ws');
    expect(text).toContain('HTTP/1.1 101');
    expect(text).toContain('hello');
    expect(await upgraded(service, '/refuse')).toContain('HTTP/1.1 400');
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

/** Returns the status of a response that must be a problem document with that status. */
async function problem(answering: ReturnType<SuiteService['call']>): Promise<number> {
  const { body, headers, status } = await answering;
  expect(headers['content-type']).toBe('application/problem+json');
  expect(JSON.parse(body)).toMatchObject({ status });
  return status;
}

/** Sends a request without its body and waits until the edge accepts it. Returns a function that sends the body and reads the response. */
async function begun(service: SuiteService, path: string, body: Buffer): Promise<() => Promise<string>> {
  const { host, port } = new URL(service.url);
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  let received = '';
  socket.on('data', (chunk) => (received += String(chunk)));
  const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, `Content-Length: ${body.length}`, 'Expect: 100-continue', 'Connection: close'];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await until('the edge to let the request in', async () => received.includes('100 Continue'));
  return async () => {
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(body);
    await closed;
    return received;
  };
}

/** Returns the whole response to a handwritten request. */
async function said(service: SuiteService, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(service.url).port) });
    socket.on('connect', () => socket.write(text));
    socket.on('data', (chunk) => (received += String(chunk)));
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}
