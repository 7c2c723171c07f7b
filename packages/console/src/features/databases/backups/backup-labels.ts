/** Labels for backups: trigger, state and restore test. */
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

/** A backup that was never restored in a test is drawn as a ring, not as a cone. */
export const checkLook: Readonly<Record<(typeof backupCheckStates)[number], StatusLook>> = {
  NOT_CHECKED: { tone: 'off', word: 'Not checked' },
  SKIPPED: { tone: 'off', word: 'Not checked' },
  PENDING: { tone: 'warn', word: 'Waits for its check' },
  RUNNING: { tone: 'run', word: 'Being checked' },
  PASSED: { tone: 'ok', word: 'Checked' },
  FAILED: { tone: 'bad', word: 'Check failed' },
};

export const failureText = ({ code, context }: BackupFailure): string => fill(backupFailureTexts[code] ?? code, context);

/** State of the whole backup. `why` is the text of the failure. */
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

/** Row warnings. */
export const warningLabels: Readonly<Record<BackupWarning, string>> = {
  BackupMissed: 'Backup missed',
  BackupFailed: 'Backup failed',
  BackupCheckFailed: 'Check failed',
  BackupNotChecked: 'Backup not checked',
};
