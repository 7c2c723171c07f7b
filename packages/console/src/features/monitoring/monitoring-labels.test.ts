/** Words and numbers of vitals and errors. */
import { expect, test } from 'vitest';
import { errorLook, vitalLook, vitalText } from './monitoring-labels.ts';

test.each([
  ['LCP', 2500, '2.5 s', 'Good'],
  ['LCP', 2501, '2.5 s', 'To improve'],
  ['LCP', 4001, '4 s', 'Poor'],
  ['INP', 168, '168 ms', 'Good'],
  ['FID', 100, '100 ms', 'Good'],
  ['FID', 301, '301 ms', 'Poor'],
  ['CLS', 0.25, '0.25', 'To improve'],
] as const)('%s of %d is %s, %s', (vital, value, text, word) => {
  expect([vitalText(vital, value), vitalLook(vital, value).word]).toEqual([text, word]);
});

const now = Date.parse('2026-11-25T12:00:00Z');
test.each([
  [{ state: 'OPEN', isBackAgain: false, firstAt: '2026-11-25T11:00:00Z' }, 'New'],
  [{ state: 'OPEN', isBackAgain: false, firstAt: '2026-11-20T11:00:00Z' }, 'Known'],
  [{ state: 'OPEN', isBackAgain: true, firstAt: '2026-11-20T11:00:00Z' }, 'Back again'],
  [{ state: 'RESOLVED', isBackAgain: false, firstAt: '2026-11-25T11:00:00Z' }, 'Resolved'],
  [{ state: 'MUTED', isBackAgain: true, firstAt: '2026-11-25T11:00:00Z' }, 'Muted'],
] as const)('%j is %s', (error, word) => expect(errorLook(error, now).word).toBe(word));
