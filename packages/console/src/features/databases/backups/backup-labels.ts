/** Backups in words: why one was made, how it is, and whether it was restored for a try. */
import { backupFailureTexts, type BackupFailure, type DatabaseBackup } from '@slipway/contract/database/backup.ts';
import type { backupCheckStates, BackupWarning } from '@slipway/contract/database/backup-summary.ts';
import { fill } from '@slipway/contract/kernel/errors.ts';
import type { StatusLook } from '#entities/status.ts';

const kinds: Readonly<Record<DatabaseBackup['kind'], string>> = {
  SCHEDULED: 'Nightly',
  ON_DEMAND: 'By hand',
  BEFORE_DELETION: 'Before the deletion',
};
/** "By hand, Rahul Deshmukh". */
export const whyLabel = ({ kind, createdBy }: Pick<DatabaseBackup, 'kind' | 'createdBy'>): string =>
  createdBy === null ? kinds[kind] : `${kinds[kind]}, ${createdBy.displayName}`;

/** What was never restored is a ring, never a cone. */
export const checkLook: Readonly<Record<(typeof backupCheckStates)[number], StatusLook>> = {
  NOT_CHECKED: { tone: 'off', word: 'Not checked' },
  SKIPPED: { tone: 'off', word: 'Not checked' },
  PENDING: { tone: 'warn', word: 'Waits for its check' },
  RUNNING: { tone: 'run', word: 'Being checked' },
  PASSED: { tone: 'ok', word: 'Checked' },
  FAILED: { tone: 'bad', word: 'Check failed' },
};

export const failureText = ({ code, context }: BackupFailure): string => fill(backupFailureTexts[code] ?? code, context);

/** Of the whole backup; `why` is the sentence of what failed. */
export const backupLook = ({
  state,
  failure,
  check,
}: Pick<DatabaseBackup, 'state' | 'failure' | 'check'>): StatusLook & { why?: string } => {
  if (state === 'PENDING') return { tone: 'warn', word: 'Waiting' };
  if (state === 'RUNNING') return { tone: 'run', word: 'Being made' };
  if (state === 'FAILED') return { tone: 'bad', word: 'Failed', ...(failure && { why: failureText(failure) }) };
  return { ...checkLook[check.state], ...(check.failure && { why: failureText(check.failure) }) };
};

/** Of a row: what to look at. */
export const warningLabels: Readonly<Record<BackupWarning, string>> = {
  BackupMissed: 'Backup missed',
  BackupFailed: 'Backup failed',
  BackupCheckFailed: 'Check failed',
  BackupNotChecked: 'Backup not checked',
};
