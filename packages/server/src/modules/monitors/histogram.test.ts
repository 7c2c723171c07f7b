/** Percentiles of histograms against those of the samples. */
import { expect, test } from 'vitest';
import { binOf, percentile } from './histogram.ts';

const bins = (values: readonly number[]) => {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(binOf(value), (counts.get(binOf(value)) ?? 0) + 1);
  return [...counts].map(([bin, n]) => ({ bin, n }));
};

test('is exact to five percent', () => {
  for (const factor of [1, 37, 2500]) {
    const values = Array.from({ length: 1000 }, (_, index) => factor * (1 + index / 100));
    const exact = values[749] ?? 0;
    expect(Math.abs((percentile(bins(values), 0.75) ?? 0) - exact) / exact).toBeLessThan(0.05);
  }
});

test('has no percentile without samples, and one bin for what is too large', () => {
  expect(percentile([], 0.75)).toBeNull();
  expect(binOf(Number.MAX_VALUE)).toBe(binOf(1e9));
  expect([binOf(0), binOf(0.9), binOf(1)]).toEqual([0, 0, 1]);
});
