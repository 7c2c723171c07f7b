import { expect, test } from 'vitest';
import { shortNameOf } from './rules.ts';

test.each([
  ['Terminal Operations', 'TO'],
  ['Land-side transport & rail', 'LSTR'],
  ['Équipement', 'EQU'],
  ['a b c d e f g h i j', 'ABCDEFGH'],
  ['X', 'XX'],
  ['&', 'XX'],
])('the short name of %s is %s', (name, expected) => {
  expect(shortNameOf(name)).toBe(expected);
});
