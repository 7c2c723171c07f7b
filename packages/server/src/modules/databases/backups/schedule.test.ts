/** Tests when backups are due, and the warnings about missing or failed backups. */
import { describe, expect, test } from 'vitest';
import { isDue, lastDue, nextDue } from './schedule.ts';
import { summaryOf } from './summary.sql.ts';

const noon = new Date('2026-11-22T12:00:00Z');
const hours = (count: number, from = noon): Date => new Date(from.getTime() + count * 3_600_000);

test('each database has a minute of its own, at night', () => {
  const minutes = Array.from({ length: 200 }, (_, index) => lastDue(`db_${index}`, noon).toISOString());
  expect(new Set(minutes).size).toBeGreaterThan(100);
  for (const at of minutes) expect(at >= '2026-11-22T01:00' && at < '2026-11-22T05:00', at).toBe(true);
  expect(nextDue('db_1', noon).getTime() - lastDue('db_1', noon).getTime()).toBe(86_400_000);
  const early = new Date('2026-11-22T00:30:00Z');
  expect(lastDue('db_1', early).toISOString().slice(0, 10)).toBe('2026-11-21');
});

describe('due', () => {
  const due = lastDue('db_1', noon);
  const facts = { id: 'db_1', createdAt: hours(-100), lastTriedAt: null, isLastFailed: false };
  test.each([
    ['never backed up', facts, true],
    ['new since', { ...facts, createdAt: hours(1, due) }, false],
    ['of last night', { ...facts, lastTriedAt: hours(0.1, due) }, false],
    ['of the night before', { ...facts, lastTriedAt: hours(-23, due) }, true],
    ['failed just now', { ...facts, lastTriedAt: hours(-1), isLastFailed: true }, false],
    ['failed hours ago', { ...facts, lastTriedAt: hours(0.1, due), isLastFailed: true }, true],
  ])('%s', (_name, of, expected) => {
    expect(isDue(of, noon)).toBe(expected);
  });
});

describe('warnings', () => {
  const backups = { lastAt: hours(-5).toISOString(), lastSizeBytes: 10, lastCheck: 'PASSED', lastState: 'COMPLETED', count: 3 } as const;
  const row = { id: 'db_1', created_at: hours(-100), active: true, state: 'ACTIVE', backups };
  test.each([
    ['all is well', row, null],
    ['it failed', { ...row, backups: { ...backups, lastState: 'FAILED' as const } }, 'BackupFailed'],
    ['the last is old', { ...row, backups: { ...backups, lastAt: hours(-27).toISOString() } }, 'BackupMissed'],
    ['there is none, and it is new', { ...row, created_at: hours(-2), backups: { ...backups, lastAt: null, lastState: null } }, null],
    ['there is none', { ...row, backups: { ...backups, lastAt: null, lastState: null } }, 'BackupMissed'],
    ['it is inactive', { ...row, active: false, backups: { ...backups, lastAt: hours(-27).toISOString() } }, null],
    ['it could not be restored', { ...row, backups: { ...backups, lastCheck: 'FAILED' as const } }, 'BackupCheckFailed'],
  ])('%s', (_name, of, warning) => {
    expect(summaryOf(of, noon)).toMatchObject({ warning, nextAt: of.active ? nextDue('db_1', noon).toISOString() : null });
  });
});
