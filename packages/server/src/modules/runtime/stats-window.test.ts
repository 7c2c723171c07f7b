/** Averages over a while, whatever the clock does. */
import { expect, test } from 'vitest';
import { StatsWindow } from './stats-window.ts';

const use = (cpuMillicores: number) => [{ id: 'a', revision: 'yard-1', cpuMillicores, memoryMegabytes: 64 }];
const averageOf = (window: StatsWindow, now: number) => window.averages(now).get('a')?.cpuMillicores;

test('readings count for the window', () => {
  const window = new StatsWindow(15_000);
  for (const [now, cpu] of [
    [0, 100],
    [10_000, 200],
    [20_000, 400],
  ] as const)
    window.push(use(cpu), now);
  expect(averageOf(window, 20_000)).toBe(300);
  expect(averageOf(window, 30_000)).toBe(400);
  expect(averageOf(window, 40_000)).toBeUndefined();
});

test('readings of before the clock was put back are forgotten', () => {
  const window = new StatsWindow(15_000);
  window.push(use(900), 3_600_000);
  window.push(use(100), 0);
  expect(averageOf(window, 0)).toBe(100);
});
