import { expect, test } from 'vitest';
import { Problem } from '#kernel/problem.ts';
import { translateFrames } from './map-thread.ts';

test('loads the maps of one stack at a time, and lets eight wait', async () => {
  const loads: (() => void)[] = [];
  const load = () => new Promise<Map<string, Uint8Array>>((resolve) => loads.push(() => resolve(new Map())));
  const waiting = Array.from({ length: 7 }, () => translateFrames([], load));
  const failing = translateFrames([], () => Promise.reject(new Error('The database is away')));
  expect(() => translateFrames([], load)).toThrow(Problem);
  for (const [index] of waiting.entries()) {
    await expect.poll(() => loads.length).toBe(index + 1);
    loads[index]?.();
    expect(await waiting[index]).toEqual([]);
  }
  await expect(failing).rejects.toThrow('away');
  expect(await translateFrames([], async () => new Map())).toEqual([]);
});
