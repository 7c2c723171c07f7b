/** Summary of a database's backups, for its page and its row in the list. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';

/**
 * A check restores the backup and counts its rows. SKIPPED: the check was not possible for lack of time, disk or a server; its failure says
 * which.
 */
export const backupCheckStates = ['NOT_CHECKED', 'PENDING', 'RUNNING', 'PASSED', 'FAILED', 'SKIPPED'] as const;
export const backupWarnings = ['BackupMissed', 'BackupFailed', 'BackupCheckFailed', 'BackupNotChecked'] as const;
export type BackupWarning = (typeof backupWarnings)[number];
/** Also recorded in the activity log. */
export const backupWarningTexts: Readonly<Record<BackupWarning, string>> = {
  BackupMissed: 'No backup was completed for more than 26 hours.',
  BackupFailed: 'The last backup failed.',
  BackupCheckFailed: 'The last backup could not be restored.',
  BackupNotChecked: 'The last backup was not checked by a restore.',
};

export const DatabaseBackupSummary = z.object({
  /** Null while the database is inactive or not created yet. */
  nextAt: z.nullable(Instant),
  /** When the newest complete backup finished. */
  lastAt: z.nullable(Instant),
  lastSizeBytes: z.nullable(z.number()),
  lastCheck: z.nullable(z.enum(backupCheckStates)),
  /** Number of complete backups. */
  count: z.number(),
  warning: z.nullable(z.enum(backupWarnings)),
});
export type DatabaseBackupSummary = z.infer<typeof DatabaseBackupSummary>;
