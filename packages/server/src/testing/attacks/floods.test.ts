// @long: waits for limits, or starts programs
/** Clients that want more than their share: bodies that never end, connections and requests by the hundred, streams and tokens without end. */
import { once } from 'node:events';
import type net from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import { ApiTokenCreate, meTokenCreate, meTokenDelete, meTokenList, meView, type ApiToken } from '@slipway/contract/identity.ts';
import { monitorCreate, type Monitor } from '@slipway/contract/monitoring/monitor.ts';
import { eventStream } from '@slipway/contract/platform.ts';
import { runIdentity, type Running } from '@slipway/identity/identity.fixture.ts';
import { floodLimits, MAX_API_TOKENS } from '#kernel/http/flood-limits.ts';
import { testApp, type TestApp } from '../app.ts';
import { testDatabase, type TestDatabase } from '../database.ts';
import { seedApp } from '../fixtures.ts';
import { closed, codesIn, connect, firstAnswer, head } from '../raw-http.ts';

const sockets: net.Socket[] = [];
const opened = (socket: net.Socket): net.Socket => {
  sockets.push(socket);
  return socket;
};
afterAll(() => sockets.forEach((socket) => socket.destroy()));

describe('a body that trickles', () => {
  let app: TestApp;
  let identity: Running;
  let database: TestDatabase;
  let bearer = '';
  let basic = '';
  beforeAll(async () => {
    database = await testDatabase();
    identity = await runIdentity(database);
    app = await testApp({
      isWorker: false,
      limits: { ...floodLimits, bodyMs: 300, longBody: { bytes: 1024, periodMs: 300 }, lingerMs: 300 },
      adapt: (adapters) => ({ ...adapters, mounts: [...adapters.mounts, identity.identity.mount] }),
    });
    await seedApp(app.database.db, { id: 'berth' });
    const commit = { message: 'First', author: 'Olga', email: 'olga@example.test' };
    await app.adapters.source.createRepository({ owner: 'berth', name: 'berth' }, [], commit);
    const token = await app.apiToken('owner', ['read', 'write', 'git', 'registry']);
    bearer = `Bearer ${token}`;
    basic = `Basic ${Buffer.from(`x:${token}`).toString('base64')}`;
  });
  afterAll(async () => {
    await app?.close();
    await identity?.close();
    await database?.drop();
  });

  const form = 'application/x-www-form-urlencoded';
  const push = 'application/x-git-receive-pack-request';
  test.each([
    ['to the API without a token', 'POST /api/v1/me/tokens', 'application/json', () => ({})],
    ['to the API', 'POST /api/v1/me/tokens', 'application/json', () => ({ authorization: bearer })],
    ['to a route without a body', 'GET /healthz', 'application/json', () => ({})],
    ['to sign-in', 'POST /oidc/slipway/token', form, () => ({})],
    ['to an address of sign-in that is none', 'POST /oidc/slipway/none', form, () => ({})],
    ['to the registry without a token', 'PATCH /v2/berth/berth/blobs/uploads/x', 'application/octet-stream', () => ({})],
    ['to the registry', 'POST /v2/berth/berth/blobs/uploads/', 'application/octet-stream', () => ({ authorization: basic })],
    ["to the registry's tokens", 'POST /v2/token', form, () => ({})],
    ['to git without a token', 'POST /git/berth/berth.git/git-receive-pack', push, () => ({})],
    ['to git', 'POST /git/berth/berth.git/git-receive-pack', push, () => ({ authorization: basic })],
    ['to an address that is none', 'POST /nowhere', 'text/plain', () => ({})],
  ] as const)(
    '%s loses its connection',
    async (_name, line, type, more) => {
      const framings: readonly Record<string, string>[] = [{ 'content-length': '100000' }, { 'transfer-encoding': 'chunked' }];
      for (const framing of framings) {
        const socket = opened(connect(app.url, head(app.url, line, { 'content-type': type, ...more(), ...framing }))).resume();
        const drip = setInterval(() => socket.write('transfer-encoding' in framing ? '1\r\n0\r\n' : '0'), 50);
        await closed(socket);
        clearInterval(drip);
      }
    },
    20_000,
  );
});

test('a client that asks and does not read loses its connection', async () => {
  // More than lies in any buffer between here and there.
  const large = Buffer.alloc(64 * 1024 * 1024);
  const app = await testApp({
    isWorker: false,
    limits: { ...floodLimits, silentMs: 500 },
    adapt: (adapters) => ({ ...adapters, mounts: [{ prefixes: ['/large/'], handle: (_, response) => void response.end(large) }] }),
  });
  const socket = opened(connect(app.url, head(app.url, 'GET /large/')));
  socket.pause();
  const open = () => new Promise<number>((done) => app.app.server.server.getConnections((_, count) => done(count)));
  await vi.waitFor(async () => expect(await open()).toBe(1), 60_000);
  await vi.waitFor(async () => expect(await open()).toBe(0), 60_000);
  socket.destroy();
  await app.close();
});

test('a misdirected request does not get around it', async () => {
  const app = await testApp({ isWorker: false, limits: { ...floodLimits, lingerMs: 300 } });
  const socket = opened(connect(app.url, 'POST / HTTP/1.1\r\nhost: elsewhere\r\ncontent-length: 100000\r\n\r\n')).resume();
  const drip = setInterval(() => socket.write('0'), 50);
  await closed(socket);
  clearInterval(drip);
  await app.close();
});

describe('one client', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({
      isWorker: false,
      limits: {
        ...floodLimits,
        connections: { byAddress: 12, inAll: 18 },
        requests: { byAddress: 4, inAll: 6 },
        payloads: { byAddress: 8, inAll: 8 },
        streams: { byPerson: 2, inAll: 3 },
      },
    });
  });
  afterAll(() => app?.close());

  /** A request at work: its body is not there yet. */
  const hold = async (from: string): Promise<net.Socket> => {
    const authorization = `Bearer ${await app.signIn.token('owner')}`;
    const headers = { authorization, 'content-type': 'application/json', 'content-length': '100', expect: '100-continue' };
    const socket = opened(connect(app.url, head(app.url, 'POST /api/v1/me/tokens', headers), from));
    // The server has taken the request once it asks for its body.
    expect((await firstAnswer(socket)).status).toBe(100);
    return socket;
  };
  const health = async (from: string) => {
    const socket = opened(connect(app.url, head(app.url, 'GET /healthz', { connection: 'close' }), from));
    const answer = await firstAnswer(socket);
    return { ...answer, socket };
  };

  test('with too many requests at work learns when to come back; others are served until all have too many', async () => {
    const held = await Promise.all(['1', '1', '1', '1'].map((last) => hold(`127.0.0.${last}`)));
    const refused = await health('127.0.0.1');
    expect([refused.status, codesIn(refused)]).toEqual([429, ['TooManyRequests']]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await health('127.0.0.2')).status).toBe(200);
    held.push(await hold('127.0.0.2'), await hold('127.0.0.3'));
    expect((await health('127.0.0.4')).status).toBe(429);
    // Raw mounts are behind the same gate.
    const raw = opened(connect(app.url, head(app.url, 'GET /v2/', { connection: 'close' }), '127.0.0.4'));
    expect((await firstAnswer(raw)).status).toBe(429);
    for (const socket of held) socket.destroy();
    await vi.waitFor(async () => expect((await health('127.0.0.1')).status).toBe(200), 60_000);
  });

  test('with too many connections gets no more; others do until all have too many', async () => {
    const open = async (from: string): Promise<boolean> => {
      const socket = opened(connect(app.url, head(app.url, 'GET /healthz'), from));
      return Promise.race([once(socket, 'data').then(() => true), closed(socket).then(() => false)]);
    };
    // Those of the test before may still be closing.
    await vi.waitFor(async () =>
      expect(await new Promise<number>((done) => app.app.server.server.getConnections((_, n) => done(n)))).toBe(0),
    );
    const mine: boolean[] = [];
    for (let count = 0; count < 14; count += 1) mine.push(await open('127.0.0.1'));
    expect(mine.filter(Boolean)).toHaveLength(12);
    const others: boolean[] = [];
    for (let count = 0; count < 8; count += 1) others.push(await open(`127.0.0.${count + 2}`));
    expect(others.filter(Boolean)).toHaveLength(6);
    for (const socket of sockets.splice(0)) socket.destroy();
    await vi.waitFor(async () => expect(await open('127.0.0.1')).toBe(true), 60_000);
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  test('may hold some event streams, and no more; they are no requests at work', async () => {
    const stream = async (actor: 'owner' | 'member' | 'stranger') => {
      const authorization = `Bearer ${await app.signIn.token(actor)}`;
      const socket = opened(connect(app.url, head(app.url, 'GET /api/v1/events', { authorization })));
      return { socket, answer: await firstAnswer(socket) };
    };
    const mine = [await stream('owner'), await stream('owner')];
    expect(mine.map(({ answer }) => answer.status)).toEqual([200, 200]);
    const refused = await app.call('owner', eventStream);
    expect([refused.status, (refused.body as ErrorObject).errors[0]]).toMatchObject([
      429,
      { code: 'TooManyStreams', context: { max: '2' } },
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await stream('member')).answer.status).toBe(200);
    expect((await stream('stranger')).answer.status).toBe(429);
    mine[0]?.socket.destroy();
    await vi.waitFor(async () => expect((await stream('owner')).answer.status).toBe(200), 60_000);
    expect((await app.call('owner', meView)).status).toBe(200);
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  test('with payloads at work in all places of the collector keeps nobody out of the rest', async () => {
    await seedApp(app.database.db, { id: 'flooded' });
    const made = await app.call('member', monitorCreate, {
      params: { app: 'flooded', env: 'development' },
      body: { name: 'web', allowedOrigins: ['*'] },
    });
    const { appKey, apiKey } = made.body as Monitor;
    const payload = async (expected: object) => {
      const headers = { 'x-api-key': apiKey, 'content-length': '100', ...expected };
      const socket = opened(connect(app.url, head(app.url, `POST /collect/${appKey}`, headers), '127.0.0.5'));
      return { socket, answer: await firstAnswer(socket) };
    };
    const held = await Promise.all(Array.from({ length: 8 }, () => payload({ expect: '100-continue' })));
    expect(held.map(({ answer }) => answer.status)).toEqual(Array.from({ length: 8 }, () => 100));
    const refused = await payload({});
    expect(refused.answer.status).toBe(429);
    expect((await health('127.0.0.5')).status).toBe(200);
    for (const { socket } of [...held, refused]) socket.destroy();
  });
});

test('a person may have some API tokens, however many are asked for at once', async () => {
  const app = await testApp({ isWorker: false });
  const body = ApiTokenCreate.parse({ name: 'again', scopes: ['read'] });
  const make = () => app.call('owner', meTokenCreate, { body });
  const made = await Promise.all(Array.from({ length: MAX_API_TOKENS + 10 }, make));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(MAX_API_TOKENS);
  const refused = await make();
  expect([refused.status, (refused.body as ErrorObject).errors[0]?.code]).toEqual([409, 'TooManyApiTokens']);
  expect((await app.call('member', meTokenCreate, { body })).status).toBe(201);
  const [first] = (await app.call('owner', meTokenList)).body as ApiToken[];
  await app.call('owner', meTokenDelete, { params: { tokenId: first?.id ?? '' } });
  expect((await make()).status).toBe(201);
  await app.close();
});
