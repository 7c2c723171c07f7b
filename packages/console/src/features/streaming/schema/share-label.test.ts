import { expect, test } from 'vitest';
import { shareLabel } from './share-label.ts';

test.each([
  [0, 10, '–'],
  [10, 10, '100 %'],
  [1, 1000, 'under 1 %'],
  [999, 1000, 'over 99 %'],
  [94, 100, '94 %'],
])('%d of %d', (part, whole, words) => expect(shareLabel(part, whole)).toBe(words));
