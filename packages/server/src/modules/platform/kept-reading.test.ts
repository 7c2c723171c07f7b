/** A reading that is kept: how often it runs, and how old its result is. */
import { afterEach, expect, test, vi } from 'vitest';
import { keptReading } from './kept-reading.ts';

afterEach(() => void vi.useRealTimers());

test('reads once for all callers of the time, and says how old the result is', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let count = 0;
  const read = keptReading(5000, async (step: number) => (count += step));
  expect(await Promise.all([read(1), read(1), read(1)])).toEqual([1, 1, 1].map((value) => ({ value, ageSeconds: 0 })));
  vi.advanceTimersByTime(4000);
  expect(await read(1)).toEqual({ value: 1, ageSeconds: 4 });
  vi.advanceTimersByTime(1000);
  expect(await read(1)).toEqual({ value: 2, ageSeconds: 0 });
});

test('a reading that takes longer than it is kept runs once at a time', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { promise, resolve } = Promise.withResolvers<string>();
  const slow = vi.fn(() => promise);
  const read = keptReading(5000, slow);
  const first = read(undefined);
  vi.advanceTimersByTime(6000);
  const second = read(undefined);
  resolve('done');
  expect(await Promise.all([first, second])).toEqual(['done', 'done'].map((value) => ({ value, ageSeconds: 6 })));
  expect(slow).toHaveBeenCalledTimes(1);
});

test('does not keep errors', async () => {
  let isAway = true;
  const read = keptReading(5000, async () => {
    if (isAway) throw new Error('away');
    return 'here';
  });
  await expect(read(undefined)).rejects.toThrow('away');
  isAway = false;
  expect(await read(undefined)).toMatchObject({ value: 'here' });
});
