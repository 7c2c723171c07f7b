/** Fixes of a verdict, applied to the text that the verdict belongs to. */
import { expect, test } from 'vitest';
import { applyFixes } from './fixes.ts';

const fix = (...edits: [from: number, to: number, insert: string][]) => ({
  label: '',
  edits: edits.map(([from, to, insert]) => ({ from, to, insert })),
});

test('edits are made from the end, so that none moves another', () =>
  expect(applyFixes('0123456789', [fix([2, 3, 'two'], [8, 8, '+']), fix([5, 7, ''])])).toBe('01two34789'.replace('789', '7+89')));

test('one that overlaps another is left out, and so is one beyond the text', () => {
  expect(applyFixes('abcdef', [fix([1, 4, 'X']), fix([3, 5, 'Y'])])).toBe('abcYf');
  expect(applyFixes('abc', [fix([2, 9, 'X'])])).toBe('abc');
});
