import { expect, test } from 'vitest';
import { matches, parseLogFilter, piecesOf } from './log-filter.ts';

const line = { text: 'PUT /plans/8841 200 "NL Halden"', level: 'warn', source: 'berth-1-t6b3x' } as const;

test.each([
  ['', true],
  ['put 8841', true],
  ['"nl halden"', true],
  ['"halden nl"', false],
  ['level:warn', true],
  ['level:error', false],
  ['instance:t6b3x put', true],
  ['instance:c9k4v', false],
  ['level:loud', false],
])('%s shows the line: %s', (text, isShown) => {
  expect(matches(line, parseLogFilter(text))).toBe(isShown);
});

test('every second piece is a match, whatever stands in the words', () => {
  expect(piecesOf('a (x) A', ['a', '(x)'])).toEqual(['', 'a', ' ', '(x)', ' ', 'A', '']);
});
