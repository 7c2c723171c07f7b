/**
 * Databases: each is a PostgreSQL database with a platform secret group, which services attach like any other group. Fields and limits come
 * from the specification (core §3–§5, decisions §3, §7). Nothing here contains a password.
 */
import * as z from 'zod/mini';
import {
  Can,
  DisplayName,
  Environment,
  Instant,
  PageQuery,
  PasswordOverlap,
  ServiceName,
  reservedNames,
  nameCodes,
  numberCodes,
} from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { resource } from '../resource.ts';
import { withPlans, startsRun } from '../pipeline/plan.ts';
import { SecretGroupName } from '../secret/secret-group.ts';
import { Region } from '../service/service-spec.ts';
import { DatabaseBackupSummary } from './backup-summary.ts';
import { databaseKind } from '../kinds/database.kind.ts';
import { BackupRetentionDays, DatabasePlan, MaxConnections, StorageGb } from './database-plan.ts';

export const DatabaseName = z.string({ error: 'Required' }).check(
  z.trim(),
  z.minLength(1, { error: 'Required', abort: true }),
  z.regex(/^[a-z0-9]+$/, { error: 'LowercaseAlphanumeric', abort: true }),
  z.minLength(3, { error: 'MinimumLength' }),
  z.maxLength(63, { error: 'ExceedsMaximumLength' }),
  z.refine<string>((value) => /^[a-z]/.test(value) && !reservedNames.has(value), { error: 'InvalidName' }),
);
/** Keys of its secret group. */
export const databaseSecretKeys = ['DB_URL', 'DB_HOST', 'DB_PORT', 'DB_NAME', 'DB_USER', 'DB_PASSWORD', 'DB_SSLMODE'] as const;
/** Keys of the secret group of the read-only login. They differ, so that a service can attach both groups. */
export const databaseReadKeys = databaseSecretKeys.map((key) => key.replace('DB_', 'DB_READ_'));
const maxGroupName = 63;
/** `{app}-{database}`, shortened if too long: the default name of the group. */
export const databaseGroupName = (app: string, database: string): string => {
  const room = maxGroupName - database.length - 1;
  return room < 2 ? database : `${app.slice(0, room).replace(/-+$/, '')}-${database}`;
};
const readSuffix = '-read';
/** Name of the secret group of the read-only login. */
export const databaseReadGroupName = (secretGroup: string): string =>
  `${secretGroup.slice(0, maxGroupName - readSuffix.length).replace(/-+$/, '')}${readSuffix}`;

const settings = {
  displayName: DisplayName,
  storageGb: StorageGb,
  backupRetentionDays: BackupRetentionDays,
  maxConnections: MaxConnections,
  plan: DatabasePlan,
};
/** Name, region and secret group are immutable. */
export const DatabaseUpdate = z.object(settings);
export type DatabaseUpdate = z.infer<typeof DatabaseUpdate>;

/**
 * States of the specification (core §4). UNKNOWN: the database does not exist in the engine or was not observed yet; shown as pending
 * changes.
 */
export const provisioningStates = ['PENDING', 'RUNNING', 'FAILED', 'COMPLETED', 'UNKNOWN'] as const;
/** Connections by application name, which is the service's name unless the program sets another. */
export const DatabaseConnections = z.object({
  application: z.string(),
  count: z.number(),
  /** True if connected with the previous password. */
  isFormer: z.boolean(),
  /** True if connected with the read-only login. */
  isReader: z.optional(z.boolean()),
});
export const Database = z.object({
  name: z.string(),
  app: z.string(),
  environment: Environment,
  displayName: z.string(),
  region: z.string(),
  plan: DatabasePlan,
  storageGb: z.number(),
  maxConnections: z.number(),
  backupRetentionDays: z.number(),
  /** An inactive database refuses connections; its data and backups are kept. */
  active: z.boolean(),
  state: z.enum(['ACTIVE', 'CREATING', 'NOT_CREATED', 'DELETING']),
  /** The secret group with the connection settings for services. */
  secretGroup: z.string(),
  /** Address for services. Null until the database is created. */
  connection: z.nullable(z.object({ host: z.string(), port: z.number(), database: z.string(), sslMode: z.string() })),
  /** Null until they are created. The previous password works until its end. */
  credentials: z.nullable(
    z.object({
      user: z.string(),
      /** Version of the secret group that contains the credentials. */
      version: z.number(),
      changedAt: Instant,
      former: z.nullable(z.object({ user: z.string(), endsAt: Instant })),
    }),
  ),
  /** The read-only login, whose keys are in a secret group of its own. Null if it is off. */
  reader: z.nullable(
    z.object({
      secretGroup: z.string(),
      user: z.string(),
      version: z.number(),
      /** Its share of `maxConnections`. */
      maxConnections: z.number(),
    }),
  ),
  status: z.object({
    provisioning: z.enum(provisioningStates),
    /** The pipeline that created or last changed it; its page shows progress and failure. */
    pipelineId: z.nullable(z.string()),
    /** `17.6`. Null before the first observation. */
    engineVersion: z.nullable(z.string()),
    sizeBytes: z.nullable(z.number()),
    connections: z.nullable(z.number()),
    connectionsBy: z.array(DatabaseConnections),
    /** True if the database exceeds its storage: it rejects writes until it shrinks or gets more storage. */
    isReadOnly: z.boolean(),
    /** True if it exceeds its storage by more than a tenth: it refuses connections until it gets more storage. */
    isClosed: z.boolean(),
    /** When size and connections were observed. */
    observedAt: z.nullable(Instant),
  }),
  backups: DatabaseBackupSummary,
  /** The settings of a change that is being applied or has failed. Null if there is none. */
  draft: z.nullable(DatabaseUpdate),
  createdAt: Instant,
  createdBy: z.object({ id: z.string(), displayName: z.string() }),
  /** Verbs: update, delete, activate, rotate, endFormerPassword, setReader. */
  can: Can,
});
export type Database = z.infer<typeof Database>;

export const DatabaseCreate = z.object({
  ...settings,
  name: DatabaseName,
  region: Region,
  /** Defaults to `databaseGroupName`. */
  secretGroup: z.optional(SecretGroupName),
  /** Services of the environment to attach the group to. Each reads it from its next revision on. */
  attachTo: z._default(z.array(ServiceName).check(z.maxLength(100, { error: 'ExceedsMaximumLength' })), []),
});
export type DatabaseCreate = z.output<typeof DatabaseCreate>;

export const DatabaseRotation = z.object({ overlapHours: PasswordOverlap });

export const databaseLabels: Readonly<Record<string, string>> = {
  displayName: 'Display name',
  name: 'Database name',
  storageGb: 'Storage',
  backupRetentionDays: 'Backup retention',
  maxConnections: 'Connections',
  plan: 'Compute plan',
  secretGroup: 'Secret group',
};
const fieldLabel = (field: string): string | undefined => databaseLabels[field];

const tag = 'Databases';
const base = '/api/v1/apps/{app}/{env}/databases';
const one = `${base}/{database}` as const;
const access = 'appMemberHidden';
const above = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist'] as const;
const oneCodes = [...above, 'DatabaseDoesNotExist'] as const;

const made = resource({
  kind: databaseKind,
  path: base,
  name: 'database',
  view: Database,
  create: DatabaseCreate,
  update: DatabaseUpdate,
  query: PageQuery,
  access: { read: access, create: access, write: access },
  codes: {
    above,
    missing: 'DatabaseDoesNotExist',
    taken: 'DatabaseAlreadyExists',
    form: [...nameCodes, ...numberCodes, 'LowercaseAlphanumeric', 'NotAPowerOfTwo', 'EngineUnavailable'],
    kept: ['DatabasePipelineRunning', 'SecretIsReferencedInAtLeastOneStack'],
  },
  summaries: {
    list: 'Databases of an app in one environment',
    create: 'Create a database with its secret group',
    update: 'Change name, size, limits or plan: a pipeline applies them',
    remove: 'Delete a database that no service reads, with its data; discards one that was not created',
  },
});
export const databaseResource = withPlans(made, {
  fieldLabel,
  create: ['RegionDoesNotExist', 'SecretGroupAlreadyExists', 'ServiceDoesNotExist', 'ApplicationNotCreated', 'ConnectionsNotLeft'],
  update: ['StorageCannotBeDecreased', 'ConnectionsNotLeft', 'DatabasePipelineRunning', 'DatabaseNotCreated', 'NothingChanged'],
});
export const {
  list: databaseList,
  view: databaseView,
  create: databaseCreate,
  update: databaseUpdate,
  remove: databaseDelete,
} = databaseResource;

const startCodes = [...oneCodes, 'Required', 'InvalidValue', 'DatabaseNotCreated', 'DatabasePipelineRunning'] as const;
const route = routesIn({ tag, access });
export const databaseActivation = route('databaseActivation', `PUT ${one}/activation`, {
  ...startsRun,
  summary: 'Activate or deactivate: a deactivated database refuses connections and keeps its data',
  body: z.object({ active: z.boolean({ error: 'Required' }) }),
  codes: [...startCodes, 'NothingChanged'],
});
export const databaseRotate = route('databaseRotate', `POST ${one}/rotations`, {
  ...startsRun,
  summary: 'Make new passwords as new versions of the secret groups; the former ones go on working for 0, 1 or 24 hours',
  body: DatabaseRotation,
  codes: [...startCodes, 'DatabaseInactive', 'FormerPasswordValid'],
});
export const databaseFormerPasswordEnd = route('databaseFormerPasswordEnd', `DELETE ${one}/former-password`, {
  summary: 'End the former password now; connections that were made with it are ended',
  response: Database,
  codes: [...oneCodes, 'NoFormerPassword'],
});
export const databaseReader = route('databaseReader', `PUT ${one}/read-only-login`, {
  ...startsRun,
  summary: 'Turn the read-only login on or off: it reads every table, writes nothing, and has a secret group of its own',
  body: z.object({ active: z.boolean({ error: 'Required' }) }),
  codes: [...startCodes, 'NothingChanged', 'DatabaseInactive', 'SecretGroupAlreadyExists', 'SecretIsReferencedInAtLeastOneStack'],
});
export const DatabaseOptions = z.object({
  /** Regions available for a new database, with the engine's version. The version is null if the engine does not answer. */
  regions: z.array(
    z.object({
      region: Region,
      engineVersion: z.nullable(z.string()),
      /** Free connections of the region's server. Null if unknown. */
      connectionsLeft: z.nullable(z.number()),
    }),
  ),
});
export const databaseOptionsView = route('databaseOptionsView', 'GET /api/v1/apps/{app}/{env}/database-options', {
  summary: 'What a new database can be made with here',
  response: DatabaseOptions,
  codes: above,
});
