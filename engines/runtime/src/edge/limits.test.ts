/** Bodies that trickle, and clients that never stop sending. */
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { isTooSlow, LINGER_MS } from './limits.ts';
import { throwAway } from './problem.ts';

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  [0, 29_000, false],
  [0, 31_000, true],
  [2000, 31_000, true],
  [4000, 31_000, false],
  [1e9, 600_000, false],
])('%i bytes in %i ms are too slow: %s', (bytes, ms, isSlow) => expect(isTooSlow(bytes, ms)).toBe(isSlow));

test('what comes after an early answer is thrown away for a while, and then the connection ends', () => {
  vi.useFakeTimers();
  const socket = new Socket();
  throwAway(new IncomingMessage(socket));
  vi.advanceTimersByTime(LINGER_MS - 1);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(socket.destroyed).toBe(true);
});

test('a request that is complete leaves its connection to the next one', () => {
  vi.useFakeTimers();
  const socket = new Socket();
  const request = new IncomingMessage(socket);
  request.complete = true;
  throwAway(request);
  expect(vi.getTimerCount()).toBe(0);
});
