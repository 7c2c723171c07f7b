/** Cookies that one service sets for others, or that belong to the platform. */
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AttackedEdge } from './edge.fixture.ts';

let edge: AttackedEdge;
beforeEach(async () => {
  edge = await AttackedEdge.open();
});
afterEach(async () => edge.close());

/** Returns those cookies that the browser gets when it calls `host`. */
const set = async (cookies: readonly string[], host = edge.host): Promise<string[]> => {
  await edge.serve((_request, response) => response.writeHead(200, { 'set-cookie': [...cookies, 'last=1'] }).end(), {
    domain: 'shop.example.com',
  });
  return setIn(await edge.say('GET / HTTP/1.1', `Host: ${host}`, 'Connection: close', '', ''));
};
const setIn = (received: string): string[] => [...received.matchAll(/^set-cookie: (.*)\r$/gim)].map(([, cookie = '']) => cookie);

const own = 'shop.shop.development.localhost';

test.each([
  'a=1; Domain=development.localhost',
  'a=1; Domain=.development.localhost',
  'a=1; Path=/; DOMAIN = Development.Localhost ; Secure',
  'a=1; Domain="development.localhost"',
  'a=1;domain=shop.development.localhost',
  'a=1; Domain=localhost',
  'a=1; Domain=other.other.development.localhost',
  `a=1; Domain=development.localhost; Domain=${own}`,
  `a=1; Domain=${own}; Domain=development.localhost`,
  'a=1; Domain=development.localhost; Domain=',
  'a=1; Domain=..development.localhost',
  '=a; Domain=development.localhost',
  'a=1;\tDomain\t=\tdevelopment.localhost',
])('%s reaches no browser', async (cookie) => expect(await set([cookie])).toEqual(['last=1']));

test.each(['a=1; Domain=example.com', 'a=1; Domain=com', `a=1; Domain=${own}`])('nor does %s at a domain of the service', async (cookie) =>
  expect(await set([cookie], 'Shop.Example.com:80')).toEqual(['last=1']),
);

test.each([
  'a=1',
  'a=1; Path=/; HttpOnly; SameSite=Lax',
  `a=1; Domain=${own}`,
  `a=1; Domain=.${own.toUpperCase()}`,
  'a=1; Domain=',
  'a=1; Domain',
  'domain=development.localhost; Path=/',
  'a="x=y, z"; Expires=Wed, 21 Oct 2037 07:28:00 GMT',
  'slipwayish=1',
  '__Host-a=1; Secure; Path=/',
  '__Secure-a=1; Secure; Path=/x',
])('%s passes as it is', async (cookie) => expect(await set([cookie])).toEqual([cookie, 'last=1']));

test.each([
  'slipway_1a2b3c4d_session=stolen; Path=/oidc/',
  'slipway_1a2b3c4d_session.sig=stolen',
  'SLIPWAY_x=1',
  ' slipway_x=1',
  '=slipway_1a2b3c4d_session=stolen',
  'slipway_x',
  '__Host-slipway_x=1; Secure; Path=/',
  '__secure-slipway_x=1; Secure',
])('a cookie of the platform is set by no service: %s', async (cookie) => expect(await set([cookie])).toEqual(['last=1']));

test.each([
  '__Host-a=1; Path=/',
  '__Host-a=1; Secure',
  '__Host-a=1; Secure; Path=/x',
  '__Host-a=1; Secure; Path=/; Path=/x',
  `__host-a=1; Secure; Path=/; Domain=${own}`,
  '__Secure-a=1; Path=/',
  '=__Host-a=1; Path=/x',
  ';a=1',
])('a name that promises more than the cookie keeps is not passed on: %s', async (cookie) =>
  expect(await set([cookie])).toEqual(['last=1']),
);

describe('also not', () => {
  const cookie = 'Set-Cookie: a=1; Domain=development.localhost';
  const ask = 'GET / HTTP/1.1';
  test('in early hints', async () => {
    await edge.serveBytes((socket) =>
      socket.end(`HTTP/1.1 103 Early Hints\r\n${cookie}\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`),
    );
    const received = await edge.say(ask, `Host: ${edge.host}`, 'Connection: close', '', '');
    expect(received).toContain('HTTP/1.1 103');
    expect(setIn(received)).toEqual([]);
  });

  test('in trailers', async () => {
    await edge.serveBytes((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${cookie}\r\nX-End: 1\r\n\r\n`),
    );
    const received = await edge.say(ask, `Host: ${edge.host}`, 'Connection: close', '', '');
    expect(received).toContain('X-End: 1');
    expect(setIn(received)).toEqual([]);
  });

  test.each(['101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket', '403 Forbidden\r\nContent-Length: 0'])(
    'in the answer to an upgrade: %s',
    async (answer) => {
      await edge.serveBytes((socket) => socket.end(`HTTP/1.1 ${answer}\r\n${cookie}\r\nSet-Cookie: b=1\r\n\r\n`));
      const received = await edge.say(ask, `Host: ${edge.host}`, 'Connection: Upgrade', 'Upgrade: websocket', '', '');
      expect(setIn(received)).toEqual(['b=1']);
    },
  );
});

test.each([
  ['"cookies"', undefined],
  ['"cookies", "storage"', '"storage"'],
  ['"cache", "Cookies"', '"cache"'],
  ['"*"', '"cache", "storage", "executionContexts"'],
  ['"storage"', '"storage"'],
])('Clear-Site-Data %s, which clears those of its neighbours, passes as %s', async (value, passed) => {
  await edge.serve((_request, response) => response.writeHead(200, { 'clear-site-data': value }).end());
  const received = await edge.say('GET / HTTP/1.1', `Host: ${edge.host}`, 'Connection: close', '', '');
  expect(/^clear-site-data: (.*)\r$/im.exec(received)?.[1]).toBe(passed);
});

describe("the platform's cookies go to no instance", () => {
  test.each([
    ['a=1; slipway_1a2b3c4d_session=s; b=2', 'a=1; b=2'],
    ['slipway_1a2b3c4d_session=s; slipway_1a2b3c4d_session.sig=t', undefined],
    ['slipway_x=1;a=1', 'a=1'],
    ['a=1;Slipway_x=2;__Host-slipway_y=3', 'a=1'],
    ['a=slipway_x', 'a=slipway_x'],
    ['my_slipway_x=1', 'my_slipway_x=1'],
  ])('%s arrives as %s', async (sent, arrived) => {
    await edge.serve();
    const ran = await edge.pass('GET / HTTP/1.1', [`Cookie: ${sent}`]);
    expect(ran?.headers.cookie).toBe(arrived);
  });

  test('nor with an upgrade', async () => {
    let headers: IncomingMessage['headers'] = {};
    await edge.serve((request, response) => {
      ({ headers } = request);
      response.writeHead(400).end();
    });
    await edge.say('GET / HTTP/1.1', `Host: ${edge.host}`, 'Connection: Upgrade', 'Upgrade: websocket', 'Cookie: slipway_x=1; a=1', '', '');
    expect(headers).toMatchObject({ upgrade: 'websocket', cookie: 'a=1' });
  });
});
