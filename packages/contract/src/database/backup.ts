/**
 * Backups of a database: made daily and on demand, kept for the database's retention, checked by restoring them. A backup outlives its
 * database: it stays listed under the same name until it expires, and a new database can be restored from it.
 */
import * as z from 'zod/mini';
import { fill } from '../kernel/errors.ts';
import { Can, DisplayName, Environment, Instant, PageQuery, pageCodes, pageOf } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { PipelineRun } from '../pipeline/pipeline.ts';
import { backupCheckStates } from './backup-summary.ts';
import { DatabaseName, databaseLabels, type DatabaseUpdate } from './database.ts';

export const backupKinds = ['SCHEDULED', 'ON_DEMAND', 'BEFORE_DELETION'] as const;
export type BackupKind = (typeof backupKinds)[number];
export const backupStates = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'] as const;

/** Why a backup or a check failed: a code of `backupFailureTexts` with its values. */
export const BackupFailure = z.object({ code: z.string(), context: z.record(z.string(), z.string()) });
export type BackupFailure = z.infer<typeof BackupFailure>;
export const backupFailureTexts: Readonly<Record<string, string>> = {
  PlatformDiskFull: 'The disk of the platform is nearly full.',
  DatabaseUnreachable: 'The database server did not answer: {reason}',
  NotCopied: 'The database holds what a backup cannot copy: {objects}',
  CopyFailed: 'Copying failed: {reason}',
  TableLocked: 'A table was locked for more than {seconds} s, so that it could not be read.',
  Interrupted: 'The platform was stopped {attempts} times while the backup was made.',
  FileMissing: 'The file of the backup is gone.',
  FileDamaged: 'The file of the backup is damaged: its checksum does not match.',
  RestoreFailed: 'The backup could not be restored: {reason}',
  CheckOutOfTime: 'The restore took longer than {minutes} minutes and was stopped, so nobody knows whether the backup can be restored.',
  RestoreProgramMissing: 'The backup was made by pg_dump, and the platform has no pg_restore {version} or newer on its PATH.',
  RowsDiffer: 'The table {table} had {expected} rows, and {found} after the restore.',
};
/** Failures that say nothing about the backup itself: the backup counts as not checked. */
export const uncheckedCodes: readonly string[] = ['CheckOutOfTime', 'PlatformDiskFull', 'DatabaseUnreachable', 'RestoreProgramMissing'];
/** Returns the sentence for a failure. */
export const backupFailureText = ({ code, context }: BackupFailure): string => fill(backupFailureTexts[code] ?? '', context);

const Person = z.object({ id: z.string(), displayName: z.string() });
export const DatabaseBackup = z.object({
  id: z.string(),
  database: z.string(),
  app: z.string(),
  environment: Environment,
  kind: z.enum(backupKinds),
  state: z.enum(backupStates),
  /** True if the source database is deleted. Another database may have its name now. */
  isOfDeleted: z.boolean(),
  createdAt: Instant,
  /** Null for a scheduled backup. */
  createdBy: z.nullable(Person),
  startedAt: z.nullable(Instant),
  finishedAt: z.nullable(Instant),
  /** The backup contains the database's state at this moment. */
  takenAt: z.nullable(Instant),
  durationMs: z.nullable(z.number()),
  /** Size of the compressed file. */
  sizeBytes: z.nullable(z.number()),
  tables: z.nullable(z.number()),
  rows: z.nullable(z.number()),
  sha256: z.nullable(z.string()),
  /** Full version of the server: `18.4`. */
  serverVersion: z.nullable(z.string()),
  platformVersion: z.nullable(z.string()),
  failure: z.nullable(BackupFailure),
  check: z.object({
    state: z.enum(backupCheckStates),
    at: z.nullable(Instant),
    durationMs: z.nullable(z.number()),
    failure: z.nullable(BackupFailure),
  }),
  /** When it is deleted. The newest complete backup of an existing database is kept beyond this time. */
  expiresAt: Instant,
  /** Verbs: delete, check, restore. */
  can: Can,
});
export type DatabaseBackup = z.infer<typeof DatabaseBackup>;

type Facts = Pick<DatabaseBackup, 'state'> & { readonly check: Pick<DatabaseBackup['check'], 'state'> };
export const backupDeleteRule = ({ state, check }: Facts): true | 'BackupInUse' =>
  state === 'RUNNING' || check.state === 'RUNNING' ? 'BackupInUse' : true;
export const backupRestoreRule = ({ state }: Pick<Facts, 'state'>): true | 'BackupNotComplete' =>
  state === 'COMPLETED' ? true : 'BackupNotComplete';
export const backupCheckRule = ({ state, check }: Facts): true | 'BackupNotComplete' | 'BackupInUse' => {
  if (state !== 'COMPLETED') return 'BackupNotComplete';
  return check.state === 'PENDING' || check.state === 'RUNNING' ? 'BackupInUse' : true;
};

/** Settings of the database at the time of the backup. A restored database gets the same. */
export type BackedUpSettings = DatabaseUpdate & { readonly region: string; readonly hasReader?: boolean };
/** The new database. Plan, storage and the other settings come from the backup. */
export const DatabaseRestore = z.object({
  name: DatabaseName,
  /** Defaults to the name. */
  displayName: z.optional(DisplayName),
});

const tag = 'Databases';
const environment = '/api/v1/apps/{app}/{env}';
const base = `${environment}/databases/{database}/backups` as const;
const one = `${base}/{backup}` as const;
const access = 'appMemberHidden';
const listCodes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist'] as const;
const baseCodes = [...listCodes, 'DatabaseDoesNotExist'] as const;
const oneCodes = [...baseCodes, 'BackupDoesNotExist'] as const;

const route = routesIn({ tag, access });
export const databaseBackupList = route('databaseBackupList', `GET ${base}`, {
  summary: 'Backups of a database, newest first; of a deleted one too, as long as they are kept',
  query: PageQuery,
  response: pageOf(DatabaseBackup),
  codes: [...baseCodes, ...pageCodes],
});
export const databaseBackupListAll = route('databaseBackupListAll', `GET ${environment}/database-backups`, {
  summary: 'Backups of every database of an environment, newest first, with those of deleted databases',
  query: z.extend(PageQuery, { isOfDeleted: z.optional(z.stringbool()) }),
  response: pageOf(DatabaseBackup),
  codes: [...listCodes, ...pageCodes],
});
export const databaseBackupCreate = route('databaseBackupCreate', `POST ${base}`, {
  summary: 'Back up now; the answer is a backup that waits for its turn',
  response: DatabaseBackup,
  status: 202,
  codes: [...baseCodes, 'DatabaseInactive', 'DatabaseNotCreated', 'BackupAlreadyPending'],
});
export const databaseBackupView = route('databaseBackupView', `GET ${one}`, {
  summary: 'One backup',
  response: DatabaseBackup,
  codes: oneCodes,
});
export const databaseBackupDelete = route('databaseBackupDelete', `DELETE ${one}`, {
  summary: 'Delete a backup before its time',
  codes: [...oneCodes, 'BackupInUse'],
});
export const databaseBackupCheck = route('databaseBackupCheck', `POST ${one}/checks`, {
  summary: 'Restore a backup into a scratch database, count its rows, and drop it again',
  response: DatabaseBackup,
  status: 202,
  codes: [...oneCodes, 'BackupNotComplete', 'BackupInUse'],
});
export const databaseBackupRestore = route('databaseBackupRestore', `POST ${one}/restorations`, {
  summary: 'Make a new database of a backup, with a secret group of its own; nothing reads it until it is attached',
  body: DatabaseRestore,
  fieldLabel: (field) => databaseLabels[field],
  response: PipelineRun,
  status: 202,
  codes: [
    ...oneCodes,
    'BackupNotComplete',
    'ConnectionsNotLeft',
    'DatabaseAlreadyExists',
    'SecretGroupAlreadyExists',
    'Required',
    'LowercaseAlphanumeric',
    'InvalidName',
    'MinimumLength',
    'ExceedsMaximumLength',
    'InvalidValue',
    'WorkflowExecutionAlreadyStarted',
  ],
});
