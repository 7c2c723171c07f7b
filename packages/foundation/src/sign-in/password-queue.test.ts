/** The queue runs two at a time, rejects callers that would wait too long, is fair to addresses, and survives failing work. */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { PasswordQueue, TooBusy } from './password-queue.ts';

interface Work {
  readonly address: string;
  readonly end: () => void;
}
/** Work that ends when the test says so. `begun` lists it in start order. */
const workplace = () => {
  const queue = new PasswordQueue({ waiting: 20, waitingOfOne: 4 });
  const begun: Work[] = [];
  const add = (address: string, isGood = true): Promise<string> =>
    queue
      .inTurn(
        address,
        () =>
          new Promise<string>((resolve, reject) => {
            begun.push({ address, end: () => (isGood ? resolve(address) : reject(new Error('failed'))) });
          }),
      )
      .catch((error: Error) => error.name);
  /** Ends all work, one after the other. */
  const endAll = async (): Promise<void> => {
    for (let at = 0; at < begun.length; at += 1) {
      begun[at]?.end();
      // All consequences have happened by then.
      await setImmediate();
    }
  };
  return { queue, begun, add, endAll };
};

test('two at a time, four of one address waiting, twenty in all; failures give their place back', async () => {
  const { queue, begun, add, endAll } = workplace();
  const accepted = ['a', 'b', 'c', 'd', 'e'].flatMap((address) => Array.from({ length: 4 }, (_, index) => add(address, index % 3 > 0)));
  const more = [add('a', false), add('a')];
  expect(begun).toHaveLength(2);
  expect(await add('a')).toBe('TooBusy');
  await endAll();
  expect(begun).toHaveLength(22);
  expect(new Set(await Promise.all([...accepted, ...more]))).toEqual(new Set(['a', 'b', 'c', 'd', 'e', 'Error']));
  const again = queue.inTurn('a', async () => 'again');
  expect(await again).toBe('again');
});

test('a flood from one address neither keeps others out nor makes them wait for all of it', async () => {
  const { begun, add, endAll } = workplace();
  const flood = Array.from({ length: 100 }, () => add('flood'));
  const person = add('person');
  await endAll();
  expect(begun.map(({ address }) => address)).toEqual(['flood', 'flood', 'flood', 'person', 'flood', 'flood', 'flood']);
  expect(await person).toBe('person');
  expect((await Promise.all(flood)).filter((result) => result === 'TooBusy')).toHaveLength(94);
});

test('when all places are taken the longest line makes room for a newcomer', async () => {
  const { begun, add, endAll } = workplace();
  const results = ['x', 'x', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'b', 'c', 'c', 'c', 'c', 'd', 'd', 'd', 'd', 'e', 'e', 'e', 'e'].map((it) =>
    add(it),
  );
  const newcomer = add('new');
  await endAll();
  expect(await newcomer).toBe('new');
  expect(begun).toHaveLength(22);
  expect((await Promise.all(results)).filter((result) => result === TooBusy.name)).toHaveLength(1);
});
