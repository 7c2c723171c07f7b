/** The forwarder's queues: what it gives up, what it counts, and what it no longer sends. */
import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Forwarder, type ForwarderOptions } from './forwarder.ts';
import type { KnownMonitor } from './known-monitors.ts';
import { readPayload } from './payload.ts';
import { payloadOf, vital } from './monitors.fixture.ts';

const URL_A = 'https://a.example';
/** URL of each monitor as the database has it. */
let current: Map<string, string | null>;
let dropped: Map<string, number>;
let sent: string[];
let status: number;
let forwarder: Forwarder | undefined;
beforeEach(() => {
  vi.useFakeTimers();
  [current, dropped, sent, status] = [new Map(), new Map(), [], 200];
});
afterEach(() => {
  forwarder?.stop();
  vi.useRealTimers();
});
const monitorOf = (id: string): KnownMonitor => ({
  id,
  name: id,
  apiKey: 'k',
  formerKey: null,
  formerUntil: null,
  origins: ['*'],
  samplePercent: 100,
  retentionDays: 7,
  salt: 's',
  forwardUrl: URL_A,
});
const make = (limits: ForwarderOptions['limits'] = {}): Forwarder => {
  const query = async (text: string, [id, url, count]: [string, string, number]) => {
    if (text.startsWith('select')) return { rows: [current.get(id) ?? []].flat().map((to) => ({ url: to, sealed: null })) };
    if (text.includes('forward_dropped') && current.get(id) === url) dropped.set(id, (dropped.get(id) ?? 0) + count);
    return { rows: [] };
  };
  const send = async ({ url }: { url: URL }) => {
    sent.push(url.host);
    return { answer: { status } };
  };
  const log = { warn: (of: { err: unknown }) => expect.unreachable(String(of.err)) };
  return (forwarder = new Forwarder({
    pool: { query } as unknown as Pool,
    outgoing: { send },
    seals: {},
    log,
    limits,
  } as unknown as ForwarderOptions));
};
const add = (id: string): void => {
  const monitor = monitorOf(id);
  if (!current.has(id)) current.set(id, URL_A);
  const body = payloadOf('s', { measurements: [vital('lcp', 900)] });
  const payload = readPayload(body, monitor, new Date());
  if (payload) forwarder?.add(monitor, payload, body);
};

test.each([
  ['removed', null],
  ['replaced', 'https://b.example'],
])('stops sending to a URL that was %s', async (_how, url) => {
  make();
  status = 503;
  add('m');
  await vi.advanceTimersByTimeAsync(1000);
  expect(sent).toEqual(['a.example']);
  current.set('m', url);
  await vi.advanceTimersByTimeAsync(200_000);
  expect(sent).toEqual(['a.example']);
  current.set('m', URL_A);
  status = 200;
  add('m');
  await vi.advanceTimersByTimeAsync(1000);
  expect(sent).toHaveLength(2);
});

test('counts the payloads of monitors beyond the last queue', async () => {
  make({ monitors: 1 });
  add('first');
  for (let turn = 0; turn < 3; turn++) add('second');
  add('third');
  await vi.advanceTimersByTimeAsync(1000);
  expect(sent).toHaveLength(1);
  expect([...dropped]).toEqual([
    ['second', 3],
    ['third', 1],
  ]);
});

test('all queues together have a limit, also while payloads are being tried again', async () => {
  make({ bytes: 3000 });
  status = 503;
  for (let turn = 0; turn < 20; turn++) add('large');
  add('late');
  await vi.advanceTimersByTimeAsync(1000);
  const [large = 0, late] = [dropped.get('large'), dropped.get('late')];
  expect([large > 10, late]).toEqual([true, 1]);
  // Nothing stays counted after everything was given up.
  await vi.advanceTimersByTimeAsync(200_000);
  expect(dropped.get('large')).toBe(20);
  status = 200;
  const before = sent.length;
  add('late');
  await vi.advanceTimersByTimeAsync(2000);
  expect([sent.length - before, dropped.get('late')]).toEqual([1, 1]);
});
