import { expect, test } from 'vitest';
import { RestartBackoff } from './restart-backoff.ts';
import { TIMINGS } from '../timings.ts';

test('first at once, then 10 s and twice as long each time up to five minutes; a long run starts over', () => {
  const backoff = new RestartBackoff(TIMINGS);
  expect(Array.from({ length: 8 }, () => backoff.next(100))).toEqual([1000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  expect(backoff.next(599_000)).toBe(300_000);
  expect([backoff.next(600_000), backoff.next(0)]).toEqual([1000, 10_000]);
});
