import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { ChangeHint } from '@slipway/contract/hint.ts';
import { signInTo } from '../../testing/browser-globals.ts';
import { startServer, type TestServer } from '../../testing/http-server.ts';
import { connection } from './connection.ts';
import { pauseMs, startLive } from './live.ts';

let server: TestServer;
const streams: ServerResponse[] = [];
const stops: (() => void)[] = [];
const patience = { timeout: 60_000, interval: 10 };

beforeAll(async () => {
  server = await startServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': open\n\n');
    streams.push(response);
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  streams.length = 0;
  server.asked.length = 0;
  connection.set({ state: 'connecting' });
  await signInTo(server.origin);
});
afterEach(() => stops.splice(0).forEach((stop) => stop()));

const follow = () => {
  const hints: ChangeHint[] = [];
  const missed = vi.fn();
  stops.push(startLive({ onHint: (hint) => hints.push(hint), onMissed: missed }));
  return { hints, missed };
};
const send = (text: string): void => void streams.at(-1)?.write(text);
const hint = (app: string): string => `data: ${JSON.stringify({ kind: 'app', app })}\n\n`;

test('hints arrive, with the token in the header; nonsense is left out', async () => {
  const { hints, missed } = follow();
  await vi.waitFor(() => expect(connection.get().state).toBe('live'), patience);
  send(`data: nonsense\n\ndata: {"kind":"unheard-of"}\n\n${hint('berth')}`);
  await vi.waitFor(() => expect(hints).toEqual([{ kind: 'app', app: 'berth' }]), patience);
  expect(server.asked[0]).toMatchObject({ path: '/api/v1/events', headers: { authorization: 'Bearer token-1' } });
  expect(missed).not.toHaveBeenCalled();
});

test('after a break it comes back by itself, and says that something may have been missed', async () => {
  const { hints, missed } = follow();
  await vi.waitFor(() => expect(connection.get().state).toBe('live'), patience);
  streams.at(-1)?.destroy();
  await vi.waitFor(() => expect(connection.get().state).toBe('reconnecting'), patience);
  await vi.waitFor(() => expect(connection.get().state).toBe('live'), patience);
  expect(missed).toHaveBeenCalledTimes(1);
  send(hint('crane'));
  await vi.waitFor(() => expect(hints).toHaveLength(1), patience);
});

test('a resync of the server counts as missed', async () => {
  const { missed } = follow();
  await vi.waitFor(() => expect(connection.get().state).toBe('live'), patience);
  send('event: resync\ndata: {}\n\n');
  await vi.waitFor(() => expect(missed).toHaveBeenCalledTimes(1), patience);
});

// Older Node versions have no Web Locks. Every follower then leads, as in a browser without them.
test.runIf(globalThis.navigator?.locks)('a second tab holds no stream of its own, hears every hint, and takes over', async () => {
  const first = follow();
  await vi.waitFor(() => expect(streams).toHaveLength(1), patience);
  const second = follow();
  send(hint('berth'));
  await vi.waitFor(() => expect([first.hints, second.hints].map((hints) => hints.length)).toEqual([1, 1]), patience);
  expect(streams).toHaveLength(1);
  stops.shift()?.();
  await vi.waitFor(() => expect(streams).toHaveLength(2), patience);
  send(hint('crane'));
  await vi.waitFor(() => expect(second.hints).toHaveLength(2), patience);
  expect(first.hints).toHaveLength(1);
});

test('pauses grow to a quarter minute and spread', () => {
  expect([0, 1, 2, 9].map((attempt) => pauseMs(attempt, 0))).toEqual([500, 1000, 2000, 15_000]);
  expect(pauseMs(9, 1)).toBe(18_750);
});
