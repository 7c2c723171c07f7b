/** The doorway passes on what services may ask, from an address of their own, and bounds what it holds. */
import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { platformDoorway } from './platform-doorway.ts';

interface Got {
  readonly from: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly answer: ServerResponse;
}
const got: Got[] = [];
let isHeld = false;
const platform = createServer((asked, answer) => {
  got.push({ from: asked.socket.remoteAddress, headers: asked.headers, answer });
  asked.resume();
  if (!isHeld) answer.writeHead(429, { 'retry-after': '7', 'content-type': 'application/x-protobuf', 'set-cookie': 'a=b' }).end('later');
});
const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const doorways: Server[] = [];
const doorway = async (from: string): Promise<string> => {
  const server = platformDoorway(() => urlOf(platform), from);
  doorways.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return urlOf(server);
};
beforeAll(() => once(platform.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => {
  for (const server of [platform, ...doorways]) server.close().closeAllConnections();
});

const send = (url: string, body: Buffer = Buffer.alloc(10), path = '/otlp/v1/traces') =>
  new Promise<{ status: number | undefined; headers: IncomingHttpHeaders }>((resolve, reject) => {
    const asking = request(`${url}${path}`, {
      method: 'POST',
      agent: false,
      headers: { authorization: 'Bearer t', 'content-encoding': 'gzip', 'x-forwarded-for': '9.9.9.9', 'content-length': body.length },
    });
    asking.once('response', (answer) => {
      resolve({ status: answer.statusCode, headers: answer.headers });
      answer.resume();
    });
    asking.once('error', reject);
    asking.end(body);
  });

test('passes traces on from the address of the service, and answers what the platform answered', async () => {
  const answered = await send(await doorway('127.9.8.7'));
  expect(answered).toMatchObject({ status: 429, headers: { 'retry-after': '7', 'content-type': 'application/x-protobuf' } });
  expect(answered.headers['set-cookie']).toBeUndefined();
  expect(got).toMatchObject([{ from: '127.9.8.7', headers: { authorization: 'Bearer t', 'content-encoding': 'gzip' } }]);
  expect(got[0]?.headers['x-forwarded-for']).toBeUndefined();
});

test('refuses other paths and bodies beyond 1 MB', async () => {
  const url = await doorway('127.9.8.7');
  expect((await send(url, undefined, '/otlp/v1/logs')).status).toBe(403);
  expect((await send(url, Buffer.alloc(1_048_577))).status).toBe(413);
  expect((await send(url, Buffer.alloc(16_385), '/api/v1/apps/a/development/services/b/access-tokens')).status).toBe(413);
});

test('passes on a few requests at once; those of another service go through', async () => {
  isHeld = true;
  got.length = 0;
  const [noisy, quiet] = [await doorway('127.9.8.7'), await doorway('127.9.8.8')];
  const asked = Array.from({ length: 40 }, () => send(noisy));
  await vi.waitFor(() => expect(got).toHaveLength(32));
  const other = send(quiet);
  await vi.waitFor(() => expect(got.at(-1)?.from).toBe('127.9.8.8'));
  for (const { answer } of got) answer.end();
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 503)).toHaveLength(8);
  expect((await other).status).toBe(200);
  isHeld = false;
  expect((await send(noisy)).status).toBe(429);
});
