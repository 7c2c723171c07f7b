/** Checks that the edge keeps what clients rightly expect of HTTP, as a server without the edge does. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AttackedEdge, eventually, statuses } from './edge.fixture.ts';

let edge: AttackedEdge;
beforeEach(async () => {
  edge = await AttackedEdge.open();
});
afterEach(async () => edge.close());

const early = 'HTTP/1.1 413 Payload Too Large\r\nContent-Length: 9\r\nConnection: close\r\n\r\ntoo large';
const BODY = 8 * 1024 * 1024;

describe('an answer before the body was read', () => {
  test.each([
    ['ends the connection', early],
    ['keeps the connection', early.replace('Connection: close\r\n', '')],
  ])('reaches a client that sends on: it %s', async (_name, answer) => {
    await edge.serveBytes(
      (socket, received) => {
        if (!socket.writable || !received.includes('\r\n\r\n')) return;
        if (answer.includes('close')) socket.pause().end(answer, () => socket.resetAndDestroy());
        else socket.pause().write(answer);
      },
      { requestSizeLimitMb: 16 },
    );
    for (let round = 0; round < 5; round++) {
      const client = edge.connect(`POST / HTTP/1.1\r\nHost: ${edge.host}\r\nContent-Length: ${BODY}\r\nConnection: close\r\n\r\n`);
      client.socket.write(Buffer.alloc(BODY));
      expect(await client.closed).toMatch(/^HTTP\/1\.1 413 [^]*too large$/);
    }
  });

  test('of the edge itself is read by a client that sends on, too', async () => {
    await edge.serve();
    const client = edge.connect(`POST / HTTP/1.1\r\nHost: ${edge.host}\r\nContent-Length: ${BODY}\r\n\r\n`);
    client.socket.write(Buffer.alloc(BODY));
    const received = await client.closed;
    expect(statuses(received)).toEqual([413]);
    expect(received).toContain('larger than 1 MB');
    expect(edge.ran).toEqual([]);
  });

  test('leaves the connection to the next request', async () => {
    await edge.serve((request, response) => {
      if (request.url === '/early') response.end('early');
      else response.end('next');
    });
    const client = edge.connect(`POST /early HTTP/1.1\r\nHost: ${edge.host}\r\nContent-Length: 1000\r\n\r\nhalf`);
    await eventually(client.received).toContain('early');
    client.socket.write(`${'x'.repeat(996)}GET /next HTTP/1.1\r\nHost: ${edge.host}\r\nConnection: close\r\n\r\n`);
    expect(statuses(await client.closed)).toEqual([200, 200]);
  });
});

describe('Expect: 100-continue', () => {
  const expecting = (length: number, last = ''): string =>
    `POST / HTTP/1.1\r\nHost: ${edge.host}\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n${last}\r\n`;

  test('is for the service to grant', async () => {
    const held: (() => void)[] = [];
    await edge.serveBytes((socket, received) => {
      if (!received.includes('\r\n\r\n')) return;
      if (received.endsWith('hello')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone');
      else if (/^expect: 100-continue\r$/im.test(received)) held.push(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'));
    });
    const client = edge.connect(expecting(5, 'Connection: close\r\n'));
    await eventually(() => held.length).toBe(1);
    expect(client.received()).toBe('');
    held[0]?.();
    await eventually(client.received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.socket.write('hello');
    expect(statuses(await client.closed)).toEqual([100, 200]);
  });

  test('is for the service to refuse', async () => {
    await edge.serveBytes((socket, received) => received.includes('\r\n\r\n') && socket.end(early));
    expect(statuses(await edge.connect(expecting(5)).closed)).toEqual([413]);
  });

  test('is refused by the edge before it is granted', async () => {
    await edge.serve();
    expect(statuses(await edge.connect(expecting(200_000_000)).closed)).toEqual([413]);
    expect(edge.ran).toEqual([]);
  });

  test('means nothing without a body, nor to HTTP/1.0', async () => {
    await edge.serve();
    expect((await edge.pass('GET / HTTP/1.1', ['Expect: 100-continue']))?.headers).not.toHaveProperty('expect');
    expect((await edge.pass('POST / HTTP/1.0', ['Expect: 100-continue', 'Content-Length: 2'], 'hi'))?.body).toBe('hi');
    expect(edge.ran[1]?.headers).not.toHaveProperty('expect');
  });

  test('of something else is refused', async () => {
    await edge.serve();
    const received = await edge.say('GET / HTTP/1.1', `Host: ${edge.host}`, 'Expect: magic', 'Connection: close', '', '');
    expect(statuses(received)).toEqual([417]);
    expect(received).toContain('"detail"');
  });
});

describe('trailers pass', () => {
  test('to the service', async () => {
    await edge.serve();
    const trailers = ['X-End: yes', 'X-Forwarded-User: root', 'X_Slipway_Claims: a', 'Cookie: a=1', 'Host: b'].join('\r\n');
    const ran = await edge.pass('POST / HTTP/1.1', ['Transfer-Encoding: chunked', 'Trailer: X-End'], `2\r\nhi\r\n0\r\n${trailers}\r\n\r\n`);
    expect(ran).toMatchObject({ body: 'hi', headers: { trailer: 'X-End' }, trailers: { 'x-end': 'yes' } });
    expect(Object.keys(ran?.trailers ?? {})).toEqual(['x-end']);
  });

  test('to the client', async () => {
    await edge.serve((_request, response) => {
      response.writeHead(200, { trailer: 'X-End' });
      response.write('hi');
      response.addTrailers({ 'X-End': 'yes' });
      response.end();
    });
    const received = await edge.say('GET / HTTP/1.1', `Host: ${edge.host}`, 'TE: trailers', 'Connection: close, TE', '', '');
    expect(received).toMatch(/^trailer: X-End\r$/im);
    expect(received).toMatch(/\r\n2\r\nhi\r\n0\r\nX-End: yes\r\n\r\n$/);
  });

  test.each(['HEAD / HTTP/1.1', 'GET / HTTP/1.0'])('and are left out where there is no place for them: %s', async (asked) => {
    await edge.serve((_request, response) => {
      response.writeHead(200, { trailer: 'X-End', 'transfer-encoding': 'chunked' });
      response.addTrailers({ 'X-End': 'yes' });
      response.end(asked.startsWith('HEAD') ? undefined : 'hi');
    });
    const received = await edge.say(asked, `Host: ${edge.host}`, 'Connection: close', '', '');
    expect(statuses(received)).toEqual([200]);
    expect(received).not.toContain('X-End');
  });
});

test('early hints pass, and not to HTTP/1.0', async () => {
  await edge.serve((_request, response) => {
    response.writeEarlyHints({ link: '</a.css>; rel=preload', 'x-hint': '1' });
    response.writeProcessing();
    response.end('hi');
  });
  const received = await edge.say('GET / HTTP/1.1', `Host: ${edge.host}`, 'Connection: close', '', '');
  expect(statuses(received)).toEqual([103, 102, 200]);
  expect(received).toContain('Link: </a.css>; rel=preload');
  expect(statuses(await edge.say('GET / HTTP/1.0', `Host: ${edge.host}`, '', ''))).toEqual([200]);
});

describe('a whole address in the request line', () => {
  test('is what counts', async () => {
    await edge.serve();
    const received = await edge.say(`GET http://${edge.host}/x?y=1 HTTP/1.1`, 'Host: other.example', 'Connection: close', '', '');
    expect(statuses(received)).toEqual([200]);
    expect(edge.ran[0]).toMatchObject({ url: '/x?y=1', headers: { host: edge.host, 'x-forwarded-host': edge.host } });
  });

  test.each([
    ['http://other.example/', 421],
    ['http://shop.shop.development.localhost/admin/x', 404],
    ['https://shop.shop.development.localhost/', 400],
    ['http://anna@shop.shop.development.localhost/', 400],
  ])('%s is answered %s', async (url, status) => {
    await edge.serve();
    edge.knowsAllRoutes();
    expect(statuses(await edge.say(`GET ${url} HTTP/1.1`, `Host: ${edge.host}`, 'Connection: close', '', ''))).toEqual([status]);
    expect(edge.ran).toEqual([]);
  });
});

test.each(['TRACE / HTTP/1.1', 'CONNECT shop.shop.development.localhost:80 HTTP/1.1'])('%s is refused', async (asked) => {
  await edge.serve();
  const received = await edge.say(asked, `Host: ${edge.host}`, 'Connection: close', '', '');
  expect(statuses(received)).toEqual([405]);
  expect(received).toMatch(/^allow: GET, /im);
  expect(edge.ran).toEqual([]);
});

test.each([
  ['HTTP/2 without a word before', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 505],
  ['HTTP/2 in a request line', 'GET / HTTP/2.0\r\nHost: x\r\n\r\n', 505],
  ['HTTP/0.9', 'GET / HTTP/0.9\r\nHost: x\r\n\r\n', 505],
  ['an unknown version', 'GET / HTTP/3.7\r\nHost: x\r\n\r\n', 505],
  ['TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', 400],
  ['no HTTP', 'hello\r\n\r\n', 400],
  ['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`, 431],
  ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
])('%s gets an answer to read', async (_name, bytes, status) => {
  await edge.serve();
  const client = edge.connect(bytes);
  await eventually(client.received).toContain('"detail"');
  client.socket.end();
  expect(statuses(await client.closed)).toEqual([status]);
});

test('a service is not unknown before the edge knows all', async () => {
  const ask = ['GET / HTTP/1.1', 'Host: late.shop.development.localhost', 'Connection: close', '', ''];
  const received = await edge.say(...ask);
  expect(statuses(received)).toEqual([503]);
  expect(received).toMatch(/^retry-after: 1\r$/im);
  edge.knowsAllRoutes();
  expect(statuses(await edge.say(...ask))).toEqual([421]);
});

test('what comes after a last request does not cost it its answer', async () => {
  await edge.serve();
  const last = `POST / HTTP/1.1\r\nHost: ${edge.host}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi`;
  expect(statuses(await edge.connect(`${last}\r\n`).closed)).toEqual([200]);
  expect(statuses(await edge.connect(`${last}${'garbage'.repeat(1000)}`).closed)).toEqual([200]);
  const kept = last.replace('Connection: close\r\n', '');
  expect(statuses(await edge.connect(`${kept}${kept}garbage\r\n\r\n`).closed)).toEqual([200, 200]);
});

test('a refused request with a body leaves its connection to the next one', async () => {
  await edge.serve();
  const head = (path: string, last = ''): string => `POST ${path} HTTP/1.1\r\nHost: ${edge.host}\r\n${last}Content-Length: 100000\r\n\r\n`;
  const body = 'x'.repeat(100_000);
  const received = await edge.connect(head('/admin') + body + head('/x', 'Connection: close\r\n') + body).closed;
  expect(statuses(received)).toEqual([404, 200]);
  expect(edge.ran.map(({ url }) => url)).toEqual(['/x']);
});

test('a body that is broken in the middle is refused', async () => {
  await edge.serve();
  const head = `POST / HTTP/1.1\r\nHost: ${edge.host}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const client = edge.connect(`${head}2\r\nhi\r\nno size\r\n`);
  await eventually(client.received).toContain('"detail"');
  client.socket.end();
  expect(statuses(await client.closed)).toEqual([400]);
  expect(edge.ran).toEqual([]);
});
