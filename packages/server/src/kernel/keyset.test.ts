/** Cursors of lists by time: what is read, and what is refused before the database sees it. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { cursorOf, cutPage, keysetOf, timeKeys } from './keyset.ts';

const at = '2026-05-01T10:11:12.123456Z';
const read = (after: string): unknown => keysetOf(timeKeys(sql`at`, sql`id`), true, after).from;
const coded = (text: string): string => Buffer.from(text).toString('base64url');

test('reads the former form of cursors, which clients may still hold', () => {
  expect(JSON.stringify(read(coded(`${at} ntf-1`)))).toBe(JSON.stringify(read(cursorOf([at, 'ntf-1']))));
});

test.each([
  'x',
  coded('2026-05-01 ntf-1'),
  coded(`${at} `),
  cursorOf([at]),
  cursorOf([at, 1]),
  cursorOf([at, 'a\0']),
  cursorOf(['2026-02-31T10:11:12Z', 'a']),
  coded('2026-02-31T10:11:12Z a'),
  cursorOf(['2026-02-31 10:11:12+00', 'a']),
  cursorOf(['yesterday', 'a']),
])('refuses the cursor %s', (after) => {
  expect(() => read(after)).toThrow(expect.objectContaining({ code: 'InvalidValue' }));
});

test('reads instants that a cast to text wrote', () => {
  expect(() => read(cursorOf(['2026-11-25 10:11:12.571+00', 'a']))).not.toThrow();
  expect(() => read(cursorOf(['2026-11-25 10:11:12+05:30', 'a']))).not.toThrow();
});

test('the last page has no cursor', () => {
  const valuesOf = (row: string) => [row];
  expect(cutPage(['a', 'b', 'c'], 2, valuesOf)).toEqual({ shown: ['a', 'b'], next: cursorOf(['b']) });
  expect(cutPage(['a', 'b'], 2, valuesOf)).toEqual({ shown: ['a', 'b'], next: null });
});
