import { expect, test } from 'vitest';
import { rowsOf } from './key-rows.ts';

const key = (name: string) => ({ key: name, sizeBytes: 1, expiresAt: null, expiry: 'NONE' as const, isUnused: false });
const other = {
  keys: [
    { key: 'A', state: 'SAME' as const },
    { key: 'B', state: 'ONLY_PRODUCTION' as const },
    { key: 'C', state: 'DIFFERENT' as const },
  ],
};
const names = (rows: ReturnType<typeof rowsOf>) =>
  rows.map(({ key: name, own, state }) => `${name} ${own ? 'own' : 'other'} ${state ?? ''}`.trim());

test('without another environment there are only the own keys', () => {
  expect(names(rowsOf([key('C'), key('A')], undefined, false))).toEqual(['A own', 'C own']);
});

test('keys of the other environment stand among the own ones, by name', () => {
  expect(names(rowsOf([key('A'), key('C')], other, false))).toEqual(['A own SAME', 'B other ONLY_PRODUCTION', 'C own DIFFERENT']);
});

test('only differences leaves the same ones out', () => {
  expect(names(rowsOf([key('A'), key('C')], other, true))).toEqual(['B other ONLY_PRODUCTION', 'C own DIFFERENT']);
});
