import { describe, expect, test } from 'vitest';
import { bytes, megabytes } from './bytes.ts';
import { duration, tickingDuration } from './duration.ts';
import { millicores } from './millicores.ts';
import { exactTime, logTime, relativeTime } from './relative-time.ts';

const now = new Date('2026-11-20T14:22:09.311Z');
const timeZone = 'UTC';

describe('relativeTime', () => {
  test.each([
    ['2026-11-20T14:22:08Z', 'just now'],
    ['2026-11-20T14:21:21Z', '48 s ago'],
    ['2026-11-20T14:10:09Z', '12 min ago'],
    ['2026-11-20T13:22:10Z', '59 min ago'],
    ['2026-11-20T12:00:00Z', '2 h ago'],
    ['2026-11-20T00:10:00Z', '14 h ago'],
    ['2026-11-19T16:20:00Z', 'yesterday 16:20'],
    ['2026-11-18T17:55:00Z', '18 Nov 17:55'],
    ['2025-11-18T17:55:00Z', '18 Nov 2025'],
    ['2026-11-20T14:27:10Z', 'in 5 min'],
    ['2026-11-21T20:00:00Z', 'tomorrow 20:00'],
  ])('%s is %s', (at, words) => {
    expect(relativeTime(new Date(at), now, { timeZone })).toBe(words);
  });

  test('leaves the clock out in short form', () => {
    expect(relativeTime(new Date('2026-11-19T01:20:00Z'), now, { timeZone, isShort: true })).toBe('yesterday');
    expect(relativeTime(new Date('2026-11-02T01:20:00Z'), now, { timeZone, isShort: true })).toBe('2 Nov');
  });

  test('takes days from the zone of the reader, but a short night is still hours', () => {
    const lateEvening = new Date('2026-11-20T22:30:00Z');
    const night = new Date('2026-11-21T01:00:00Z');
    expect(relativeTime(lateEvening, night, { timeZone })).toBe('2 h ago');
    expect(relativeTime(new Date('2026-11-20T15:30:00Z'), night, { timeZone })).toBe('yesterday 15:30');
    expect(relativeTime(new Date('2026-11-20T15:30:00Z'), night, { timeZone: 'Asia/Tokyo' })).toBe('9 h ago');
  });
});

test('exact and log times carry all there is', () => {
  expect(exactTime(now, timeZone)).toBe('Fri, 20 Nov 2026, 14:22:09 UTC');
  expect(logTime(now, timeZone)).toBe('14:22:09.311');
});

test.each([
  [-5, '0.0 s'],
  [400, '0.4 s'],
  [9949, '9.9 s'],
  [9960, '10 s'],
  [11_000, '11 s'],
  [59_600, '1 min 00 s'],
  [105_000, '1 min 45 s'],
  [7_500_000, '2 h 05 min'],
  [273_600_000, '3 d 4 h'],
])('%d ms last %s', (ms, words) => {
  expect(duration(ms)).toBe(words);
});

test('a running clock shows whole seconds', () => {
  expect([0, 999, 1000, 61_500].map(tickingDuration)).toEqual(['0 s', '0 s', '1 s', '1 min 01 s']);
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 kB'],
  [64 * 1024 ** 2, '64 MB'],
  [1024 ** 2 - 1, '1 MB'],
  [1.5 * 1024 ** 3, '1.5 GB'],
  [431.26 * 1024 ** 2, '431 MB'],
])('%d bytes are %s', (value, words) => {
  expect(bytes(value)).toBe(words);
});

test('settings show derived values', () => {
  expect([768, 1024, 1536].map(megabytes)).toEqual(['768 MB', '1 GB', '1.5 GB']);
  expect([500, 1250, 2000].map(millicores)).toEqual(['500 m = 0.5 CPU', '1250 m = 1.25 CPU', '2000 m = 2 CPU']);
});
