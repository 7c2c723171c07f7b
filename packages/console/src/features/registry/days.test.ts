import { expect, test } from 'vitest';
import { dayAfter, dayLabel, daysUntil, inDays } from './days.ts';

const now = new Date('2026-11-22T23:30:00Z');

test.each([
  ['2026-11-22', 0, 'today'],
  ['2026-11-23', 1, 'tomorrow'],
  ['2026-12-15', 23, 'in 23 days'],
  ['2026-11-16', -6, 'in -6 days'],
])('%s', (day, days, words) => {
  expect(daysUntil(day, now)).toBe(days);
  expect(inDays(days)).toBe(words);
});

test('a day so far away, and how it is written', () => {
  expect(dayAfter(90, now)).toBe('2027-02-20');
  expect(dayLabel('2026-12-15', now)).toBe('15 Dec');
  expect(dayLabel('2027-02-20', now)).toBe('20 Feb 2027');
});
