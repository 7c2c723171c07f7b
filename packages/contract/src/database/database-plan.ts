/** Sizing options of a database (core §5, decisions §3): compute plans, storage sizes, and numeric limits. */
import * as z from 'zod/mini';
import { whole } from '../kernel/fields.ts';

export const databasePlans = ['BURSTABLE_1', 'BURSTABLE_2', 'GENERAL_2', 'GENERAL_4', 'MEMORY_4'] as const;
export const DatabasePlan = z.enum(databasePlans, { error: 'InvalidValue' });
export type DatabasePlan = z.infer<typeof DatabasePlan>;

export interface DatabasePlanFacts {
  readonly label: string;
  readonly cpus: number;
  /** True if the database shares its CPUs with other databases. */
  readonly isShared: boolean;
  readonly memoryGb: number;
  /** Recommended maximum of connections. More are allowed but slow. */
  readonly easyConnections: number;
}
export const databasePlanFacts: Readonly<Record<DatabasePlan, DatabasePlanFacts>> = {
  BURSTABLE_1: { label: 'Small, shared CPU', cpus: 1, isShared: true, memoryGb: 2, easyConnections: 50 },
  BURSTABLE_2: { label: 'Small, two shared CPUs', cpus: 2, isShared: true, memoryGb: 4, easyConnections: 100 },
  GENERAL_2: { label: 'General', cpus: 2, isShared: false, memoryGb: 8, easyConnections: 300 },
  GENERAL_4: { label: 'General, twice as large', cpus: 4, isShared: false, memoryGb: 16, easyConnections: 600 },
  MEMORY_4: { label: 'Much data in memory', cpus: 4, isShared: false, memoryGb: 32, easyConnections: 1200 },
};

export const databaseLimits = {
  storageGb: { min: 32, max: 16_384 },
  backupRetentionDays: { min: 7, max: 35 },
  maxConnections: { min: 10, max: 5000 },
} as const;
/** Bytes beyond the storage in which data can still be deleted. A database that exceeds them, too, refuses connections. */
export const storageReserveBytes = (storageGb: number): number => Math.max((storageGb * 2 ** 30) / 10, 256 * 2 ** 20);
/** Connections of the read-only login, which the other logins then lack. */
export const databaseReadConnections = (maxConnections: number): number => Math.floor(maxConnections / 5);
/** Default timeout of a single statement, in seconds; a session can set another. */
export const databaseStatementSeconds = 30;
/** Limit of a transaction, in hours. A session cannot lift it. */
export const databaseTransactionHours = 24;

const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value));

export const StorageGb = whole(databaseLimits.storageGb).check(z.refine(isPowerOfTwo, { error: 'NotAPowerOfTwo' }));
export const BackupRetentionDays = whole(databaseLimits.backupRetentionDays);
export const MaxConnections = whole(databaseLimits.maxConnections);

/** Selectable sizes: 32, 64, 128 … */
export const storageLadder: readonly number[] = Array.from(
  { length: Math.log2(databaseLimits.storageGb.max / databaseLimits.storageGb.min) + 1 },
  (_, step) => databaseLimits.storageGb.min * 2 ** step,
);
/** Storage can only grow. */
export const storageRule = (before: number, after: number): true | 'StorageCannotBeDecreased' =>
  after < before ? 'StorageCannotBeDecreased' : true;
