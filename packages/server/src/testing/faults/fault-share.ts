/**
 * How much of a grid of faults this run tries. `npm run test:long` tries every point; any other run tries a share, spread over the
 * grid, so that a break shows within minutes.
 */
import { test } from 'vitest';
import { isEveryFault } from '../patience.ts';

/** Every point of a grid, or so many of them, evenly spread. Another `offset` begins at another point. */
export const shareOf = <Point>(points: readonly Point[], count: number, offset = 0): readonly Point[] => {
  if (isEveryFault || points.length <= count) return points;
  const chosen = new Set(Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * points.length) / count)));
  return points.filter((_, index) => chosen.has((index + offset + points.length) % points.length));
};

/** A test of which another one is the share. */
export const rareTest = (name: string, run: () => Promise<void>): void => {
  if (isEveryFault) test(name, run);
};
