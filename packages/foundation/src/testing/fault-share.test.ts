import { afterEach, expect, test, vi } from 'vitest';

const points = Array.from({ length: 11 }, (_, index) => index);
const chosen = async (faults: string, offset: number): Promise<readonly number[]> => {
  vi.stubEnv('SLIPWAY_TEST_FAULTS', faults);
  vi.resetModules();
  const { shareOf } = await import('./fault-share.ts');
  return shareOf(points, 1, offset);
};
afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

test.each([0, 1, -1])('three long runs try every point of a grid once, with offset %i', async (offset) => {
  const thirds = [await chosen('third:0', offset), await chosen('third:1', offset), await chosen('third:2', offset)];
  expect(thirds.flat().toSorted((left, right) => left - right)).toEqual(points);
});

test('all runs try every point, and other runs a few', async () => {
  expect(await chosen('all', 0)).toEqual(points);
  expect(await chosen('', 0)).toHaveLength(1);
});
