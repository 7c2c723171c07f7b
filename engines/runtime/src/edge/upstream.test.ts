/** Connections to an instance that is leaving: kept connections would delay the program's exit. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { until } from '@slipway/foundation/ports/runtime.suite-runtime.ts';
import { connectLoopback } from './connect.ts';
import { REQUESTS_PER_INSTANCE } from './limits.ts';
import { leastBusy, Upstream } from './upstream.ts';

test('idle connections end when the instance leaves, busy ones with their request', async () => {
  const held: ServerResponse[] = [];
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) =>
    request.url === '/held' ? held.push(response) : response.end(),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const upstream = new Upstream({ id: 'a', port }, connectLoopback);
  const call = async (path: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const sending = upstream.request({ method: 'GET', path, headers: ['host', 'a.localhost'], isReusable: true });
      sending
        .once('response', (response) => response.resume().once('end', resolve))
        .once('error', reject)
        .end();
    });
  const connections = async (): Promise<number> => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
  const busy = call('/held');
  await until('a busy connection', async () => held.length === 1);
  await call('/');
  expect(await connections()).toBe(2);
  upstream.leave();
  await until('the end of the idle one', async () => (await connections()) === 1);
  held[0]!.end();
  await busy;
  await until('the end of the busy one', async () => (await connections()) === 0);
  server.close();
});

test('an instance that left has answered when its last request is over, and not before it left', async () => {
  const upstream = new Upstream({ id: 'a', port: 1 }, connectLoopback);
  let isAnswered = false;
  const answered = upstream.answered.then(() => (isAnswered = true));
  const [first, second] = [upstream.begin(), upstream.begin()];
  first();
  second();
  const third = upstream.begin();
  upstream.leave();
  await Promise.resolve();
  expect([isAnswered, upstream.active]).toEqual([false, 1]);
  third();
  expect(await answered).toBe(true);
});

test('the least busy instance is chosen, equals take turns', () => {
  const upstreams = [1, 2, 3].map((port) => new Upstream({ id: String(port), port }, connectLoopback));
  expect([0, 1, 2, 3].map((turn) => leastBusy(upstreams, turn)?.port)).toEqual([1, 2, 3, 1]);
  upstreams[0]!.active = 1;
  upstreams[1]!.active = 2;
  expect(leastBusy(upstreams, 0)?.port).toBe(3);
  expect(leastBusy(upstreams, 0, new Set([upstreams[2]!]))?.port).toBe(1);
  upstreams[2]!.active = REQUESTS_PER_INSTANCE;
  expect(leastBusy([upstreams[2]!], 0)).toBeUndefined();
  expect(leastBusy([], 0)).toBeUndefined();
});
