/** Schedules one backup per night, at a minute derived from the database's id, so that not all backups start at the same time. */
import { createHash } from 'node:crypto';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const FIRST_HOUR = 1;
const HOURS = 4;
/** A day plus a margin. A longer gap between backups raises a warning. */
export const MISSED_HOURS = 26;
/** Delay after a failed backup. */
const RETRY_MS = 4 * 3_600_000;

/** Returns a minute of the day between 1:00 and 5:00 UTC. */
const minuteOf = (id: string): number => FIRST_HOUR * 60 + (createHash('sha256').update(id).digest().readUInt32BE(0) % (HOURS * 60));

/** Returns the last time that a backup was due. */
export const lastDue = (id: string, now: Date): Date => {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS + minuteOf(id) * MINUTE_MS;
  return new Date(today <= now.getTime() ? today : today - DAY_MS);
};
export const nextDue = (id: string, now: Date): Date => new Date(lastDue(id, now).getTime() + DAY_MS);

export interface ScheduleFacts {
  readonly id: string;
  readonly createdAt: Date;
  /** Last scheduled attempt, whatever its result. */
  readonly lastTriedAt: Date | null;
  readonly isLastFailed: boolean;
}
/** Returns whether a backup is due. Backups missed while the platform was down are due immediately. */
export const isDue = ({ id, createdAt, lastTriedAt, isLastFailed }: ScheduleFacts, now: Date): boolean => {
  const due = lastDue(id, now);
  if (createdAt > due) return false;
  if (lastTriedAt === null || lastTriedAt < due) return true;
  return isLastFailed && now.getTime() - lastTriedAt.getTime() >= RETRY_MS;
};
