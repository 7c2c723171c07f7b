import { expect, test } from 'vitest';
import { expiryLook, expiryReminder, isThere, originLabel, restartLabel, runsLabel } from './secret-labels.ts';

const reader = (service: string, needsRestart: boolean) => ({
  service,
  needsRestart,
  exposeAsEnvironment: true,
  isAutoAttached: false,
  runsVersion: 1,
});

test.each([
  [[], undefined],
  [[reader('a', false)], undefined],
  [[reader('a', true), reader('b', false)], '1 service needs a restart'],
  [[reader('a', true), reader('b', true)], '2 services need a restart'],
])('who waits for a restart: %#', (services, words) => expect(restartLabel(services)).toBe(words));

test.each([
  [null, 3, 'None yet'],
  [3, 3, '3'],
  [2, 3, '2, one behind'],
  [1, 30, '1, 29 behind'],
])('runs %s of %s: %s', (runs, newest, words) => expect(runsLabel(runs, newest)).toBe(words));

test.each([
  ['NONE', null, undefined],
  ['LATER', '2027-03-01', 'Until 1 Mar 2027'],
  ['SOON', '2026-11-25', 'Ends 25 Nov 2026'],
  ['EXPIRED', '2026-01-05', 'Expired 5 Jan 2026'],
] as const)('the last day of a key that ends %s', (expiry, expiresAt, word) => {
  expect(expiryLook({ expiry, expiresAt })?.word).toBe(word);
});

test('a group reminds of what is expired before what ends soon', () => {
  const a = { key: 'A', expiry: 'SOON' } as const;
  const b = { key: 'B', expiry: 'EXPIRED' } as const;
  expect(expiryReminder([{ key: 'C', expiry: 'LATER' }])).toBeUndefined();
  expect(expiryReminder([a])).toEqual({ tone: 'warn', word: 'A ends soon' });
  expect(expiryReminder([a, { ...a, key: 'D' }])?.word).toBe('2 keys end soon');
  expect(expiryReminder([a, b])).toEqual({ tone: 'bad', word: 'B expired' });
});

test('a key of one environment is missing in the other alone', () => {
  expect([isThere('ONLY_DEVELOPMENT', 'development'), isThere('ONLY_DEVELOPMENT', 'production')]).toEqual([true, false]);
  expect([isThere('DIFFERENT', 'development'), isThere('SAME', 'production')]).toEqual([true, true]);
});

test.each([
  [{ origin: 'CREATED', from: null }, '2 keys'],
  [{ origin: 'RESTORED', from: '3' }, 'Restored from 3'],
  [{ origin: 'COPIED', from: 'development/db@4' }, 'Copied from development, version 4'],
  [{ origin: 'COPIED', from: 'production/old-db@1' }, 'Copied from old-db in production, version 1'],
] as const)('how a version came about: %#', (how, words) => expect(originLabel({ ...how, keys: ['A', 'B'] }, 'db')).toBe(words));
