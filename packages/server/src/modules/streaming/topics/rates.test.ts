import { expect, test } from 'vitest';
import { ratesOf, withMark, type Mark } from './rates.ts';

const everyMinute = (minutes: number, perSecond: number): Mark[] =>
  Array.from({ length: minutes }, (_, minute): Mark => [minute * 60, minute * 60 * perSecond]);
const kept = (looks: readonly Mark[]): Mark[] => looks.reduce<Mark[]>((marks, look) => withMark(marks, look), []);

test('an hour is kept, a mark for every two minutes', () => {
  const marks = kept(everyMinute(500, 3));
  expect(marks).toHaveLength(31);
  expect(marks.at(-1)?.[0]).toBe(498 * 60);
});

test('rates are those between the looks, the newest last', () => {
  const marks = kept(everyMinute(100, 3));
  const rates = ratesOf(marks, [99 * 60 + 30, 99 * 60 * 3 + 30 * 9]);
  expect(rates).toHaveLength(30);
  expect(rates.slice(0, -1)).toEqual(Array.from({ length: 29 }, () => 3));
  expect(rates.at(-1)).toBe(5);
});

test('before the first look nothing is known, and a gap has the mean of what was written in it', () => {
  const rates = ratesOf([[0, 0]], [600, 60]);
  expect(rates.slice(0, 25)).toEqual(Array.from({ length: 25 }, () => null));
  expect(rates.slice(25)).toEqual([0.1, 0.1, 0.1, 0.1, 0.1]);
});

test('a topic that was made anew begins again', () => expect(withMark([[0, 900]], [240, 5])).toEqual([[240, 5]]));

test('a quiet topic gets no marks, and what is written after it is not spread over the quiet', () => {
  expect(withMark([[0, 40]], [600, 40], [540, 40])).toEqual([[0, 40]]);
  const marks = withMark([[0, 40]], [1200, 640], [1080, 40]);
  expect(marks).toEqual([
    [0, 40],
    [1080, 40],
    [1200, 640],
  ]);
  expect(ratesOf(marks, [1200, 640]).slice(-4)).toEqual([0, 0, 0, 5]);
});
