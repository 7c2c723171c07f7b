/** A push of a gigabyte over a slow line is allowed, a byte per second is not. */
import { expect, test } from 'vitest';
import { Pace } from './body-pace.ts';
import { floodLimits } from './flood-limits.ts';

const { bytes, periodMs } = floodLimits.longBody;
const tooSlowAt = (bytesPerSecond: number, periods: number): boolean => {
  const pace = new Pace(bytes, 0);
  return Array.from({ length: periods }, (_, index) => pace.isTooSlow(((index + 1) * bytesPerSecond * periodMs) / 1000, false)).some(
    Boolean,
  );
};

test('a slow line is let go on, however long it takes', () => {
  expect(tooSlowAt(2 * 1024, 10_000)).toBe(false);
});

test('a trickle is not, from the first period on', () => {
  expect([tooSlowAt(1, 1), tooSlowAt(1000, 1)]).toEqual([true, true]);
});

test('time in which the platform reads nothing is not the client’s', () => {
  const pace = new Pace(bytes, 0);
  expect([pace.isTooSlow(0, true), pace.isTooSlow(0, true), pace.isTooSlow(0, false)]).toEqual([false, false, true]);
});
