/** Requests that carry a second one for the instance, past every rule of the edge. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AttackedEdge, eventually, statuses } from './edge.fixture.ts';

let edge: AttackedEdge;
beforeEach(async () => {
  edge = await AttackedEdge.open();
});
afterEach(async () => edge.close());

const smuggled = (host: string): string =>
  [
    `POST /admin/smuggled HTTP/1.1`,
    `Host: ${host}`,
    'X-Forwarded-User: root',
    'X-Slipway-Claims: forged',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');

/** All that the instance ran, once the edge has answered the attack and a harmless request after it. */
const paths = async (attack: string): Promise<string[]> => {
  await edge.serve();
  const { socket, received } = edge.connect(attack);
  await eventually(received).toContain('\r\n\r\n');
  socket.destroy();
  await edge.pass('GET /after HTTP/1.1');
  return edge.ran.map(({ url }) => url);
};

const methods = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'POST', 'PUT', 'PROPFIND'];
const connections = [
  ['content-length', ['Connection: content-length']],
  ['transfer-encoding', ['Connection: transfer-encoding']],
  ['both', ['Connection: content-length, transfer-encoding']],
  ['upper case', ['CONNECTION: CONTENT-LENGTH, TRANSFER-ENCODING']],
  ['odd spaces', ['Connection:\t keep-alive ,\tContent-Length\t, Transfer-Encoding ']],
  ['repeated', ['Connection: keep-alive', 'Connection: content-length', 'Connection: transfer-encoding']],
  ['with keep-alive', ['Connection: keep-alive, content-length, transfer-encoding']],
  ['with close', ['Connection: close, content-length, transfer-encoding']],
  ['with TE', ['Connection: TE, content-length, transfer-encoding', 'TE: trailers']],
  ['folded', ['Connection: keep-alive,', ' content-length, transfer-encoding']],
  ['none', []],
] as const;

describe.each(methods)('%s', (method) => {
  test.each(connections)('hides no second request in a body of known length: Connection %s', async (_name, lines) => {
    const inner = smuggled(edge.host);
    const head = [`${method} /first HTTP/1.1`, `Host: ${edge.host}`, ...lines, `Content-Length: ${inner.length}`, '', ''];
    expect(await paths(head.join('\r\n') + inner)).not.toContain('/admin/smuggled');
  });

  test.each(connections)('nor in chunks: Connection %s', async (_name, lines) => {
    const inner = smuggled(edge.host);
    const chunks = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
    const head = [`${method} /first HTTP/1.1`, `Host: ${edge.host}`, ...lines, 'Transfer-Encoding: chunked', '', ''];
    expect(await paths(head.join('\r\n') + chunks)).not.toContain('/admin/smuggled');
  });
});

test.each(methods)('%s: a body reaches the instance whole, however it was framed', async (method) => {
  await edge.serve();
  const known = await edge.pass(`${method} /x HTTP/1.1`, ['Content-Length: 5'], 'hello');
  expect(known).toMatchObject({ method, body: 'hello', headers: { 'content-length': '5' } });
  expect(known?.headers).not.toHaveProperty('transfer-encoding');
  const chunked = await edge.pass(`${method} /x HTTP/1.1`, ['Transfer-Encoding: Chunked'], '2\r\nhe\r\n3;ext=1\r\nllo\r\n0\r\n\r\n');
  expect(chunked).toMatchObject({ method, body: 'hello', headers: { 'transfer-encoding': 'chunked' } });
  expect(chunked?.headers).not.toHaveProperty('content-length');
});

test.each(['GET', 'HEAD', 'DELETE', 'OPTIONS'])('%s with a body leaves no connection to the instance to others', async (method) => {
  const answered: string[] = [];
  await edge.serveBytes((socket, received) => {
    if (!received.endsWith('hello') && !received.includes('GET /after')) return;
    answered.push(received);
    socket.write('HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n');
  });
  await edge.pass(`${method} /x HTTP/1.1`, ['Content-Length: 5'], 'hello');
  await edge.pass('GET /after HTTP/1.1');
  // On the same connection, to a server that expects no body there, it would come after a request called `hello`.
  expect(answered.map((received) => received.split(' HTTP')[0])).toEqual([`${method} /x`, 'GET /after']);
});

describe('a Connection header may not name what the edge goes by or says', () => {
  test.each([
    'Content-Length',
    'transfer-encoding',
    'host',
    'Host',
    'Authorization',
    'Cookie',
    'Expect',
    'Cache-Control',
    'X-Forwarded-For',
    'X-Forwarded-User',
    'x_forwarded_user',
    'X-Real-IP',
    'Forwarded',
    'X-Slipway-Claims',
    'keep-alive, x-slipway-anything',
  ])('%s', async (name) => {
    await edge.serve();
    const answer = await edge.say('GET /x HTTP/1.1', `Host: ${edge.host}`, `Connection: close, ${name}`, '', '');
    expect(statuses(answer)).toEqual([400]);
    expect(answer).toContain('application/problem+json');
    expect(answer).toContain('Connection header');
    expect(edge.ran).toEqual([]);
  });

  test('other names are for this connection alone, and go no further', async () => {
    await edge.serve();
    const ran = await edge.pass('GET /x HTTP/1.1', ['Connection: X-Hop, TE', 'X-Hop: 1', 'X-Kept: 1', 'TE: trailers, deflate;q=0.5']);
    expect(ran?.headers).toMatchObject({ 'x-kept': '1', te: 'trailers' });
    expect(ran?.headers).not.toHaveProperty('x-hop');
  });

  test('nor on a request that asks for an upgrade', async () => {
    await edge.serve();
    const lines = ['Connection: Upgrade, host, x-forwarded-for', 'Upgrade: websocket'];
    expect(statuses(await edge.say('GET /x HTTP/1.1', `Host: ${edge.host}`, ...lines, '', ''))).toEqual([400]);
    expect(edge.ran).toEqual([]);
  });
});

describe('framing that can be read in two ways is refused', () => {
  test.each([
    ['two lengths', 400, ['Content-Length: 5', 'Content-Length: 6']],
    ['a list of lengths', 400, ['Content-Length: 5, 5']],
    ['a signed length', 400, ['Content-Length: +5']],
    ['length and chunks', 400, ['Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['another coding before chunks', 501, ['Transfer-Encoding: gzip, chunked']],
    ['chunks twice', 400, ['Transfer-Encoding: chunked, chunked']],
    ['chunks that are not last', 400, ['Transfer-Encoding: chunked, identity']],
    ['another coding alone', 501, ['Transfer-Encoding: xchunked']],
    ['space before the colon', 400, ['Content-Length : 5']],
    ['two hosts', 400, ['Host: other.localhost']],
    ['a bare line feed', 400, ['X-A: b\nContent-Length: 5']],
  ])('%s', async (_name, status, headers) => {
    await edge.serve();
    const answer = await edge.say('POST /x HTTP/1.1', `Host: ${edge.host}`, ...headers, 'Connection: close', '', '0\r\n\r\nhello');
    expect(statuses(answer)).toEqual([status]);
    expect(answer).toContain('"detail"');
    expect(edge.ran).toEqual([]);
  });

  test('chunks of an HTTP/1.0 client', async () => {
    await edge.serve();
    const answer = await edge.say('POST /x HTTP/1.0', `Host: ${edge.host}`, 'Transfer-Encoding: chunked', '', '0\r\n\r\n');
    expect(statuses(answer)).toEqual([400]);
    expect(edge.ran).toEqual([]);
  });

  test('names that servers with environment variables take for framing go no further', async () => {
    await edge.serve();
    const ran = await edge.pass('POST /x HTTP/1.1', ['Content-Length: 5', 'Content_Length: 0', 'Transfer_Encoding: chunked'], 'hello');
    expect(Object.keys(ran?.headers ?? {}).filter((name) => name.includes('_'))).toEqual([]);
  });

  test('a header is not hidden behind a thousand others', async () => {
    await edge.serve();
    const many = Array.from({ length: 1500 }, () => 'a:');
    const ran = await edge.pass('POST /x HTTP/1.1', [...many, 'X-Last: 1', 'Content-Length: 5'], 'hello');
    expect(ran).toMatchObject({ body: 'hello', headers: { 'x-last': '1' } });
  });
});

describe('an upgrade', () => {
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
  test.each([
    ['a length', (inner: string) => [`Content-Length: ${inner.length}`, '', inner]],
    ['chunks', (inner: string) => ['Transfer-Encoding: chunked', '', `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`]],
  ])('with a body of %s hides no second request', async (_name, framed) => {
    const attack = ['GET /first HTTP/1.1', `Host: ${edge.host}`, ...upgrade, ...framed(smuggled(edge.host))].join('\r\n');
    expect(await paths(attack)).toEqual(['/first', '/after']);
    expect(edge.ran[0]?.headers).not.toHaveProperty('upgrade');
  });

  test.each(['h2c', 'H2C', 'websocket, h2c', 'h2', 'HTTP/2.0', 'TLS/1.0'])(
    'to %s, in which further requests would pass unseen, is not made',
    async (protocol) => {
      await edge.serve();
      const ran = await edge.pass('GET /x HTTP/1.1', ['Connection: Upgrade', `Upgrade: ${protocol}`]);
      expect(ran?.url).toBe('/x');
      expect(ran?.headers).not.toHaveProperty('upgrade');
    },
  );

  test('does not overtake the answer to a request before it', async () => {
    const held: (() => void)[] = [];
    await edge.serve((request, response) =>
      request.url === '/held' ? void held.push(() => response.end('held')) : void response.end('x'),
    );
    const first = `GET /held HTTP/1.1\r\nHost: ${edge.host}\r\n\r\n`;
    const client = edge.connect(`${first}GET /ws HTTP/1.1\r\nHost: ${edge.host}\r\n${upgrade.join('\r\n')}\r\n\r\n`);
    expect(statuses(await client.closed)).toEqual([]);
  });
});

test('requests of one connection run one after another, and only so many wait', async () => {
  const order: string[] = [];
  await edge.serve((request, response) => {
    order.push(`begin ${request.url}`);
    setImmediate(() => {
      order.push(`end ${request.url}`);
      response.end();
    });
  });
  const line = (path: string, last = ''): string => `GET ${path} HTTP/1.1\r\nHost: ${edge.host}\r\n${last}\r\n`;
  await edge.say(line('/1') + line('/2') + line('/3', 'Connection: close\r\n'));
  expect(order).toEqual(['begin /1', 'end /1', 'begin /2', 'end /2', 'begin /3', 'end /3']);
  const flood = Array.from({ length: 500 }, (_, index) => line(`/flood-${index}`)).join('');
  await edge.say(flood);
  expect(order.filter((entry) => entry.startsWith('begin')).length).toBeLessThan(10);
});

test('no byte in a request ends the edge, or comes out of it as the start of another one', async () => {
  await edge.serve();
  for (const place of ['method', 'path', 'name', 'value', 'size', 'extension', 'field', 'end'] as const) {
    const codes = Array.from({ length: 256 }, (_, code) => code);
    const odd = (where: string, usual: string, code: number): string => (where === place ? `a${String.fromCharCode(code)}b` : usual);
    const answers = codes.map((code) => {
      const head = `${odd('method', 'POST', code)} /${odd('path', 'x', code)} HTTP/1.1\r\nHost: ${edge.host}\r\nConnection: close\r\n`;
      const header = `${odd('name', 'X-A', code)}: ${odd('value', 'b', code)}\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const trailer = `${odd('field', 'X-B', code)}: ${odd('end', 'c', code)}\r\n\r\n`;
      const body = `${odd('size', '2', code)};${odd('extension', 'e', code)}\r\nhi\r\n0\r\n${trailer}`;
      // So that a body which the edge takes for longer has an end, too.
      return edge.connect(head + header + body + 'x'.repeat(4000)).closed;
    });
    await Promise.all(answers);
  }
  expect(edge.ran.length).toBeGreaterThan(500);
  expect(edge.ran.every(({ method, body }) => method === 'POST' && body === 'hi')).toBe(true);
  expect(await edge.pass('GET /after HTTP/1.1')).toMatchObject({ url: '/after' });
});
