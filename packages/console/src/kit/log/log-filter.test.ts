import { isPattern, isSearching, matches, parseLogFilter, piecesOf, withoutSearch, nextFind } from './log-filter.ts';
import { expect, test } from 'vitest';

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
  expect(matches(line, parseLogFilter({ text }))).toBe(isShown);
});

test.each([
  ['/plans/\\d+ 2\\d\\d', true],
  ['^put', true],
  ['^\\d', false],
  ['(', true],
])('the pattern %s shows the line: %s', (text, isShown) => {
  expect(matches(line, parseLogFilter({ text, isRegex: true }))).toBe(isShown);
});

test('what is no pattern is reported, and hides nothing', () => {
  expect([isPattern('('), isPattern('a|b')]).toEqual([false, true]);
  expect(isSearching(parseLogFilter({ text: '(', isRegex: true }))).toBe(false);
});

test('level and instance of the controls hold with both, and words of the field are stronger', () => {
  const search = { text: '', level: 'warn', source: 't6b3x' };
  expect(matches(line, parseLogFilter({ ...search, text: '8841', isRegex: true }))).toBe(true);
  expect(matches({ ...line, level: 'info' }, parseLogFilter(search))).toBe(false);
  expect(parseLogFilter({ ...search, text: 'instance:c9k4v level:error put' })).toMatchObject({ source: 'c9k4v', levels: ['error'] });
  expect(withoutSearch(parseLogFilter({ ...search, text: 'put' }))).toEqual({ words: [], levels: ['warn', 'error'], source: 't6b3x' });
});

test('every second piece is a match, whatever stands in the words', () => {
  const { marker } = parseLogFilter({ text: 'a (x)' });
  expect(piecesOf('a (x) A', marker)).toEqual(['', 'a', ' ', '(x)', ' ', 'A', '']);
  expect(piecesOf('berth', parseLogFilter({ text: '(r|z)*', isRegex: true }).marker)).toEqual(['be', 'r', 'th']);
  expect(piecesOf('berth', undefined)).toEqual(['berth']);
});

const lines = ['tide', 'berth', 'tide late', 'quay'].map((text) => ({ text }));
const search = parseLogFilter({ text: 'tide' });

test('goes on from where one is, and round the end', () => {
  expect(nextFind(lines, search, -1, 1)).toBe(0);
  expect(nextFind(lines, search, 0, 1)).toBe(2);
  expect(nextFind(lines, search, 2, 1)).toBe(0);
  expect(nextFind(lines, search, 0, -1)).toBe(2);
  expect(nextFind(lines, search, 4, -1)).toBe(2);
});

test('the only find is found again, and nothing is nowhere', () => {
  expect(nextFind(lines, parseLogFilter({ text: 'quay' }), 3, 1)).toBe(3);
  expect(nextFind(lines, parseLogFilter({ text: 'ship' }), 0, 1)).toBe(-1);
  expect(nextFind([], search, -1, 1)).toBe(-1);
});
