/** Labels for databases: state, size and metrics. */
import { databasePlanFacts, storageLadder, type DatabasePlan } from '@slipway/contract/database/database-plan.ts';
import type { Database } from '@slipway/contract/database/database.ts';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { lifecycleLook, type StatusLook } from '#entities/status.ts';
import { reasonOf } from '#kit/error/messages.ts';

const provisioningLook: Readonly<Record<Exclude<Database['status']['provisioning'], 'COMPLETED'>, StatusLook>> = {
  PENDING: { tone: 'warn', word: 'Pending' },
  RUNNING: { tone: 'run', word: 'Applying changes' },
  FAILED: { tone: 'bad', word: 'Failed' },
  UNKNOWN: { tone: 'idle', word: 'Pending changes' },
};

type Shown = Pick<Database, 'state' | 'active'> & { readonly status: Pick<Database['status'], 'provisioning' | 'isReadOnly' | 'isClosed'> };
/** A lifecycle state takes precedence over health. */
export const databaseLook = ({ state, active, status: { provisioning, isReadOnly, isClosed } }: Shown): StatusLook => {
  const life = lifecycleLook[state];
  if (life) return state === 'CREATING' && provisioning === 'PENDING' ? provisioningLook.PENDING : life;
  if (provisioning !== 'COMPLETED') return provisioningLook[provisioning];
  if (!active) return { tone: 'off', word: 'Inactive' };
  if (isClosed) return { tone: 'bad', word: 'Over its storage' };
  return isReadOnly ? { tone: 'warn', word: 'Read only' } : { tone: 'ok', word: 'Ready' };
};

export const gigabyte = 1024 ** 3;
/** "1 CPU shared, 2 GB". */
export const planSize = (plan: DatabasePlan): string => {
  const { cpus, isShared, memoryGb } = databasePlanFacts[plan];
  return `${cpus} CPU${isShared ? ' shared' : ''}, ${memoryGb} GB`;
};
/** "64 GB", "2 TB". */
export const storageLabel = (storageGb: number): string => bytes(storageGb * gigabyte);
/** Returns the next larger storage step, or undefined at the top of the ladder. */
export const nextStorage = (storageGb: number): number | undefined => storageLadder.find((step) => step > storageGb);

/** Shares of a limit at which the bar gets darker and a notice appears. */
export const hotShare = 0.75;
export const fullShare = 0.95;
/** Rounds to a whole percent, but never rounds to 0 % or 100 %. */
export const percentLabel = (share: number): string => {
  const percent = share * 100;
  if (percent > 0 && percent < 1) return '< 1 %';
  return `${percent > 99 && percent < 100 ? 99 : Math.round(percent)} %`;
};

const dayMs = 86_400_000;
/** No forecast beyond one year. */
const farDays = 365;
/** Returns the day on which the storage will be full at the current growth, or undefined if that is more than a year away or never. */
export const fullOn = (facts: { sizeBytes: number; storageBytes: number; growthBytesPerDay: number }, now: Date): Date | undefined => {
  const { sizeBytes, storageBytes, growthBytesPerDay } = facts;
  if (growthBytesPerDay <= 0 || sizeBytes >= storageBytes) return undefined;
  const days = (storageBytes - sizeBytes) / growthBytesPerDay;
  return days > farDays ? undefined : new Date(now.getTime() + days * dayMs);
};
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' });
export const dayLabel = (date: Date): string => dayFormat.format(date);

/** Metrics older than this count as stale. */
const staleMs = 3 * 60_000;
export const isStale = (observedAt: string, now: number): boolean => now - Date.parse(observedAt) > staleMs;

/** Removes characters that a name may not contain: `Berth plans` becomes `berthplans`. */
export const toDatabaseName = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '');

/** Replaces the catalog's text about the secret with a pointer to the services that read the secret. */
export const deletionReason = ({ can }: Pick<Database, 'can'>, team: string): string | undefined => {
  const reason = reasonOf(can, 'delete', { team });
  return can['delete'] === 'SecretIsReferencedInAtLeastOneStack' ? `${reason}. Connect lists the services that read it.` : reason;
};
