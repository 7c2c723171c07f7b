import { describe, expect, test } from 'vitest';
import { fieldErrors } from '../kernel/issues.ts';
import { SecretEntry, isEnvironmentName, maxSecretKeys, utf8Bytes } from './secret-entry.ts';
import {
  SecretGroupCreate,
  SecretReveal,
  expiryOf,
  secretDetachRule,
  secretGroupDeleteRule,
  secretGroupManageRule,
  secretRevealRule,
  secretVersionDeleteRule,
} from './secret-group.ts';

describe('the rules', () => {
  test('a platform group is changed by internal service accounts alone', () => {
    expect(secretGroupManageRule({ kind: 'USER' }, false)).toBe(true);
    expect(secretGroupManageRule({ kind: 'PLATFORM' }, false)).toBe('ManageInternalSecretGroups');
    expect(secretGroupManageRule({ kind: 'PLATFORM' }, true)).toBe(true);
  });

  test('what is in use stays, and so does the last version', () => {
    expect([secretGroupDeleteRule({ isInUse: false }), secretGroupDeleteRule({ isInUse: true })]).toEqual([
      true,
      'SecretIsReferencedInAtLeastOneStack',
    ]);
    expect(secretVersionDeleteRule({ versionCount: 1, revisions: ['a-1'] })).toBe('LastSecretVersion');
    expect(secretVersionDeleteRule({ versionCount: 2, revisions: ['a-1'] })).toBe('SecretIsReferencedInAtLeastOneStack');
    expect(secretVersionDeleteRule({ versionCount: 2, revisions: [] })).toBe(true);
    expect(secretDetachRule({ isAutoAttached: true })).toBe('CannotRemoveAutoAttachSecretGroups');
    expect(secretDetachRule({ isAutoAttached: false })).toBe(true);
  });

  test.each([
    [true, true, 'AutomationCannotReveal'],
    [true, false, 'AutomationCannotReveal'],
    [false, false, 'NotAMember'],
    [false, true, true],
  ])('automation %s, member %s: %s', (isAutomation, isMember, verdict) =>
    expect(secretRevealRule({ isAutomation, isMember })).toBe(verdict),
  );
});

test.each([
  [null, 'NONE'],
  ['2026-11-19', 'EXPIRED'],
  ['2026-11-20', 'SOON'],
  ['2026-12-03', 'SOON'],
  ['2026-12-04', 'LATER'],
])('at noon on 20 November a key of %s is %s', (expiresAt, state) =>
  expect(expiryOf(expiresAt, new Date('2026-11-20T12:00:00Z'))).toBe(state),
);

const codesOf = (schema: typeof SecretGroupCreate | typeof SecretReveal | typeof SecretEntry, value: unknown): string[] => {
  const result = schema.safeParse(value, { reportInput: true });
  return result.success ? [] : fieldErrors(result.error).map(({ field, code }) => `${field}: ${code}`);
};

test.each(['A', '_a', 'tls.key', 'a-b', 'A'.repeat(253)])('%s is a key', (key) =>
  expect(codesOf(SecretEntry, { key, value: '' })).toEqual([]),
);
test.each(['', '1A', '.a', 'a b', 'a=b', 'ä', 'A'.repeat(254)])('%s is no key', (key) =>
  expect(codesOf(SecretEntry, { key, value: '' })).toEqual(['key: InvalidSecretKey']),
);
test('those without dots and dashes become variables', () => {
  expect(['A', '_a', 'tls.key', 'a-b'].map(isEnvironmentName)).toEqual([true, true, false, false]);
});

test.each([
  ['', 0],
  ['a', 1],
  ['ä', 2],
  ['€', 3],
  ['😀', 4],
  ['aä€😀', 10],
  ['\ud800', 3],
])('%j has %i bytes of UTF-8', (text, bytes) => expect(utf8Bytes(text)).toBe(bytes));

test('a group has keys, and not too many', () => {
  const entries = Array.from({ length: maxSecretKeys + 1 }, (_, at) => ({ key: `K${at}`, value: '' }));
  expect(codesOf(SecretGroupCreate, { name: 'orders', entries: [] })).toEqual(['entries: Required']);
  expect(codesOf(SecretGroupCreate, { name: 'orders', entries })).toEqual(['entries: TooManySecretKeys']);
  expect(codesOf(SecretGroupCreate, { name: 'orders', entries: entries.slice(1) })).toEqual([]);
});

test('a reason has ten characters that are not blanks around it', () => {
  const reveal = { key: 'A', version: 1 };
  expect(codesOf(SecretReveal, { ...reveal, reason: '   nine chr   ' })).toEqual(['reason: MinimumLength']);
  expect(codesOf(SecretReveal, { ...reveal, reason: 'ten chars.' })).toEqual([]);
  expect(codesOf(SecretReveal, { ...reveal, version: 0, reason: 'ten chars.' })).toEqual(['version: Minimum']);
});
