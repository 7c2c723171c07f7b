import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TakeOver } from './take-over.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const started = (attempt: () => Promise<void>): { takeOver: TakeOver; warned: unknown[] } => {
  const warned: unknown[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (context: object) => void warned.push(context) };
  const takeOver = new TakeOver(attempt, log, 'The engine does not start');
  takeOver.start();
  takeOver.start();
  return { takeOver, warned };
};

test('tries every second while another replica runs the engine, and no longer once stopped', async () => {
  let attempts = 0;
  const { takeOver, warned } = started(async () => void attempts++);
  await vi.advanceTimersByTimeAsync(3500);
  expect([attempts, warned]).toEqual([3, []]);
  takeOver.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(attempts).toBe(3);
});

test('waits longer after each failure, logs the first of a series, and starts over after a success', async () => {
  let attempts = 0;
  let isBroken = true;
  const { takeOver, warned } = started(async () => {
    attempts++;
    if (isBroken) throw new Error('the port is taken');
  });
  await vi.advanceTimersByTimeAsync(600_000);
  expect([attempts < 30, warned.length]).toEqual([true, 1]);
  isBroken = false;
  await vi.advanceTimersByTimeAsync(31_000);
  const before = attempts;
  await vi.advanceTimersByTimeAsync(5000);
  expect(attempts - before).toBeGreaterThanOrEqual(4);
  takeOver.stop();
});
