// @long: tries an engine by itself, which the tests of modules use, too
/** Calls over keep-alive connections, to a server that closes a connection just as it is reused. */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { mapLimited } from '@slipway/foundation/map-limited.ts';
import { callSocket, textOf } from './socket-call.ts';

const directory = mkdtempSync(join(tmpdir(), 'slipway-socket-call-'));
const path = join(directory, 'socket');
const agent = new Agent({ keepAlive: true, maxSockets: 4 });
let connections = 0;
/** Requests per connection. */
let asked = new WeakMap<Socket, number>();
/** Number of the request from which on a connection breaks instead of responding. */
let breaksAt = Infinity;
const server = createServer((request, answer) => {
  const count = (asked.get(request.socket) ?? 0) + 1;
  asked.set(request.socket, count);
  if (count >= breaksAt) request.socket.destroy();
  else request.resume().on('end', () => answer.end('well'));
});
server.on('connection', () => (connections += 1));

beforeAll(() => new Promise<void>((resolve) => server.listen(path, resolve)));
afterAll(() => {
  agent.destroy();
  server.close();
  rmSync(directory, { recursive: true });
});
beforeEach(() => {
  agent.destroy();
  connections = 0;
  asked = new WeakMap();
  breaksAt = Infinity;
});
const call = async (): Promise<string> =>
  textOf(await callSocket(path, { method: 'POST', path: '/', body: '{}', signal: AbortSignal.timeout(5000), agent }));

test('a thousand calls take a few connections', async () => {
  const answers = await mapLimited(Array.from({ length: 1000 }), call, 64);
  expect(new Set(answers)).toEqual(new Set(['well']));
  expect(connections).toBeLessThanOrEqual(4);
});

test('a kept connection that breaks as it is used again is replaced, once', async () => {
  breaksAt = 2;
  expect([await call(), await call()]).toEqual(['well', 'well']);
  expect(connections).toBe(2);
});

test('a new connection that breaks is a failure', async () => {
  breaksAt = 1;
  await expect(call()).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(connections).toBe(1);
});
