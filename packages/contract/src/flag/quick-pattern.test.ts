import { expect, test } from 'vitest';
import { isQuickPattern } from './quick-pattern.ts';

test.each([
  '^[a-z]+@norrland\\.(com|se)$',
  'gmail\\.com|example\\.com|norrland\\.se',
  '^(?:crew|pilot|guest)-(?:north|south)$',
  '^(ab)+$',
  '^(eu|us)?-west$',
  '\\((a|b)\\)*',
  '^[(|)]*$',
])('accepts %s', (pattern) => {
  expect(isQuickPattern(pattern)).toBe(true);
});

test.each([
  ['nested quantifiers', '^(a+)+$'],
  ['alternatives in a repeated group', '^(a|a)*$'],
  ['alternatives in a counted group', '^(?:a|a){30}$'],
  ['alternatives within a repeated group', '^((a|a)b)+$'],
  ['many groups with alternatives', `^${'(a|a)'.repeat(30)}$`],
  ['a lookahead', '(?=a)a'],
  ['a backreference', '(a)\\1'],
  ['no pattern', '(a'],
  ['a number', 7],
])('rejects %s', (_name, pattern) => {
  expect(isQuickPattern(pattern)).toBe(false);
});

test('an accepted pattern with the most alternatives is matched quickly against a hostile text', () => {
  const pattern = `${'(a|a)'.repeat(5)}a*b`;
  expect(isQuickPattern(pattern)).toBe(true);
  const started = Date.now();
  expect(new RegExp(pattern).test(`${'a'.repeat(2000)}c`)).toBe(false);
  expect(Date.now() - started).toBeLessThan(5000);
});
