import { expect, test } from 'vitest';
import { mergeLines } from './merge-lines.ts';

const base = 'a\nb\nc\nd\ne';

test.each([
  ['lines far from each other', 'A\nb\nc\nd\ne', 'a\nb\nc\nd\nE', 'A\nb\nc\nd\nE'],
  ['one adds, the other takes away', 'a\na2\nb\nc\nd\ne', 'a\nb\nc\ne', 'a\na2\nb\nc\ne'],
  ['both the same', 'a\nB\nc\nd\ne', 'a\nB\nc\nd\ne', 'a\nB\nc\nd\ne'],
  ['the same, and more', 'a\nB\nc\nd\nE', 'a\nB\nc\nd\ne', 'a\nB\nc\nd\nE'],
  ['only theirs', base, 'a\nb\nc', 'a\nb\nc'],
  ['only mine', 'b', base, 'b'],
])('%s', (_, mine, theirs, merged) => expect(mergeLines(base, mine, theirs)).toBe(merged));

test.each([
  ['the same line otherwise', 'a\nX\nc\nd\ne', 'a\nY\nc\nd\ne'],
  ['lines next to each other', 'a\nX\nc\nd\ne', 'a\nb\nY\nd\ne'],
  ['other lines at the same end', `${base}\nx`, `${base}\ny`],
  ['changed by one, taken away by the other', 'a\nb\nX\nd\ne', 'a\ne'],
])('%s: people decide', (_, mine, theirs) => expect(mergeLines(base, mine, theirs)).toBeUndefined());
