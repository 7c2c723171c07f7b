import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FetchError, ResponseError } from './errors.ts';
import { swrConfig } from './query.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns the delay before a failure is retried, in milliseconds, or undefined if it is not retried. */
const retryOf = (error: unknown, retryCount: number): number | undefined => {
  const revalidate = vi.fn(async () => true);
  swrConfig.onErrorRetry(error, 'key', {} as never, revalidate, { retryCount, dedupe: true });
  vi.advanceTimersByTime(3999);
  if (revalidate.mock.calls.length > 0) return -1;
  vi.advanceTimersByTime(1);
  return revalidate.mock.calls.length > 0 ? 4000 : undefined;
};

test('a failed read is tried again every 4000 ms, ten times', () => {
  expect(retryOf(new FetchError('x'), 1)).toBe(4000);
  expect(retryOf(new ResponseError(500, undefined), 10)).toBe(4000);
  expect(retryOf(new ResponseError(500, undefined), 11)).toBeUndefined();
});
test.each([404, 401])('%i is not tried again', (status) => {
  expect(retryOf(new ResponseError(status, undefined), 1)).toBeUndefined();
});
