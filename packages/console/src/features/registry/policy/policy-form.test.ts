import type { RegistryPolicy } from '@slipway/contract/registry/policy.ts';
import * as z from 'zod/mini';
import { expect, test } from 'vitest';
import { retentionWords } from '#features/registry/retention-words.ts';
import { bodyOf, policyChanges, policySchema, valuesOf } from './policy-form.ts';

const policy: RegistryPolicy = {
  isPublic: false,
  preventVulnerableImages: true,
  severity: 'high',
  retention: { keepNewest: 10, keepDays: null, keepPattern: 'v.*' },
  allowedCves: [
    {
      cveId: 'CVE-2026-30255',
      reason: 'No XML is read',
      expiresAt: '2026-12-15',
      author: { id: 'r', displayName: 'Rahul' },
      createdAt: '2026-11-12T10:00:00.000Z',
      isExpired: false,
    },
  ],
};

test('what is not touched is sent as it was', () => {
  const { allowedCves, ...rest } = policy;
  expect(bodyOf(valuesOf(policy))).toEqual({
    ...rest,
    allowedCves: allowedCves.map(({ cveId, reason, expiresAt }) => ({ cveId, reason, expiresAt })),
  });
  expect(policyChanges(valuesOf(policy), valuesOf(policy))).toEqual([]);
});

test('without a rule none is sent, and what stands in its fields is not looked at', () => {
  const values = { ...valuesOf(policy), deletes: false, keepNewest: null, keepPattern: '(' };
  expect(bodyOf(values).retention).toBeNull();
  expect(z.safeParse(policySchema(false), values).success).toBe(true);
  expect(policyChanges(valuesOf(policy), values)).toEqual(['retention']);
  const again = { ...valuesOf({ ...policy, retention: null }), keepNewest: 3 };
  expect(policyChanges(valuesOf({ ...policy, retention: null }), again)).toEqual([]);
});

test.each([
  [{ keepNewest: null }, 'keepNewest'],
  [{ keepNewest: 0 }, 'keepNewest'],
  [{ keepDays: 0.5 }, 'keepDays'],
  [{ keepPattern: '(' }, 'keepPattern'],
])('a rule with %j is refused at its field', (own, field) => {
  const { error } = z.safeParse(policySchema(true), { ...valuesOf(policy), ...own });
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
});

test('changes are called as people read them', () => {
  const start = valuesOf(policy);
  expect(policyChanges(start, { ...start, isPublic: true, severity: 'low', allowedCves: [], keepNewest: 3 })).toEqual([
    'public',
    'severity',
    'allowed vulnerabilities',
    'retention',
  ]);
});

test('a rule as a sentence', () => {
  expect(retentionWords(null)).toBe('Keeps every tag: nothing is deleted by itself.');
  expect(retentionWords({ keepNewest: 10, keepDays: 90, keepPattern: null })).toBe(
    'Keeps the newest 10 tags of each repository and everything pushed in the last 90 days.',
  );
  expect(retentionWords({ keepNewest: 1, keepDays: null, keepPattern: 'v.*' })).toBe(
    'Keeps the newest tag of each repository and tags that match v.*.',
  );
});
