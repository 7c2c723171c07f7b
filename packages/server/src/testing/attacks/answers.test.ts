/** Instances that answer what would confuse a client, poison a kept connection, or fill the memory. */
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AttackedEdge, eventually, statuses } from './edge.fixture.ts';

let edge: AttackedEdge;
beforeEach(async () => {
  edge = await AttackedEdge.open();
});
afterEach(async () => edge.close());

const line = (path = '/', last = ''): string => `GET ${path} HTTP/1.1\r\nHost: ${edge.host}\r\n${last}\r\n`;
const close = 'Connection: close\r\n';
/** The answer as a client gets it from an instance that says exactly this. */
const answered = async (bytes: string, request = line('/', close)): Promise<string> => {
  await edge.serveBytes((socket) => socket.end(bytes, 'latin1'));
  return edge.connect(request).closed;
};
const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n';

describe.each([
  ['a request', close],
  ['an upgrade', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
])('to %s', (_name, last) => {
  test.each([
    ['length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nhello'],
    ['a list of lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello'],
    ['a length that is none', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['a coding that the client does not learn of', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['a coding without an end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello'],
    ['a bare carriage return', 'HTTP/1.1 200 OK\r\nX-A: b\rX-C: d\r\nContent-Length: 0\r\n\r\n'],
    ['a bare line feed', 'HTTP/1.1 200 OK\nX-A: b\nContent-Length: 0\n\n'],
    ['a folded header', 'HTTP/1.1 200 OK\r\nX-A: b\r\n X-B: c\r\nContent-Length: 0\r\n\r\n'],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n'],
    ['a zero byte in a header', 'HTTP/1.1 200 OK\r\nX-A: b\0c\r\nContent-Length: 0\r\n\r\n'],
    ['huge headers', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(100_000)}\r\nContent-Length: 0\r\n\r\n`],
    ['a flood of interim answers', `${interim.repeat(1000)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`],
  ])('%s is answered 502', async (_what, bytes) => {
    const received = await answered(bytes, line('/', last));
    expect(statuses(received).filter((status) => status >= 200)).toEqual([502]);
    expect(statuses(received).length).toBeLessThan(20);
    expect(received).toContain('no sound HTTP');
  });

  test('control characters in a reason are left out, and end nothing', async () => {
    const received = await answered('HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\nhi', line('/', last));
    expect(received).toMatch(/^HTTP\/1\.1 200 \r\n/);
    expect(received).toMatch(/\r\n\r\nhi$/);
  });
});

test.each([
  ['content-length', 'Connection: content-length\r\nContent-Length: 5\r\n\r\nhello', /content-length: 5/i],
  ['set-cookie', 'Connection: Set-Cookie\r\nSet-Cookie: a=1\r\nContent-Length: 5\r\n\r\nhello', /set-cookie: a=1/i],
])('Connection: %s of an instance takes nothing off that is not its own', async (_name, rest, expected) => {
  const received = await answered(`HTTP/1.1 200 OK\r\n${rest}`);
  expect(received).toMatch(expected);
  expect(received).toMatch(/\r\n\r\nhello$/);
});

test.each(['204 No Content', '304 Not Modified'])('%s with a body has none for the client', async (status) => {
  const received = await answered(`HTTP/1.1 ${status}\r\nContent-Length: 5\r\n\r\nhello`);
  expect(received).not.toContain('hello');
  expect(received.includes('ontent-')).toBe(status.startsWith('304'));
});

test('the first answer counts where an instance gives two, and the second is for nobody', async () => {
  let requests = 0;
  await edge.serveBytes((socket) => {
    requests++;
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirstHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison');
  });
  const received = await edge.connect(line('/1') + line('/2', close)).closed;
  expect(requests).toBe(2);
  expect(statuses(received)).toEqual([200, 200]);
  expect(received).not.toContain('poison');
});

test('what an instance says while nobody asks is no answer to the next request', async () => {
  const sockets: Socket[] = [];
  await edge.serveBytes((socket, received) => {
    sockets.push(socket);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n${received.length > 0 && sockets.length === 1 ? 'ok' : 'no'}`);
  });
  await edge.connect(line('/', close)).closed;
  const [kept] = sockets;
  const gone = new Promise((resolve) => kept?.once('close', resolve));
  kept?.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison');
  await gone;
  expect(await edge.connect(line('/', close)).closed).toMatch(/no$/);
});

test('an answer that ends too early is no whole one for the client', async () => {
  const received = await answered('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
  expect(received).not.toContain('\r\n0\r\n');
});

test('trailers say nothing that headers may not', async () => {
  const trailers = [
    'Host: x',
    'Content_Length: 9',
    'Cache-Control: no-store',
    'Connection: x',
    'X-Forwarded-User: root',
    'X_Slipway-Claims: a',
    'X-Good: 1',
  ];
  const received = await answered(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${trailers.join('\r\n')}\r\n\r\n`);
  expect(received.slice(received.indexOf('\r\n\r\n') + 4)).toBe('0\r\nX-Good: 1\r\n\r\n');
});

test('no byte in a reason, a header or a trailer ends the edge', async () => {
  await edge.serveBytes((socket, received) => {
    const [, place, code] = /^GET \/(\w+)\/(\d+)/.exec(received) ?? [];
    const odd = (where: string, usual: string): string => (where === place ? `a${String.fromCharCode(Number(code))}b` : usual);
    const head = `HTTP/1.1 200 ${odd('reason', 'OK')}\r\n${odd('name', 'X-A')}: ${odd('value', 'b')}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    socket.end(`${head}0\r\n${odd('field', 'X-B')}: ${odd('end', 'c')}\r\n\r\n`, 'latin1');
  });
  for (const place of ['reason', 'name', 'value', 'field', 'end']) {
    const codes = Array.from({ length: 256 }, (_, code) => code);
    const answers = await Promise.all(codes.map((code) => edge.connect(line(`/${place}/${code}`, close)).closed));
    // With an odd trailer the answer has begun, and breaks off.
    for (const received of answers) expect(received === '' ? 200 : statuses(received)[0]).toBeOneOf([200, 502]);
  }
});

test('an answer that nobody reads ends, in whole or in part', async () => {
  await edge.close();
  edge = await AttackedEdge.open();
  let cut = 0;
  await edge.serve(
    (_request, response) => {
      response.once('close', () => cut++);
      const chunk = Buffer.alloc(1024 * 1024);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    },
    { writeTimeoutMs: 200 },
  );
  const clients = [1, 2, 3].map(() => edge.connect(line()));
  for (const { socket } of clients) socket.pause();
  await eventually(() => cut).toBe(3);
});
