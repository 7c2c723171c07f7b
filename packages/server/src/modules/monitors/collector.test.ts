/** The collector over HTTP: what it takes, in which encodings, and what it refuses. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import { monitorDelete, monitorKeyRotate, monitorUpdate, type Monitor } from '@slipway/contract/monitoring/monitor.ts';
import { seedApp } from '#testing/fixtures.ts';
import { noteReached } from '#testing/reached.ts';
import { called, failure, monitorWorld, ORIGIN, payloadOf, vital, type MonitorWorld } from './monitors.fixture.ts';

let world: MonitorWorld;
let monitor: Monitor;
let serial = 0;
beforeAll(async () => {
  world = await monitorWorld({ collector: { foldMs: 50, limits: { burst: 50, perSecond: 1, waiting: { perSource: 20, inAll: 40 } } } });
});
afterAll(() => world?.app.close());
beforeEach(async () => {
  monitor = await world.make(`plans-${serial++}`.replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? ''));
});

const events = async (session: string): Promise<{ kind: string; name: string; page: string; message: string }[]> => {
  const { rows } = await world.app.database.pool.query('select * from monitor_event where session_id = $1 order by kind, name', [session]);
  return rows;
};
const refused = async (answer: Response): Promise<[number, string]> => {
  const { errors } = (await answer.json()) as ErrorObject;
  noteReached(errors[0]?.code ?? '');
  return [answer.status, errors[0]?.code ?? ''];
};
const json = (session: string): string => JSON.stringify(payloadOf(session, { measurements: [vital('lcp', 1200)] }));

test('stores a payload before it acknowledges it', async () => {
  const answer = await world.send(
    monitor,
    payloadOf('s-stored', {
      measurements: [vital('lcp', 2900)],
      exceptions: [failure('x is undefined')],
      events: [called('https://api.example.com/v1/plans/8841?user=olga', 900, 500)],
    }),
  );
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([202, ORIGIN]);
  expect(await events('s-stored')).toMatchObject([
    { kind: 'CALL', name: 'api.example.com/v1/plans/:id', status: 500, value: 900 },
    { kind: 'ERROR', message: 'TypeError: x is undefined', page: '/plans/:id/edit' },
    { kind: 'VITAL', name: 'LCP', value: 2900 },
  ]);
});

test('stores neither addresses, nor user agents, nor names of people, nor queries of URLs', async () => {
  await world.send(monitor, payloadOf('s-private', { exceptions: [failure('boom')] }), { headers: { 'user-agent': 'unique-agent' } });
  const { rows } = await world.app.database.pool.query(
    `select (select jsonb_agg(e) from monitor_event e where session_id = 's-private') as events, (select jsonb_agg(s) from monitor_session s where id = 's-private') as sessions`,
  );
  const stored = JSON.stringify(rows);
  expect(stored).toContain('Chrome 156');
  for (const secret of ['olga', '127.0.0.1', 'Mozilla', 'unique', 'token', 'secret']) expect(stored).not.toContain(secret);
});

test.each([
  ['gzip with its header', (body: string) => gzipSync(body), { 'content-encoding': 'gzip' }, ''],
  [
    'gzip in base64 as text with query parameters',
    (body: string) => gzipSync(body).toString('base64'),
    { 'content-type': 'text/plain;charset=UTF-8' },
    'KEY',
  ],
  ['JSON in a beacon as text', (body: string) => body, { 'content-type': 'text/plain;charset=UTF-8' }, 'KEY'],
] as const)('takes %s', async (name, pack, headers, key) => {
  const session = `s-${name.length}`;
  const query = key === '' ? '' : `?app=plans&apiKey=${monitor.apiKey}`;
  expect((await world.send(monitor, pack(json(session)), { headers, query })).status).toBe(202);
  expect(await events(session)).toHaveLength(1);
});

test('answers the preflight of an allowed origin with the headers of the SDK', async () => {
  const answer = await world.send(monitor, undefined, {
    method: 'OPTIONS',
    headers: {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-api-key,x-faro-session-id,idempotency-key',
    },
  });
  expect(answer.status).toBe(204);
  expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  for (const header of ['content-type', 'x-api-key', 'x-faro-session-id', 'idempotency-key', 'content-encoding'])
    expect(answer.headers.get('access-control-allow-headers')).toContain(header);
});

test('refuses other origins, and requests without one', async () => {
  for (const origin of ['https://plans.example.com.evil.test', 'http://plans.example.com', 'null']) {
    const answer = await world.send(monitor, payloadOf('s-origin'), { headers: { origin } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(await refused(answer)).toEqual([403, 'OriginNotAllowed']);
  }
  await world.call('member', monitorUpdate, { params: { monitor: monitor.name }, body: { allowedOrigins: ['https://*.example.com'] } });
  expect((await world.send(monitor, payloadOf('s-origin'), { headers: { origin: 'https://a.b.example.com' } })).status).toBe(202);
  for (const origin of ['https://example.com', 'https://.example.com', 'https://evilexample.com'])
    expect(await refused(await world.send(monitor, payloadOf('s-origin'), { headers: { origin } }))).toEqual([403, 'OriginNotAllowed']);
});

test('requires the API key, and accepts the former one only for its overlap', async () => {
  const send = (key: string) => world.send(monitor, payloadOf('s-key'), { headers: { 'x-api-key': key } });
  expect(await refused(await send('wrong'))).toEqual([401, 'CollectorKeyInvalid']);
  expect(await refused(await world.send(monitor, payloadOf('s-key'), { query: '?app=plans' }))).toEqual([401, 'CollectorKeyInvalid']);
  const params = { monitor: monitor.name };
  const rotated = await world.call<Monitor>('member', monitorKeyRotate, { params, body: {} });
  expect(rotated.apiKey).not.toBe(monitor.apiKey);
  expect([(await send(monitor.apiKey)).status, (await send(rotated.apiKey)).status]).toEqual([202, 202]);
  await world.call('member', monitorKeyRotate, { params, body: { endFormerNow: true } });
  expect(await refused(await send(rotated.apiKey))).toEqual([401, 'CollectorKeyInvalid']);
});

test('refuses unknown monitors, other methods and what is no payload', async () => {
  expect(await refused(await world.send({ ...monitor, appKey: 'a'.repeat(24) }, payloadOf('s')))).toEqual([404, 'MonitorDoesNotExist']);
  expect(await refused(await world.send({ ...monitor, appKey: '..%2f' }, payloadOf('s')))).toEqual([404, 'MonitorDoesNotExist']);
  expect(await refused(await world.send(monitor, undefined, { method: 'GET' }))).toEqual([405, 'MethodNotAllowed']);
  for (const body of ['', '[]', '{"meta":1}', 'no base64!', '{"meta":{}', gzipSync('nothing')])
    expect(await refused(await world.send(monitor, body))).toEqual([400, 'BodyInvalid']);
});

test('refuses bodies that are too large, also after decompression', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
  expect(bomb.length).toBeLessThan(100_000);
  expect(await refused(await world.send(monitor, bomb))).toEqual([413, 'PayloadTooLarge']);
  expect(await refused(await world.send(monitor, bomb.toString('base64')))).toEqual([413, 'PayloadTooLarge']);
  expect(await refused(await world.send(monitor, '{'.padEnd(1024 * 1024 + 1)))).toEqual([413, 'PayloadTooLarge']);
});

test('survives hostile values', async () => {
  const hostile = { toString: 'x', __proto__: { a: 1 }, length: 1e9 };
  const payload = {
    meta: {
      app: 1,
      session: { id: 'h\u0000\ud800'.padEnd(500, 'x') },
      page: { url: 'javascript:alert(1)' },
      browser: [],
      user: hostile,
      view: null,
    },
    measurements: [null, hostile, vital('lcp', -1), vital('lcp', Number.MAX_VALUE), { type: 'web-vitals', values: { cls: '0.3' } }],
    exceptions: [{ type: hostile, value: '\u0000'.repeat(9000), stacktrace: { frames: Array.from({ length: 5000 }, () => hostile) } }],
    events: Array.from({ length: 5000 }, (_, index) => ({ name: `e${index}`, timestamp: '+275760-09-13T00:00:00.000Z' })),
    logs: 'none',
  };
  expect((await world.send(monitor, payload)).status).toBe(202);
  const { rows } = await world.app.database.pool.query<{ n: number }>(
    'select count(*)::integer as n from monitor_event where monitor_id = (select id from monitor where app_key = $1)',
    [monitor.appKey],
  );
  expect(rows[0]?.n).toBe(200);
});

test('stores a payload once that the SDK sends again', async () => {
  const send = () => world.send(monitor, json('s-again'), { headers: { 'idempotency-key': 'abcdefghijklmnopqrst' } });
  expect((await Promise.all([send(), send()])).map(({ status }) => status)).toEqual([202, 202]);
  expect((await send()).status).toBe(202);
  expect(await events('s-again')).toHaveLength(1);
});

test.each([
  ['15 minutes without a payload', `last_at = now() - interval '15 minutes 1 second'`, 'invalid'],
  ['four hours', `started_at = now() - interval '4 hours 1 second'`, 'invalid'],
  ['less', `last_at = now() - interval '14 minutes', started_at = now() - interval '3 hours 59 minutes'`, null],
])('a session after %s', async (name, change, status) => {
  const session = `s-${name.length}-ends`;
  expect((await world.send(monitor, json(session))).headers.get('x-faro-session-status')).toBeNull();
  await world.app.database.pool.query(`update monitor_session set ${change} where id = $1`, [session]);
  const answer = await world.send(monitor, json(session));
  expect([answer.status, answer.headers.get('x-faro-session-status')]).toEqual([202, status]);
  expect(answer.headers.get('access-control-expose-headers')).toContain('x-faro-session-status');
  expect(await events(session)).toHaveLength(2);
});

test('keeps the share of sessions that the monitor samples, whole sessions only', async () => {
  const sampled = await world.make('sampled-plans', { samplePercent: 50 });
  const sessions = Array.from({ length: 20 }, (_, index) => `sample-${index * 7919}`);
  for (const session of sessions) for (let turn = 0; turn < 2; turn++) expect((await world.send(sampled, json(session))).status).toBe(202);
  const counts = await Promise.all(sessions.map(async (session) => (await events(session)).length));
  expect(new Set(counts)).toEqual(new Set([0, 2]));
});

test('asks a flooding app to wait, and takes the payloads of another one', async () => {
  const other = await world.make('calm-plans');
  const answers = await Promise.all(Array.from({ length: 120 }, () => world.send(monitor, json('s-flood'))));
  const waiting = answers.find(({ status }) => status === 429);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 429]));
  expect(Number(waiting?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(waiting?.headers.get('access-control-expose-headers')).toContain('retry-after');
  expect(waiting && (await refused(waiting))).toEqual([429, 'TooManyRequests']);
  expect(answers.filter(({ status }) => status === 202).length).toBeLessThanOrEqual(60);
  for (let turn = 0; turn < 5; turn++) expect((await world.send(other, json('s-calm'))).status).toBe(202);
  expect(await events('s-flood')).toHaveLength(answers.filter(({ status }) => status === 202).length);
});

test('a deleted monitor takes nothing, and its data is deleted', async () => {
  await world.send(monitor, json('s-deleted'));
  expect(await events('s-deleted')).toHaveLength(1);
  await world.call('member', monitorDelete, { params: { monitor: monitor.name } });
  expect((await world.send(monitor, json('s-deleted'))).status).toBe(404);
  await world.until(async () => expect(await events('s-deleted')).toEqual([]));
});

test('deleting an app deletes what its monitors collected', async () => {
  const { pool } = world.app.database;
  await world.send(monitor, json('s-app-gone'));
  expect(await events('s-app-gone')).toHaveLength(1);
  await seedApp(world.app.database.db, { id: 'drydock' });
  await pool.query(`update monitor set app_id = 'drydock' where app_key = $1`, [monitor.appKey]);
  await pool.query(`delete from app where id = 'drydock'`);
  await world.until(async () => expect(await events('s-app-gone')).toEqual([]));
});
