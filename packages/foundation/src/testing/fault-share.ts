/**
 * Selects the points of a grid of faults that this run tries: all, the third whose turn it is, or a few, spread over the grid, so that a
 * defect shows within minutes.
 */
import { test } from 'vitest';
import { gridThird, isEveryFault } from './patience.ts';

const THIRDS = 3;

/** Returns `count` points outside of long runs. A different `offset` selects different points. */
export const shareOf = <Point>(points: readonly Point[], count: number, offset = 0): readonly Point[] => {
  if (isEveryFault || points.length <= count) return points;
  const shifted = (index: number): number => (index + offset + points.length) % points.length;
  const third = gridThird === undefined ? [] : points.filter((_, index) => shifted(index) % THIRDS === gridThird);
  if (third.length >= count) return third;
  const chosen = new Set(Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * points.length) / count)));
  return points.filter((_, index) => chosen.has(shifted(index)));
};

const thirdOf = (name: string): number => [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % THIRDS;

/** A test that `npm test` skips, because another one is its share. */
export const rareTest = (name: string, run: () => Promise<void>): void => {
  if (isEveryFault || thirdOf(name) === gridThird) test(name, run);
};
