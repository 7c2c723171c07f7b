import { expect, test } from 'vitest';
import { safeReturnPath } from './session.ts';

test.each([
  ['/app/berth/production?tab=x#y', '/app/berth/production?tab=x#y'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example', '/'],
  [undefined, '/'],
  [{}, '/'],
])('the way back from sign-in stays on this origin: %s', (given, expected) => {
  expect(safeReturnPath(given)).toBe(expected);
});
