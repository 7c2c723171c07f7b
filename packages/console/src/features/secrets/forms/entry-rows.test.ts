import { maxSecretKeys, maxSecretValueBytes, maxSecretVersionBytes } from '@slipway/contract/secret/secret-entry.ts';
import { fieldErrors } from '@slipway/contract/kernel/issues.ts';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { emptyRow, entriesOf, EntryRows, previewOf, removedKeys, sizeOf, withImported, type EntryRow } from './entry-rows.ts';

const row = (key: string, value = 'v', more: Partial<EntryRow> = {}): EntryRow => ({ ...emptyRow, key, value, ...more });
const kept = (key: string): EntryRow => ({ ...emptyRow, key, isKept: true });
const errorsOf = (rows: EntryRow[]) => {
  const result = z.safeParse(EntryRows, rows, { reportInput: true });
  return result.success ? [] : fieldErrors(result.error).map(({ field = '', code }) => `${field} ${code}`);
};

describe('the rows', () => {
  test.each<[string, EntryRow[], string[]]>([
    ['are right', [row('A'), row('B.C', ''), kept('D')], []],
    ['may be blank among others', [row('A'), emptyRow], []],
    ['must not all be blank', [emptyRow, emptyRow], ['0.key Required']],
    ['need a key for a value', [row('A'), row('', 'x')], ['1.key Required']],
    ['refuse a key that is none', [row('9A')], ['0.key InvalidSecretKey']],
    ['refuse a key twice, at the second', [row('A'), kept('A')], ['1.key DuplicateSecretKey']],
    ['refuse a value too large, in bytes', [row('A', 'é'.repeat(maxSecretValueBytes / 2 + 1))], ['0.value SecretValueTooLarge']],
    ['take a value of just that size', [row('A', 'é'.repeat(maxSecretValueBytes / 2))], []],
    ['refuse what no process can be given', [row('A', 'a\0b'), row('B', '\ud800')], ['0.value InvalidValue', '1.value InvalidValue']],
    ['refuse a day that is none', [row('A', 'v', { expiresAt: '2026-02-30' })], ['0.expiresAt InvalidValue']],
    [
      'refuse too much together',
      Array.from({ length: maxSecretVersionBytes / maxSecretValueBytes + 1 }, (_, at) => row(`K${at}`, 'x'.repeat(maxSecretValueBytes))),
      [' SecretVersionTooLarge'],
    ],
    ['refuse too many', Array.from({ length: maxSecretKeys + 1 }, (_, at) => row(`K${at}`, '')), [' TooManySecretKeys']],
  ])('%s', (_name, rows, errors) => expect(errorsOf(rows)).toEqual(errors));

  test('carry no value in an error', () => {
    const result = z.safeParse(EntryRows, [row('9A', 'hunter2'), row('B', 'hunter2\0')], { reportInput: true });
    expect(result.success).toBe(false);
    expect(JSON.stringify(result.error && fieldErrors(result.error))).not.toContain('hunter2');
  });
});

test('only what was typed is sent, and each entry knows its row', () => {
  expect(entriesOf([kept('A'), row('B', '1'), emptyRow, row('C', '')])).toEqual({
    entries: [
      { key: 'B', value: '1' },
      { key: 'C', value: '' },
    ],
    rowOf: [1, 3],
  });
});

test('a key without a row is removed; one that was given anew is not', () => {
  expect(removedKeys(['A', 'B', 'C'], [kept('A'), row('C', 'new')])).toEqual(['B']);
});

test('sizes are bytes', () => expect(sizeOf([row('A', 'é'), row('B', '12'), kept('C')])).toBe(4));

const found = [
  { key: 'A', value: '1' },
  { key: 'B', value: '2' },
  { key: 'C', value: '3' },
  { key: 'D', value: '4' },
];
const before = [row('A', '1'), row('B', 'old', { expiresAt: '2027-01-01' }), kept('C'), emptyRow, row('Z', '9')];

test('a file says before what it adds and changes; what lies on the server counts as changed', () => {
  expect(previewOf(before, found).map(({ key, change }) => `${key} ${change}`)).toEqual(['A SAME', 'B CHANGED', 'C CHANGED', 'D ADDED']);
});

test('a file fills rows in their place, keeps days and other rows, and adds the rest', () => {
  expect(withImported(before, found)).toEqual([
    row('A', '1'),
    row('B', '2', { expiresAt: '2027-01-01' }),
    row('C', '3'),
    row('Z', '9'),
    row('D', '4'),
  ]);
});
