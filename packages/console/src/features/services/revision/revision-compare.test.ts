import { expect, test } from 'vitest';
import { secretChanges } from '#entities/diagnosis/revision-changes.ts';
import { comparedFirst } from './revision-compare.ts';
import { failingRevision } from '#features/services/page/use-service-diagnosis.ts';

const named = (number: number) => ({ name: `berth-${number}`, number, service: 'berth' });

test('a revision is compared with the one that runs, and that one with the one before it', () => {
  expect(comparedFirst(named(3), 'berth-5')).toBe('berth-5');
  expect(comparedFirst(named(5), 'berth-5')).toBe('berth-4');
  expect(comparedFirst(named(1), null)).toBeUndefined();
});

test('secret versions differ by group, also where one reads a group that the other does not', () => {
  expect(secretChanges({ secretVersions: { db: 3, mail: 1 } }, { secretVersions: { db: 2, tls: 1, mail: 1 } })).toEqual([
    { group: 'db', before: 3, after: 2 },
    { group: 'tls', before: null, after: 1 },
  ]);
});

test('the newest that did not get well is shown before the one that serves badly', () => {
  const revision = (name: string, status: 'FAILING' | 'HEALTHY' | 'UNKNOWN', isServing = false) => ({
    name,
    status,
    isServing,
    enabled: true,
  });
  expect(failingRevision([revision('berth-3', 'FAILING'), revision('berth-2', 'HEALTHY', true)])).toBe('berth-3');
  expect(failingRevision([revision('berth-3', 'HEALTHY'), revision('berth-2', 'UNKNOWN', true)])).toBe('berth-2');
  expect(failingRevision([revision('berth-3', 'HEALTHY', true), revision('berth-2', 'FAILING')])).toBeUndefined();
});
