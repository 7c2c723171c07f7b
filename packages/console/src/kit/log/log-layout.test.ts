import { expect, test } from 'vitest';
import { noFilter, parseLogFilter } from './log-filter.ts';
import { cellsOf, LogLayout, rowsOf } from './log-layout.ts';
import type { LogLine } from './log-line.ts';
import { createLogStore } from './log-store.ts';

const wrapped = { wrapAt: 10, headRows: 0 };
const line = (number: number, text: string, source?: string): LogLine => ({
  key: String(number),
  number,
  at: '2026-11-20T12:00:00.000Z',
  level: 'info',
  text,
  ...(source === undefined ? {} : { source }),
});

test('a row holds so many characters, and an empty line takes one', () => {
  expect(['', '1234567890', '12345678901'].map((text) => rowsOf(text, wrapped))).toEqual([1, 1, 2]);
  expect(rowsOf('12345678901', { wrapAt: 0, headRows: 1 })).toBe(2);
  expect(cellsOf('港 ok')).toBe(5);
  expect(cellsOf('e\u0301')).toBe(1);
});

test('new lines go on below, and the line at a row is found', () => {
  const store = createLogStore();
  const layout = new LogLayout(store);
  store.append([line(1, 'short'), line(2, 'x'.repeat(25))]);
  layout.update(noFilter, wrapped);
  store.append([line(3, 'last')]);
  layout.update(noFilter, wrapped);
  expect(layout.rows).toBe(5);
  expect([0, 1, 3, 4, 9].map((row) => layout.indexAt(row))).toEqual([0, 1, 1, 2, 2]);
});

test('another filter lays out anew', () => {
  const store = createLogStore();
  const layout = new LogLayout(store);
  store.append([line(1, 'keep'), line(2, 'drop'), line(3, 'keep')]);
  layout.update(noFilter, wrapped);
  layout.update(parseLogFilter({ text: 'keep' }), wrapped);
  expect(layout.lines.map(({ number }) => number)).toEqual([1, 3]);
  expect(layout.topOf(1)).toBe(1);
});

test('lines that leave at the old end take their rows with them', () => {
  const store = createLogStore(10);
  const layout = new LogLayout(store);
  store.append(Array.from({ length: 10 }, (_, index) => line(index + 1, 'x'.repeat(15))));
  layout.update(noFilter, wrapped);
  store.append([line(11, 'new')]);
  layout.update(noFilter, wrapped);
  expect(store.dropped).toBe(1);
  expect(layout.lines[0]?.number).toBe(2);
  expect([layout.topOf(0), layout.topOf(1), layout.rows, layout.trimmedRows]).toEqual([0, 2, 19, 2]);
});

test('a line that came already is not taken twice', () => {
  const store = createLogStore();
  store.append([line(1, 'a', 'one'), line(1, 'b', 'two'), line(2, 'c', 'one')]);
  store.append([line(2, 'c', 'one'), line(2, 'd', 'two')]);
  expect(store.lines.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd']);
  expect([...store.sources]).toEqual([
    ['one', 0],
    ['two', 1],
  ]);
});
