/** Tests advance the seconds by hand and count what fits into each. */
import { expect, test } from 'vitest';
import { handClock } from '../hand-clock.fixture.ts';
import { OutputLimit } from './output-limit.ts';

const limits = { bytes: 100, lines: 10 };
const make = () => {
  const [clock, reported] = [handClock(), [] as string[]];
  return { clock, reported, limit: new OutputLimit((why) => reported.push(why), clock, limits) };
};
const taken = (limit: OutputLimit, bytes: number, lines: number): number => {
  let count = 0;
  while (count < 1000 && limit.take(bytes, lines)) count++;
  return count;
};

test('each second has room for so many lines, and for so many bytes', () => {
  const { clock, limit } = make();
  for (let second = 0; second < 3; second++, clock.turn(1000)) expect(taken(limit, 0, 1)).toBe(10);
  for (let second = 0; second < 3; second++, clock.turn(1000)) expect(taken(limit, 25, 0)).toBe(4);
});

test('who waits goes on when the next second begins, not before', async () => {
  const { clock, limit } = make();
  taken(limit, 0, 1);
  let isOver = false;
  const waiting = limit.over().then(() => (isOver = true));
  clock.turn(999);
  await Promise.resolve();
  expect([isOver, limit.take(0, 1)]).toEqual([false, false]);
  clock.turn(1);
  await waiting;
  expect(taken(limit, 0, 1)).toBe(10);
});

test('a pause is logged once a minute, with the limits', () => {
  const { clock, limit, reported } = make();
  for (let second = 0; second < 60; second++, clock.turn(1000)) taken(limit, 0, 1);
  expect(reported).toEqual([expect.stringContaining('output paused: more than 10 lines')]);
  taken(limit, 0, 1);
  expect(reported).toHaveLength(2);
});

test('at the end of the program nobody waits', async () => {
  const { limit } = make();
  taken(limit, 0, 1);
  const waiting = limit.over();
  limit.lift();
  await waiting;
  expect(taken(limit, 0, 1)).toBe(1000);
});
