import { expect, test } from 'vitest';
import { milliseconds } from './milliseconds.ts';
import { spanTree } from './span-tree.ts';

const span = (id: string, parent: string | null, offsetMs: number) => ({
  id,
  parent,
  offsetMs,
  service: 'web',
  revision: 'web-1',
  name: id,
  kind: 2,
  durationMs: 1,
  isError: false,
  message: '',
  attributes: {},
});
const lines = (spans: Parameters<typeof spanTree>[0]) => spanTree(spans).map(({ span: { id }, depth }) => `${depth}${id}`);

test('lists each span before its children, in the order of their starts', () => {
  expect(lines([span('c', 'a', 5), span('b', 'a', 2), span('a', null, 0), span('d', 'b', 3)])).toEqual(['0a', '1b', '2d', '1c']);
});

test('shows spans with an unknown parent, circles and spans that are their own parent once', () => {
  expect(lines([span('a', 'gone', 0), span('b', 'c', 1), span('c', 'b', 2), span('d', 'd', 3)])).toEqual(['0a', '0b', '1c', '0d']);
});

test.each([
  [0.42, '0.42 ms'],
  [168.4, '168 ms'],
  [999.6, '1 s'],
  [2940, '2.9 s'],
])('%d milliseconds are %s', (value, text) => {
  expect(milliseconds(value)).toBe(text);
});
