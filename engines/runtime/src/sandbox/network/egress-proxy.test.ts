/** The proxy on its own: forwarding, and protection against abuse. */
import { createServer as createHttpServer, type Server } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '@slipway/foundation/ports/runtime.suite-runtime.ts';
import { egressProxy, type EgressVerdict } from './egress-proxy.ts';

const MAX = 4;
let target: Server;
let port: number;
let proxy: ReturnType<typeof createServer>;
const seen: string[] = [];
const asked: string[] = [];
const verdict = (host: string, to: number): EgressVerdict => {
  asked.push(`${host}:${to}`);
  return host === '127.0.0.1' ? 'any' : host === 'localhost' ? 'public' : undefined;
};
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  target = createHttpServer((request, response) => {
    seen.push(`${request.method} ${request.headers.host} ${request.url} ${Object.keys(request.headers).toSorted().join(' ')}`);
    response.setHeader('keep-alive', 'timeout=99');
    if (request.url === '/redirect') response.writeHead(302, { location: `http://localhost:${port}/private` });
    response.end('target');
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  port = portOf(target);
  proxy = egressProxy({ verdict });
  proxy.maxConnections = MAX;
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  target.closeAllConnections();
  target.close();
  proxy.close();
});

const said = (bytes: string): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    const socket = connect(portOf(proxy), '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
const get = (url: string, more = ''): Promise<string> =>
  said(`GET ${url} HTTP/1.1\r\nhost: elsewhere.test\r\n${more}connection: close\r\n\r\n`);

test('a request goes to the host of its address, whatever else it says, without what belongs to one connection', async () => {
  seen.length = 0;
  expect(await get(`http://127.0.0.1:${port}/a?b`, 'proxy-authorization: secret\r\nte: trailers\r\nx-own: 1\r\n')).toMatch(
    /^HTTP\/1\.1 200 .*target$/s,
  );
  expect(seen).toEqual([`GET 127.0.0.1:${port} /a?b connection host x-own`]);
});

test('a tunnel is opened, and its bytes go both ways', async () => {
  const answer = await said(
    `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nhost: x\r\n\r\nGET /t HTTP/1.1\r\nhost: inner\r\nconnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK.*target$/s);
});

test('a redirect is the answer, and nobody follows it here', async () => {
  seen.length = 0;
  expect(await get(`http://127.0.0.1:${port}/redirect`)).toMatch(/^HTTP\/1\.1 302 /);
  expect(seen).toHaveLength(1);
});

test('a name that leads inside is refused, however it is spelled', async () => {
  seen.length = 0;
  for (const host of ['localhost', 'LocalHost']) {
    expect(await get(`http://${host}:${port}/`)).toMatch(/^HTTP\/1\.1 403 .*leads to a private address/s);
    expect(await said(`CONNECT ${host}:${port} HTTP/1.1\r\nhost: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
  }
  expect(seen).toEqual([]);
});

test.each([
  ['no whole address', 'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n', /^HTTP\/1\.1 403 /],
  ['another scheme', 'GET ftp://127.0.0.1/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', /^HTTP\/1\.1 403 /],
  ['https in plain', 'GET https://127.0.0.1/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', /^HTTP\/1\.1 403 /],
  ['a tunnel to no host', 'CONNECT :443 HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1\.1 (403|502) |^$/],
  ['a tunnel to a port that there is not', 'CONNECT 127.0.0.1:99999 HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1\.1 (403|502) |^$/],
  ['a head that is too large', `GET http://127.0.0.1/ HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, /^$/],
  ['a target that is too long', `CONNECT ${'a'.repeat(20_000)}:443 HTTP/1.1\r\n\r\n`, /^$/],
  ['two lengths', 'POST http://127.0.0.1/ HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', /^$/],
  ['no HTTP', 'SSH-2.0-x\r\n\r\n', /^$/],
])('refused: %s', async (_name, bytes, answer) => {
  seen.length = 0;
  expect(await said(bytes)).toMatch(answer);
  expect(seen).toEqual([]);
});

test('more connections than are allowed are ended, and room comes back', async () => {
  const sockets: Socket[] = [];
  let closed = 0;
  for (let count = 0; count < MAX + 3; count++) {
    const socket = connect(portOf(proxy), '127.0.0.1').on('error', () => {});
    socket.once('close', () => closed++);
    sockets.push(socket);
  }
  await until('the end of those beyond', async () => closed === 3 || undefined);
  for (const socket of sockets) socket.destroy();
  await until('room', async () => (await get(`http://127.0.0.1:${port}/`)).startsWith('HTTP/1.1 200') || undefined);
});
