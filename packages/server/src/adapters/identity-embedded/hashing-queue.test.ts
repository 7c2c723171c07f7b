// The queue lets two work at a time, turns away what would wait too long, and survives work that fails.
import { expect, test } from 'vitest';
import { inTurn, TooBusy } from './hashing-queue.ts';

test('two at a time, twenty waiting, the rest turned away; failures give their place back', async () => {
  const begun: (() => void)[] = [];
  const work = (index: number) =>
    inTurn(
      () =>
        new Promise<string>((resolve, reject) => {
          begun.push(index % 3 === 0 ? () => reject(new Error('failed')) : () => resolve('done'));
        }),
    );
  const accepted = Array.from({ length: 22 }, (_, index) => work(index).catch((error: Error) => error.message));
  expect(begun).toHaveLength(2);
  await expect(work(22)).rejects.toBeInstanceOf(TooBusy);
  for (let at = 0; at < 22; at += 1) {
    begun[at]?.();
    await accepted[at];
    await Promise.resolve();
    expect(begun.length).toBeLessThanOrEqual(at + 3);
  }
  const results = await Promise.all(accepted);
  expect(new Set(results)).toEqual(new Set(['done', 'failed']));
  expect(await inTurn(async () => 'again')).toBe('again');
});
