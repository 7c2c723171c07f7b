import { expect, test } from 'vitest';
import { demoCodeOf, safeReturnPath } from './session.ts';

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

test.each([
  ['#code=K7QM-42XD', 'K7QM-42XD'],
  ['#code=', undefined],
  ['#code=K7QM-42XD&more', undefined],
  [`#code=${'x'.repeat(21)}`, undefined],
  ['#settings', undefined],
  ['', undefined],
])('the demo code of the printed link stands behind the #: %s', (hash, expected) => {
  expect(demoCodeOf(hash)).toBe(expected);
});
