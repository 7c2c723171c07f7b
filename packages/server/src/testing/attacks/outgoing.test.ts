// @long: waits for limits, or starts programs
/**
 * Requests to addresses that users name: names that change what they lead to, redirects inside, answers without end, proxies of the
 * environment, and bodies that are not HTTP. A server inside counts what reaches it, which is nothing.
 */
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OutgoingClient, type OutgoingResult } from '#kernel/outgoing/outgoing.ts';
import { OutgoingPolicy, type Resolve } from '#kernel/outgoing/outgoing-policy.ts';

const ALLOWED = '127.0.0.2';
const FORBIDDEN = '127.0.0.3';
const TIMEOUT_MS = 1500;

let reached = 0;
const servers: net.Server[] = [];
const portOf = (server: net.Server): number => (server.address() as AddressInfo).port;
const listen = async (server: net.Server, host: string): Promise<number> => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return portOf(server);
};

/** Behaviors of the allowed server, by path. */
const behaviours: Readonly<Record<string, (answer: http.ServerResponse) => void>> = {
  '/fine': (answer) => answer.writeHead(200, { 'content-type': 'text/plain' }).end('thanks'),
  '/redirect': (answer) => answer.writeHead(307, { location: `http://${FORBIDDEN}:${inside}/` }).end(),
  '/endless': (answer) => {
    answer.writeHead(200);
    const more = () => answer.write('x'.repeat(65_536));
    answer.on('drain', more);
    while (more());
  },
  '/silent': () => {},
  '/slow-body': (answer) => answer.writeHead(200).write('begun'),
  '/huge-headers': (answer) => answer.writeHead(200, { 'x-much': 'x'.repeat(64_000) }).end(),
  '/upgrade': (answer) => answer.writeHead(101, { upgrade: 'websocket', connection: 'upgrade' }).end(),
};
let allowed = 0;
let inside = 0;
let raw = 0;
beforeAll(async () => {
  inside = await listen(
    http.createServer((_asked, answer) => {
      reached += 1;
      answer.end('secret');
    }),
    FORBIDDEN,
  );
  allowed = await listen(
    http.createServer((asked, answer) => behaviours[asked.url ?? '']?.(answer)),
    ALLOWED,
  );
  raw = await listen(
    net.createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.2\r\n')),
    ALLOWED,
  );
});
afterAll(() => {
  for (const server of servers) {
    if (server instanceof http.Server) server.closeAllConnections();
    server.close();
  }
});

const send = (
  url: string,
  { resolve, headers = {} }: { resolve?: Resolve; headers?: Record<string, string> } = {},
): Promise<OutgoingResult> =>
  new OutgoingClient(new OutgoingPolicy([ALLOWED], resolve)).send({
    url: new URL(url),
    method: 'POST',
    headers,
    body: '{}',
    skipCertificateVerification: false,
    timeoutMs: TIMEOUT_MS,
    bodyBytes: 512,
  });
const to = (path: string): string => `http://${ALLOWED}:${allowed}${path}`;

test('an answer comes with its timings and address', async () => {
  const { answer, failure, address, timings } = await send(to('/fine'));
  expect({ status: answer?.status, body: answer?.body.toString(), failure, address }).toEqual({
    status: 200,
    body: 'thanks',
    failure: undefined,
    address: ALLOWED,
  });
  expect(timings).toMatchObject({ lookup: expect.any(Number), connect: expect.any(Number), tls: null, firstByte: expect.any(Number) });
});

test('a redirect inside is an answer, and not followed', async () => {
  expect((await send(to('/redirect'))).answer?.status).toBe(307);
  expect(reached).toBe(0);
});

test('a name that leads elsewhere at the second look is called where the first look led', async () => {
  let asked = 0;
  const resolve: Resolve = async () => [{ address: (asked += 1) === 1 ? ALLOWED : FORBIDDEN, family: 4 }];
  const { answer, address } = await send(`http://rebind.example:${allowed}/fine`, { resolve });
  expect([answer?.status, address, asked]).toEqual([200, ALLOWED, 1]);
  expect((await send(`http://rebind.example:${inside}/`, { resolve })).failure).toBe('REFUSED_ADDRESS');
  expect(reached).toBe(0);
});

test('of several addresses none may be inside', async () => {
  const resolve: Resolve = async () => [ALLOWED, FORBIDDEN].map((address) => ({ address, family: 4 }));
  expect((await send(`http://both.example:${inside}/`, { resolve })).failure).toBe('REFUSED_ADDRESS');
});

test('a resolver that never answers ends with the time', async () => {
  const startedAt = Date.now();
  expect((await send('http://never.example/', { resolve: () => new Promise(() => {}) })).failure).toBe('TIMEOUT');
  expect(Date.now() - startedAt).toBeLessThan(TIMEOUT_MS * 4);
});

test('endless and slow bodies are cut, and their status counts', async () => {
  const endless = (await send(to('/endless'))).answer;
  expect([endless?.status, endless?.body.length, endless?.isBodyCut]).toEqual([200, 512, true]);
  const slow = (await send(to('/slow-body'))).answer;
  expect([slow?.status, slow?.body.toString(), slow?.isBodyCut]).toEqual([200, 'begun', true]);
});

test.each([
  ['/silent', 'TIMEOUT'],
  ['/huge-headers', 'BROKEN_ANSWER'],
  ['/upgrade', 'BROKEN_ANSWER'],
])('%s: %s', async (path, failure) => expect((await send(to(path))).failure).toBe(failure));

test('what is no HTTP is no answer, and nothing of it is shown', async () => {
  const { answer, failure } = await send(`http://${ALLOWED}:${raw}/`);
  expect([answer, failure]).toEqual([undefined, 'BROKEN_ANSWER']);
});

test('a proxy of the environment is not used', async () => {
  const before = { ...process.env };
  Object.assign(process.env, {
    HTTP_PROXY: `http://${FORBIDDEN}:${inside}`,
    http_proxy: `http://${FORBIDDEN}:${inside}`,
    NODE_USE_ENV_PROXY: '1',
  });
  try {
    expect((await send(to('/fine'))).answer?.status).toBe(200);
    expect(reached).toBe(0);
  } finally {
    for (const name of ['HTTP_PROXY', 'http_proxy', 'NODE_USE_ENV_PROXY']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
});

test('a header with a line break is not sent at all', async () => {
  const { answer, failure } = await send(to('/fine'), { headers: { authorization: 'x\r\nx-other: y' } });
  expect([answer, failure]).toEqual([undefined, 'NOT_REACHED']);
});

test('nothing came through', () => expect(reached).toBe(0));
