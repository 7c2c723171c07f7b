import { expect, test } from 'vitest';
import { nextFind } from './log-find.ts';
import { parseLogFilter } from './log-filter.ts';

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
