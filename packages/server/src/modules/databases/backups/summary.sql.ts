/** Summary of a database's backups: an SQL column, and its conversion. */
import { sql } from 'kysely';
import type { BackupWarning, DatabaseBackupSummary } from '@slipway/contract/database/backup-summary.ts';
import { MISSED_HOURS, nextDue } from './schedule.ts';

const HOUR_MS = 3_600_000;

/** The column in its JSON form. */
export interface SummaryColumn {
  readonly lastAt: string | null;
  readonly lastSizeBytes: number | null;
  readonly lastCheck: DatabaseBackupSummary['lastCheck'];
  readonly lastState: 'COMPLETED' | 'FAILED' | null;
  readonly count: number;
}
/** Column for queries on `database`. */
export const summaryColumn = sql`(select jsonb_build_object(
    'lastAt', max(b.finished_at) filter (where b.state = 'COMPLETED'),
    'lastSizeBytes', (array_agg(b.size_bytes order by b.created_at desc) filter (where b.state = 'COMPLETED'))[1],
    'lastCheck', (array_agg(b.check_state order by b.created_at desc) filter (where b.state = 'COMPLETED'))[1],
    'lastState', (array_agg(b.state order by b.created_at desc) filter (where b.state in ('COMPLETED', 'FAILED')))[1],
    'count', count(*) filter (where b.state = 'COMPLETED'))
  from database_backup as b where b.database_id = database.id)`;

interface Facts {
  readonly id: string;
  readonly created_at: Date;
  readonly active: boolean;
  readonly state: string;
  readonly backups: SummaryColumn;
}
const warningOf = (
  { created_at, backups: { lastAt, lastCheck, lastState } }: Facts,
  isKeptUp: boolean,
  now: Date,
): BackupWarning | null => {
  if (lastState === 'FAILED') return 'BackupFailed';
  const last = lastAt === null ? created_at : new Date(lastAt);
  if (isKeptUp && now.getTime() - last.getTime() > MISSED_HOURS * HOUR_MS) return 'BackupMissed';
  if (lastCheck === 'SKIPPED') return 'BackupNotChecked';
  return lastCheck === 'FAILED' ? 'BackupCheckFailed' : null;
};

export const summaryOf = (row: Facts, now = new Date()): DatabaseBackupSummary => {
  const { lastAt, lastSizeBytes, lastCheck, count } = row.backups;
  const isKeptUp = row.active && row.state === 'ACTIVE';
  return {
    nextAt: isKeptUp ? nextDue(row.id, now).toISOString() : null,
    lastAt: lastAt === null ? null : new Date(lastAt).toISOString(),
    lastSizeBytes,
    lastCheck,
    count,
    warning: warningOf(row, isKeptUp, now),
  };
};
