import { expect, test } from 'vitest';
import { mapLimited } from './map-limited.ts';

/** Work that waits until it is released, and a count of the work in flight. */
const held = () => {
  const started: number[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const work = async (item: number): Promise<string> => {
    started.push(item);
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
    return `done ${item}`;
  };
  return { started, gates, work };
};

test('keeps the order of the items, with no more in flight than the limit', async () => {
  const { started, gates, work } = held();
  const result = mapLimited([1, 2, 3, 4], work, 2);
  expect(started).toEqual([1, 2]);
  gates[1]?.resolve();
  await expect.poll(() => started).toEqual([1, 2, 3]);
  gates[2]?.resolve();
  await expect.poll(() => started).toEqual([1, 2, 3, 4]);
  gates[3]?.resolve();
  gates[0]?.resolve();
  expect(await result).toEqual(['done 1', 'done 2', 'done 3', 'done 4']);
});

test('starts nothing after a failure, and throws once what is in flight has ended', async () => {
  const { started, gates, work } = held();
  let isOver = false;
  const result = mapLimited([1, 2, 3], work, 2).finally(() => (isOver = true));
  const outcome = expect(result).rejects.toThrow('no');
  gates[0]?.reject(new Error('no'));
  await new Promise(setImmediate);
  expect([started, isOver]).toEqual([[1, 2], false]);
  gates[1]?.resolve();
  await outcome;
  expect(started).toEqual([1, 2]);
});

test('of nothing there is nothing', async () => {
  expect(await mapLimited([], async () => 1)).toEqual([]);
});
