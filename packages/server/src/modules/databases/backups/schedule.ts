/** When a database is backed up: once a night, at a minute that its id chooses, so that not all of them start at once. */
import { createHash } from 'node:crypto';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const FIRST_HOUR = 1;
const HOURS = 4;
/** A night and some: longer without a backup is worth a warning. */
export const MISSED_HOURS = 26;
/** After one that failed. */
const RETRY_MS = 4 * 3_600_000;

/** Between 1:00 and 5:00 UTC. */
const minuteOf = (id: string): number => FIRST_HOUR * 60 + (createHash('sha256').update(id).digest().readUInt32BE(0) % (HOURS * 60));

/** The last time that one was due. */
export const lastDue = (id: string, now: Date): Date => {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS + minuteOf(id) * MINUTE_MS;
  return new Date(today <= now.getTime() ? today : today - DAY_MS);
};
export const nextDue = (id: string, now: Date): Date => new Date(lastDue(id, now).getTime() + DAY_MS);

export interface ScheduleFacts {
  readonly id: string;
  readonly createdAt: Date;
  /** Of its backups on schedule, whatever became of it. */
  readonly lastTriedAt: Date | null;
  readonly isLastFailed: boolean;
}
/** What the platform missed while it was down is made up for at once. */
export const isDue = ({ id, createdAt, lastTriedAt, isLastFailed }: ScheduleFacts, now: Date): boolean => {
  const due = lastDue(id, now);
  if (createdAt > due) return false;
  if (lastTriedAt === null || lastTriedAt < due) return true;
  return isLastFailed && now.getTime() - lastTriedAt.getTime() >= RETRY_MS;
};
