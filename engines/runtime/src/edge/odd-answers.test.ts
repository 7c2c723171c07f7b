/** The edge in front of programs that send invalid HTTP. The platform runs in the same process and must survive it. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PortPool } from '../local/instance/port-pool.ts';
import { Ingress } from './ingress.ts';

const host = 'shop.shop.development.localhost';
let ingress: Ingress;
let port: number;
/** Everything the instance received. */
let sent = '';
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  sent = '';
  port = await new PortPool().take();
  ingress = new Ingress({ host: '127.0.0.1', port, log: { debug() {}, info() {}, warn() {}, error() {} } });
  await ingress.listen(2000);
});
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await ingress.close();
});

/** Starts a program that sends `answer` to every request. */
const serve = async (answer: string): Promise<void> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.on('data', (chunk) => {
      sent += String(chunk);
      if (sent.includes('\r\n\r\n')) socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => server.close(),
    () => sockets.forEach((socket) => socket.destroy()),
  );
  ingress.setRoute(
    { app: 'shop', environment: 'development', service: 'shop' },
    {
      revisions: ['shop-1'],
      domain: undefined,
      basePath: '/',
      stripBasePath: true,
      connectionTimeoutMs: 300,
      readTimeoutMs: 1000,
      writeTimeoutMs: 300,
      requestSizeLimitMb: 1,
      spikeArrestPerMinute: 0,
      excludePathPrefixes: ['/admin'],
      authentication: { type: 'NO_AUTH' },
    },
  );
  ingress.setTargets('shop/development/shop', [{ id: 'shop-1-a', port: (server.address() as AddressInfo).port }]);
};

/** Returns everything received until the connection ends. */
const ask = (headers: readonly string[] = [], body = ''): Promise<string> =>
  new Promise((resolve) => {
    let got = '';
    const client = connect({ host: '127.0.0.1', port }, () =>
      client.write([`POST /x HTTP/1.1`, `Host: ${host}`, ...headers, `Content-Length: ${body.length}`, '', body].join('\r\n')),
    );
    closing.push(() => client.destroy());
    client.setTimeout(1500, () => client.destroy());
    client.on('data', (chunk) => (got += String(chunk))).on('error', () => {});
    client.once('close', () => resolve(got));
  });

describe.each([
  ['a request', ['Connection: close']],
  ['an upgrade', ['Connection: Upgrade', 'Upgrade: websocket']],
] as const)('%s is answered', (_name, headers) => {
  test.each([
    ['with a status that is none', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n', 502],
    ['with the status 000', 'HTTP/1.1 000 Odd\r\nContent-Length: 0\r\n\r\n', 502],
    ['with no HTTP', 'hello\r\n\r\n', 502],
    ['with nothing', '', 502],
    ['with half a head', 'HTTP/1.1 200 OK\r\nContent-Le', 502],
    ['with a header of two lines', 'HTTP/1.1 200 OK\r\nX-A: b\r\n X-B: c\r\nContent-Length: 0\r\n\r\n', 502],
    ['with 999', 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n', 999],
  ])('%s', async (_what, answer, status) => {
    await serve(answer);
    expect(Number(/^HTTP\/1\.1 (\d+)/.exec(await ask(headers))?.[1])).toBe(status);
  });
});

test('a protocol that nobody asked for is no answer', async () => {
  await serve('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello');
  expect(await ask(['Connection: close'])).not.toContain('hello');
});

test('HTTP/2 without TLS is not negotiated: its further requests would pass by every rule of the edge', async () => {
  await serve('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
  const answer = await ask(['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'], 'body');
  expect(answer).not.toContain(' 101 ');
  expect(sent.toLowerCase()).not.toMatch(/upgrade|http2-settings/);
  expect(sent).toContain('body');
});
