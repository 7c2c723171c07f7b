import { expect, test } from 'vitest';
import { backupLook, failureText, whyLabel } from './backups/backup-labels.ts';
import { proposedName } from './backups/RestoreDialog.tsx';
import { backupOf, databaseOf, withStatus } from './database.fixture.ts';
import { databaseLook, deletionReason, fullOn, isStale, nextStorage, percentLabel, toDatabaseName } from './database-labels.ts';

test.each([
  [databaseOf(), 'Ready', 'ok'],
  [withStatus({ provisioning: 'PENDING' }, { state: 'CREATING' }), 'Pending', 'warn'],
  [withStatus({ provisioning: 'RUNNING' }, { state: 'CREATING' }), 'Being created', 'run'],
  [databaseOf({ state: 'NOT_CREATED' }), 'Not created', 'bad'],
  [databaseOf({ state: 'DELETING' }), 'Being deleted', 'run'],
  [withStatus({ provisioning: 'RUNNING' }), 'Applying changes', 'run'],
  [withStatus({ provisioning: 'FAILED' }, { active: false }), 'Failed', 'bad'],
  [withStatus({ provisioning: 'UNKNOWN' }), 'Pending changes', 'idle'],
  [databaseOf({ active: false }), 'Inactive', 'off'],
  [withStatus({ isReadOnly: true }), 'Read only', 'warn'],
  [withStatus({ isReadOnly: true, isClosed: true }), 'Over its storage', 'bad'],
])('%#: %s', (database, word, tone) => expect(databaseLook(database)).toEqual({ word, tone }));

const G = 1024 ** 3;
test('when it is full follows from how it grows; a year ahead, or shrinking, it is never', () => {
  const now = new Date('2026-11-20T00:00:00Z');
  const of = (growthBytesPerDay: number, sizeBytes = 54 * G) => fullOn({ sizeBytes, storageBytes: 64 * G, growthBytesPerDay }, now);
  expect(of(G)?.toISOString()).toBe('2026-11-30T00:00:00.000Z');
  expect(of(G / 100)).toBeUndefined();
  expect(of(-G)).toBeUndefined();
  expect(of(G, 65 * G)).toBeUndefined();
});

test('a little is not nothing, and almost all is not all', () => {
  expect([0, 0.004, 0.46, 0.996, 1, 1.02].map(percentLabel)).toEqual(['0 %', '< 1 %', '46 %', '99 %', '100 %', '102 %']);
});

test('the ladder ends, names lose what they may not hold, and old figures are stale', () => {
  expect([nextStorage(32), nextStorage(16_384)]).toEqual([64, undefined]);
  expect(['Berth plans', 'berth-planner', 'Årsplan 2026'].map(toDatabaseName)).toEqual(['berthplans', 'berthplanner', 'rsplan2026']);
  const at = '2026-11-20T12:00:00.000Z';
  expect([60_000, 240_000].map((ms) => isStale(at, Date.parse(at) + ms))).toEqual([false, true]);
});

const check = (state: 'NOT_CHECKED' | 'SKIPPED' | 'PASSED') => backupOf({ check: { state, at: null, durationMs: null, failure: null } });
test('a backup that was not restored is never shown as one that was', () => {
  expect(['PASSED', 'NOT_CHECKED', 'SKIPPED'].map((state) => backupLook(check(state as never)).tone)).toEqual(['ok', 'off', 'off']);
  const passed = backupOf().check;
  expect(backupLook(backupOf({ state: 'RUNNING', check: passed }))).toEqual({ tone: 'run', word: 'Being made' });
  expect(backupLook(backupOf({ state: 'FAILED', failure: { code: 'TableLocked', context: { seconds: '5' } } }))).toEqual({
    tone: 'bad',
    word: 'Failed',
    why: 'A table was locked for more than 5 s, so that it could not be read.',
  });
  expect(failureText({ code: 'OfAnotherVersion', context: {} })).toBe('OfAnotherVersion');
});

test('who asked for a backup stands with it', () => {
  const createdBy = { id: 'rahul', displayName: 'Rahul Deshmukh' };
  expect(whyLabel(backupOf())).toBe('Nightly');
  expect(whyLabel(backupOf({ kind: 'ON_DEMAND', createdBy }))).toBe('By hand, Rahul Deshmukh');
});

test.each([
  ['berthplans', false, 'berthplans2'],
  ['berthplans9', false, 'berthplans10'],
  ['a'.repeat(63), false, `${'a'.repeat(62)}2`],
  ['berthplans', true, 'berthplans'],
])('%s, deleted %s, is restored as %s', (database, isOfDeleted, name) => expect(proposedName({ database, isOfDeleted })).toBe(name));

test('one that services read cannot be deleted, and where they stand is said', () => {
  expect(deletionReason(databaseOf(), 'Cranes')).toBeUndefined();
  const read = databaseOf({ can: { delete: 'SecretIsReferencedInAtLeastOneStack' } });
  expect(deletionReason(read, 'Cranes')).toBe(
    'Secret is referenced in at least one stack, and cannot be deleted. Connect lists the services that read it.',
  );
  expect(deletionReason(databaseOf({ can: { delete: 'DatabasePipelineRunning' } }), 'Cranes')).not.toContain('Connect');
});
