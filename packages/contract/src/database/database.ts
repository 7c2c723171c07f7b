/**
 * Databases: each is a real PostgreSQL database with a platform secret group, which services attach like any other. Fields and limits
 * are the specification's (core §3–§5, decisions §3, §7). Nothing here ever holds a password.
 */
import * as z from 'zod/mini';
import { Can, DisplayName, Environment, Instant, PageQuery, ServiceName, reservedNames } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { resource } from '../kernel/resource.ts';
import { DryRunQuery, PlanOrRun, planned } from '../pipeline/plan.ts';
import { SecretGroupName } from '../secret/secret-group.ts';
import { Region } from '../service/service-spec.ts';
import { DatabaseBackupSummary } from './backup-summary.ts';
import { databaseKind } from './database.kind.ts';
import { BackupRetentionDays, DatabasePlan, MaxConnections, StorageGb } from './database-plan.ts';

export const DatabaseName = z.string({ error: 'Required' }).check(
  z.trim(),
  z.minLength(1, { error: 'Required', abort: true }),
  z.regex(/^[a-z0-9]+$/, { error: 'LowercaseAlphanumeric', abort: true }),
  z.minLength(3, { error: 'MinimumLength' }),
  z.maxLength(63, { error: 'ExceedsMaximumLength' }),
  z.refine<string>((value) => /^[a-z]/.test(value) && !reservedNames.has(value), { error: 'InvalidName' }),
);
/** The keys of its secret group. */
export const databaseSecretKeys = ['DB_URL', 'DB_HOST', 'DB_PORT', 'DB_NAME', 'DB_USER', 'DB_PASSWORD', 'DB_SSLMODE'] as const;
const maxGroupName = 63;
/** `{app}-{database}`, cut where it is too long: what the group is called unless said. */
export const databaseGroupName = (app: string, database: string): string => {
  const room = maxGroupName - database.length - 1;
  return room < 2 ? database : `${app.slice(0, room).replace(/-+$/, '')}-${database}`;
};

const settings = {
  displayName: DisplayName,
  storageGb: StorageGb,
  backupRetentionDays: BackupRetentionDays,
  maxConnections: MaxConnections,
  plan: DatabasePlan,
};
/** Name, region and secret group stay. */
export const DatabaseUpdate = z.object(settings);
export type DatabaseUpdate = z.infer<typeof DatabaseUpdate>;

/** Of the specification (core §4). UNKNOWN: the engine has nothing of it, or what it has was not seen yet; shown as pending changes. */
export const provisioningStates = ['PENDING', 'RUNNING', 'FAILED', 'COMPLETED', 'UNKNOWN'] as const;
/** Who is connected, as the program calls itself: a service's name, unless it says another. */
export const DatabaseConnections = z.object({
  application: z.string(),
  count: z.number(),
  /** With the former password. */
  isFormer: z.boolean(),
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
  /** Refuses connections where it is not; data and backups are kept. */
  active: z.boolean(),
  state: z.enum(['ACTIVE', 'CREATING', 'NOT_CREATED', 'DELETING']),
  /** The group whose keys services connect with. */
  secretGroup: z.string(),
  /** How services reach it; null until it is made. */
  connection: z.nullable(z.object({ host: z.string(), port: z.number(), database: z.string(), sslMode: z.string() })),
  /** Null until they are made. The former password works until its end, and then no more. */
  credentials: z.nullable(
    z.object({
      user: z.string(),
      /** Of the secret group, which holds them. */
      version: z.number(),
      changedAt: Instant,
      former: z.nullable(z.object({ user: z.string(), endsAt: Instant })),
    }),
  ),
  status: z.object({
    provisioning: z.enum(provisioningStates),
    /** The pipeline that made or changed it last; its page shows progress and failure. */
    pipelineId: z.nullable(z.string()),
    /** `17.6`; null until it was seen. */
    engineVersion: z.nullable(z.string()),
    sizeBytes: z.nullable(z.number()),
    connections: z.nullable(z.number()),
    connectionsBy: z.array(DatabaseConnections),
    /** It is larger than its storage: writes are refused until it is smaller, or its storage larger. */
    isReadOnly: z.boolean(),
    /** When size and connections were seen. */
    observedAt: z.nullable(Instant),
  }),
  backups: DatabaseBackupSummary,
  /** The settings of a change that is being applied, or has failed; null where there is none. */
  draft: z.nullable(DatabaseUpdate),
  createdAt: Instant,
  createdBy: z.object({ id: z.string(), displayName: z.string() }),
  /** Verbs: update, delete, activate, rotate, endFormerPassword. */
  can: Can,
});
export type Database = z.infer<typeof Database>;

export const DatabaseCreate = z.object({
  ...settings,
  name: DatabaseName,
  region: Region,
  /** `databaseGroupName` unless said. */
  secretGroup: z.optional(SecretGroupName),
  /** Services of the environment that shall read it; each does with its next revision. */
  attachTo: z._default(z.array(ServiceName).check(z.maxLength(100, { error: 'ExceedsMaximumLength' })), []),
});
export type DatabaseCreate = z.output<typeof DatabaseCreate>;

/** Hours for which the former password goes on working. */
export const overlapHours = [0, 1, 24] as const;
export const DatabaseRotation = z.object({ overlapHours: z._default(z.literal(overlapHours, { error: 'InvalidValue' }), 1) });

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
    form: [
      'Required',
      'InvalidValue',
      'InvalidName',
      'LowercaseAlphanumeric',
      'KebabCase',
      'MinimumLength',
      'ExceedsMaximumLength',
      'Minimum',
      'Maximum',
      'NotANumber',
      'NotAnInteger',
      'NotAPowerOfTwo',
      'EngineUnavailable',
    ],
    kept: ['DatabasePipelineRunning', 'SecretIsReferencedInAtLeastOneStack'],
  },
  summaries: {
    list: 'Databases of an app in one environment',
    create: 'Create a database with its secret group',
    update: 'Change name, size, limits or plan: a pipeline applies them',
    remove: 'Delete a database that no service reads, with its data; discards one that was not created',
  },
});
export const databaseResource = {
  ...made,
  create: {
    ...planned(made.create),
    fieldLabel,
    codes: [
      ...made.create.codes,
      'RegionDoesNotExist',
      'SecretGroupAlreadyExists',
      'ServiceDoesNotExist',
      'ApplicationNotCreated',
      'ConnectionsNotLeft',
    ],
  },
  update: {
    ...planned(made.update),
    fieldLabel,
    codes: [
      ...made.update.codes,
      'StorageCannotBeDecreased',
      'ConnectionsNotLeft',
      'DatabasePipelineRunning',
      'DatabaseNotCreated',
      'NothingChanged',
    ],
  },
  remove: planned(made.remove),
} as const;
export const {
  list: databaseList,
  view: databaseView,
  create: databaseCreate,
  update: databaseUpdate,
  remove: databaseDelete,
} = databaseResource;

const started = { tag, access, query: DryRunQuery, response: PlanOrRun, status: 202 } as const;
const startCodes = [...oneCodes, 'Required', 'InvalidValue', 'DatabaseNotCreated', 'DatabasePipelineRunning'] as const;
export const databaseActivation = route({
  ...started,
  id: 'databaseActivation',
  method: 'PUT',
  path: `${one}/activation`,
  summary: 'Activate or deactivate: a deactivated database refuses connections and keeps its data',
  body: z.object({ active: z.boolean({ error: 'Required' }) }),
  codes: [...startCodes, 'NothingChanged'],
});
export const databaseRotate = route({
  ...started,
  id: 'databaseRotate',
  method: 'POST',
  path: `${one}/rotations`,
  summary: 'Make a new password as a new version of the secret group; the former one goes on working for 0, 1 or 24 hours',
  body: DatabaseRotation,
  codes: [...startCodes, 'DatabaseInactive', 'FormerPasswordValid'],
});
export const databaseFormerPasswordEnd = route({
  id: 'databaseFormerPasswordEnd',
  method: 'DELETE',
  path: `${one}/former-password`,
  summary: 'End the former password now; connections that were made with it are ended',
  tag,
  access,
  response: Database,
  codes: [...oneCodes, 'NoFormerPassword'],
});
export const DatabaseOptions = z.object({
  /** What a database can be made in now, with the version of its engine; null where that does not answer. */
  regions: z.array(
    z.object({
      region: Region,
      engineVersion: z.nullable(z.string()),
      /** What its server has left beside other databases; null where that is not known. */
      connectionsLeft: z.nullable(z.number()),
    }),
  ),
});
export const databaseOptionsView = route({
  id: 'databaseOptionsView',
  method: 'GET',
  path: '/api/v1/apps/{app}/{env}/database-options',
  summary: 'What a new database can be made with here',
  tag,
  access,
  response: DatabaseOptions,
  codes: above,
});
