/**
 * The edge in front of misbehaving peers that no sample program can imitate: an instance that accepts nothing, and clients that read
 * nothing.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashPassword, RANDOM } from '@slipway/foundation/sign-in/password.ts';
import { call, until } from '@slipway/foundation/ports/runtime.suite-runtime.ts';
import type { ServiceRoute } from '@slipway/foundation/ports/runtime.ts';
import { PortPool } from '../local/instance/port-pool.ts';
import type { ConnectInstance } from './connect.ts';
import { Ingress } from './ingress.ts';

const ref = { app: 'shop', environment: 'development', service: 'shop' } as const;
const host = 'shop.shop.development.localhost';
let ingress: Ingress;
let port: number;
const closing: (() => unknown)[] = [];
beforeEach(async () => {
  port = await new PortPool().take();
  ingress = new Ingress({ host: '127.0.0.1', port, log: { debug() {}, info() {}, warn() {}, error() {} } });
  await ingress.listen(2000);
});
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await ingress.close();
});

const serve = (instance: number, change: Partial<ServiceRoute> = {}): void => {
  ingress.setRoute(ref, {
    revisions: ['shop-1'],
    domain: undefined,
    basePath: '/',
    stripBasePath: true,
    connectionTimeoutMs: 300,
    readTimeoutMs: 3000,
    writeTimeoutMs: 300,
    requestSizeLimitMb: 1,
    spikeArrestPerMinute: 0,
    excludePathPrefixes: [],
    authentication: { type: 'NO_AUTH' },
    ...change,
  });
  ingress.setTargets('shop/development/shop', [{ id: 'shop-1-a', port: instance }]);
};
/** Replaces the edge with one that connects to instances in another way. */
const reachBy = async (connectInstance: ConnectInstance): Promise<void> => {
  await ingress.close();
  ingress = new Ingress({ host: '127.0.0.1', port, log: { debug() {}, info() {}, warn() {}, error() {} }, connect: connectInstance });
  await ingress.listen(2000);
};
const listening = async (server: Server): Promise<number> => {
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};
const open = (to: number): Socket => {
  const socket = connect({ host: '127.0.0.1', port: to }).on('error', () => {});
  closing.push(() => socket.destroy());
  return socket;
};
const url = () => new URL(`http://${host}:${port}/`);

/** Starts an instance whose connection backlog is full and never drained. */
const deafInstance = async (): Promise<number> => {
  const program = `const s = require('net').createServer(); s.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port));`;
  const child: ChildProcess = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  closing.push(() => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  child.kill('SIGSTOP');
  const instance = Number(String(line));
  const waiting = Array.from({ length: 6 }, () => open(instance));
  await until('a full queue', async () => waiting.filter(({ connecting }) => !connecting).length >= 2);
  return instance;
};

test('an instance that accepts nothing is given up after the connection timeout', async () => {
  serve(await deafInstance());
  const startedAt = performance.now();
  const answer = await call(url());
  expect(answer.status).toBe(504);
  expect(answer.body).toContain('did not accept the connection');
  expect(performance.now() - startedAt).toBeGreaterThan(290);
});

test('a client that takes nothing of its answer is let go after the write timeout', async () => {
  let isCut = false;
  const server = createServer((_request, response) => {
    response.once('close', () => (isCut = !response.writableFinished));
    const chunk = Buffer.alloc(1024 * 1024);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  });
  serve(await listening(server));
  const client = open(port);
  client.pause();
  client.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await until('the end of the answer', async () => isCut);
  const [figures] = ingress.stats();
  expect(figures).toMatchObject({ requests: 1 });
});

test('the request of a client that left while its password was worked out reaches nobody', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    response.end();
  });
  const passwordHash = await hashPassword('geheim', RANDOM);
  serve(await listening(server), { authentication: { type: 'BASIC_AUTH', username: 'anna', passwordHash } });
  const authorization = `Basic ${Buffer.from('anna:geheim').toString('base64')}`;
  const client = open(port);
  client.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\n\r\n`, () => client.destroy());
  await until('the request to be counted', async () => ingress.stats()[0]?.requests === 1);
  // Gets its response from the check that the departed client started.
  expect((await call(url(), { headers: { authorization } })).status).toBe(200);
  expect(asked).toBe(1);
});

test('instances are reached as the edge is configured, each in its own way, and the next one where that fails', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'slipway-edge-'));
  closing.push(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'b.sock');
  const server = createServer((request, response) => response.end(`at ${path} for ${request.headers.host}`));
  server.on('upgrade', (_request, socket) =>
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nswitched'),
  );
  closing.push(() => server.closeAllConnections());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  closing.push(() => server.close());
  const asked: string[] = [];
  await reachBy(({ id }) => {
    asked.push(id);
    return connect({ path: join(directory, `${id}.sock`) });
  });
  serve(1);
  ingress.setTargets(
    'shop/development/shop',
    ['a', 'b'].map((id) => ({ id, port: 1 })),
  );
  expect((await call(url())).body).toBe(`at ${path} for ${host}:${port}`);
  expect(asked).toEqual(['a', 'b']);
  ingress.setTargets('shop/development/shop', [{ id: 'b', port: 1 }]);
  const client = open(port);
  let received = '';
  client.on('data', (chunk) => (received += String(chunk)));
  client.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`);
  await once(client, 'close');
  expect(received).toMatch(/^HTTP\/1\.1 101 [^]*switched$/);
});

test('keeps serving while it drains, and ends each connection after its next response', async () => {
  const server = createServer((_request, response) => response.end('hello'));
  closing.push(() => server.closeAllConnections());
  serve(await listening(server));
  const client = open(port);
  let received = '';
  client.on('data', (chunk) => (received += String(chunk)));
  client.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await until('a response', async () => received.includes('hello'));
  expect(received).toMatch(/^connection: keep-alive/im);
  ingress.drain();
  received = '';
  client.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await once(client, 'close');
  expect(received).toMatch(/^HTTP\/1\.1 200 [^]*^connection: close[^]*hello/im);
  expect((await call(url())).body).toBe('hello');
});
