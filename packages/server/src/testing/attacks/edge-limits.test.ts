/** Clients that take more of the edge than their share: connections, time, memory. */
import { afterEach, describe, expect, test } from 'vitest';
import { AttackedEdge, eventually, statuses } from './edge.fixture.ts';

let edge: AttackedEdge;
afterEach(async () => edge.close());

const ask = (last = ''): string => `GET / HTTP/1.1\r\nHost: ${edge.host}\r\n${last}\r\n`;

describe.each(['connections', 'connectionsPerAddress'] as const)('%s', (limit) => {
  test('above the limit are ended, and those below it serve on', async () => {
    edge = await AttackedEdge.open({ limits: { [limit]: 3 } });
    await edge.serve();
    const open = [1, 2, 3].map(() => edge.connect(ask()));
    for (const { received } of open) await eventually(received).toContain('answer');
    expect(await edge.connect(ask()).closed).toBe('');
    expect(edge.ran.length).toBe(3);
    open[0]?.socket.write(ask('Connection: close\r\n'));
    expect(statuses((await open[0]?.closed) ?? '')).toEqual([200, 200]);
    await eventually(async () => statuses(await edge.connect(ask('Connection: close\r\n')).closed)).toEqual([200]);
  });
});

test('a connection is for so many requests, and its client connects anew', async () => {
  edge = await AttackedEdge.open({ limits: { requestsPerConnection: 2 } });
  await edge.serve();
  const received = await edge.connect(ask() + ask() + ask()).closed;
  expect(statuses(received)).toEqual([200, 200]);
  expect(received.match(/^connection: close\r$/gim)).toHaveLength(1);
  expect(edge.ran.length).toBe(2);
});

test.each([
  ['nothing', ''],
  ['half a head', 'GET / HTTP/1.1\r\nHost: '],
])('a client that sends %s gets an error and is let go', async (_name, bytes) => {
  edge = await AttackedEdge.open({ limits: { headersMs: 50, checkEveryMs: 20 } });
  const client = edge.connect(bytes);
  await eventually(client.received).toContain('"detail"');
  client.socket.end();
  expect(statuses(await client.closed)).toEqual([408]);
});

test('a body that stops coming is answered before the instance notices', async () => {
  edge = await AttackedEdge.open();
  await edge.serve(undefined, { writeTimeoutMs: 100 });
  const client = edge.connect(`POST / HTTP/1.1\r\nHost: ${edge.host}\r\nContent-Length: 100\r\n\r\nhalf`);
  await eventually(client.received).toContain('did not arrive in time');
  client.socket.end();
  expect(statuses(await client.closed)).toEqual([408]);
  expect(edge.ran).toEqual([]);
});

test('a slow instance is no slow client', async () => {
  edge = await AttackedEdge.open();
  const reading: (() => void)[] = [];
  await edge.serve(
    (request, response) => {
      request.pause();
      reading.push(() => request.resume().once('end', () => response.end('read')));
    },
    { writeTimeoutMs: 50, requestSizeLimitMb: 16, readTimeoutMs: 5000 },
  );
  const size = 8 * 1024 * 1024;
  const client = edge.connect(`POST / HTTP/1.1\r\nHost: ${edge.host}\r\nContent-Length: ${size}\r\nConnection: close\r\n\r\n`);
  client.socket.write(Buffer.alloc(size));
  await eventually(() => reading.length).toBe(1);
  // One that is slow itself is given up meanwhile, so the first would have been, too.
  const slow = edge.connect(`POST / HTTP/1.1\r\nHost: ${edge.host}\r\nContent-Length: 100\r\n\r\nhalf`);
  await eventually(slow.received).toContain(' 408 ');
  reading[0]?.();
  expect(statuses(await client.closed)).toEqual([200]);
});
