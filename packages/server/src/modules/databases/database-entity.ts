/** The database entity of the resource kernel: rows in the contract's form, rules, and steps to create, change and delete a database. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { databasePlanFacts, databaseReadConnections, storageRule } from '@slipway/contract/database/database-plan.ts';
import {
  databaseGroupName,
  databaseLabels,
  databaseResource,
  type Database,
  type DatabaseCreate,
  type DatabaseUpdate,
} from '@slipway/contract/database/database.ts';
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { isActive, type PipelineState } from '@slipway/contract/pipeline/pipeline.ts';
import { loginName, otherLogin, type Databases } from '#ports/databases.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { lockApp } from '#modules/apps/index.ts';
import { note, type StepDefinition } from '#modules/pipelines/index.ts';
import {
  inPlace,
  placeOf,
  rowAt,
  type Entity,
  type EntityInput,
  type Place,
  type PlanParts,
  type Write,
} from '#modules/resources/index.ts';
import { isInUseSql, requireFreeGroup } from '#modules/secret-groups/index.ts';
import { summaryColumn, summaryOf, type SummaryColumn } from './backups/summary.sql.ts';
import type { CredentialDeps } from './credentials.ts';
import { attachStep, closeStep, dropGroupStep, dropStep, limitStep, passwordStep, provisionStep } from './database-steps.ts';
import { connectionsLeft, databaseRow, readerKeyOf, settingsOf, targetOf, type DatabaseRow } from './database-rows.ts';
import { openReaderStep } from './reader-steps.ts';

export interface Row extends DatabaseRow {
  /** State of the active run on the database, of any pipeline. */
  readonly busy: PipelineState | null;
  /** State of the pipeline that last created or changed the database. */
  readonly last: PipelineState | null;
  readonly is_in_use: boolean;
  readonly is_reader_in_use: boolean;
  readonly backups: SummaryColumn;
}
const lock = sql`'database:' || database.app_id || '/' || database.environment || '/' || database.name`;
const columns = sql`database.*,
  (select state from pipeline_run where subject = ${lock} and state in ('QUEUED', 'PENDING', 'RUNNING')) as busy,
  (select run.state from pipeline join pipeline_run run on run.run_id = pipeline.latest_run_id where pipeline.id = database.pipeline_id) as last,
  ${summaryColumn} as backups,
  ${isInUseSql(sql`database.app_id`, sql`database.environment`, sql`database.secret_group`)} as is_in_use,
  ${isInUseSql(sql`database.app_id`, sql`database.environment`, sql`database.reader_group`)} as is_reader_in_use`;

const provisioningOf = ({ busy, last, size_bytes }: Row): Database['status']['provisioning'] => {
  const state = busy ?? last;
  if (state === 'QUEUED' || state === 'PENDING') return 'PENDING';
  if (state === 'RUNNING') return 'RUNNING';
  if (state === 'FAILED' || state === 'CANCELED') return 'FAILED';
  return size_bytes === null ? 'UNKNOWN' : 'COMPLETED';
};

/** Settings cannot change while the database's pipeline runs (core §4). */
const changeRule = ({ busy, state }: Row): true | 'DatabasePipelineRunning' | 'DatabaseNotCreated' => {
  if (busy !== null && isActive(busy)) return 'DatabasePipelineRunning';
  return state === 'ACTIVE' ? true : 'DatabaseNotCreated';
};
const canOf = (row: Row): Database['can'] => {
  const change = changeRule(row);
  const isFree = change === true && row.former_ends_at !== null ? 'FormerPasswordValid' : change;
  const readerKept = row.is_reader_in_use ? 'SecretIsReferencedInAtLeastOneStack' : true;
  const kept = row.is_in_use ? 'SecretIsReferencedInAtLeastOneStack' : readerKept;
  const opens = row.active ? true : 'DatabaseInactive';
  return {
    update: change,
    delete: change === 'DatabasePipelineRunning' ? change : kept,
    activate: change,
    rotate: change === true && !row.active ? 'DatabaseInactive' : isFree,
    endFormerPassword: row.former_ends_at !== null && row.former_ends_at > new Date() ? true : 'NoFormerPassword',
    setReader: change === true ? (row.reader_version === null ? opens : readerKept) : change,
  };
};

const credentialsOf = (row: Row): Database['credentials'] => {
  const { login, credentials_version: version, credentials_at: changedAt, former_ends_at: endsAt } = row;
  if (login === null || version === null || changedAt === null) return null;
  const target = targetOf(row);
  const former = endsAt && { user: loginName(target, otherLogin(login)), endsAt: endsAt.toISOString() };
  return { user: loginName(target, login), version, changedAt: changedAt.toISOString(), former };
};
const readerOf = (row: Row): Database['reader'] => {
  const { reader_login: login, reader_version: version, max_connections: all } = row;
  if (login === null || version === null) return null;
  const user = loginName(targetOf(row), login);
  return { secretGroup: readerKeyOf(row).group, user, version, maxConnections: databaseReadConnections(all) };
};
const draftOf = (row: Row, provisioning: string): Database['draft'] => {
  const after = row.change?.after;
  return provisioning === 'COMPLETED' || after === undefined || isSame(settingsOf(row), after) ? null : after;
};

const toView = (row: Row): Database => {
  const { host, port, ssl_mode: sslMode } = row;
  const provisioning = provisioningOf(row);
  return {
    name: row.name,
    app: row.app_id,
    environment: row.environment,
    ...settingsOf(row),
    region: row.region,
    active: row.active,
    state: row.state,
    secretGroup: row.secret_group,
    connection: host === null || port === null || sslMode === null ? null : { host, port, sslMode, database: row.server_name },
    credentials: credentialsOf(row),
    reader: readerOf(row),
    status: {
      provisioning,
      pipelineId: row.pipeline_id,
      engineVersion: row.engine_version,
      sizeBytes: row.size_bytes,
      connections: row.size_bytes === null ? null : row.connections.reduce((sum, { count }) => sum + count, 0),
      connectionsBy: row.connections,
      isReadOnly: row.is_read_only,
      isClosed: row.is_closed,
      observedAt: row.observed_at?.toISOString() ?? null,
    },
    draft: draftOf(row, provisioning),
    backups: summaryOf(row),
    createdAt: row.created_at.toISOString(),
    createdBy: { id: row.created_by, displayName: row.created_by_name },
    can: canOf(row),
  };
};

/** Picks the settings from a larger object, such as a view. */
const settingsIn = ({
  displayName,
  storageGb,
  backupRetentionDays,
  maxConnections,
  plan: computePlan,
}: DatabaseUpdate): DatabaseUpdate => ({
  displayName,
  storageGb,
  backupRetentionDays,
  maxConnections,
  plan: computePlan,
});
const isSame = (one: DatabaseUpdate, other: DatabaseUpdate): boolean => changesOf(one, other).length === 0;

const warningsOf = (environment: string, { plan, maxConnections }: DatabaseUpdate): PlanNote[] => {
  const { easyConnections } = databasePlanFacts[plan];
  return [
    ...(maxConnections > easyConnections ? [note('ManyConnections', { plan, easy: String(easyConnections) })] : []),
    ...(environment === 'production' ? [note('ProductionChange')] : []),
  ];
};
const changesOf = (before: DatabaseUpdate, after: DatabaseUpdate): PlanNote[] => {
  const wanted = new Map<string, unknown>(Object.entries(settingsIn(after)));
  return Object.entries(settingsIn(before)).flatMap(([field, was]) => {
    const becomes = wanted.get(field);
    const context = { label: databaseLabels[field] ?? field, before: String(was), after: String(becomes) };
    return was === becomes ? [] : [note('ChangesSetting', context)];
  });
};
const plan = {
  create: ({ names: { app = '', env = '' }, wanted }: { names: Readonly<Record<string, string>>; wanted: DatabaseCreate }): PlanParts => {
    const group = wanted.secretGroup ?? databaseGroupName(app, wanted.name);
    const made = { database: wanted.name, storage: String(wanted.storageGb), connections: String(wanted.maxConnections) };
    return {
      consequences: [
        note('MakesDatabase', made),
        note('MakesSecretGroup', { group }),
        ...wanted.attachTo.map((service) => note('AttachesToService', { service, group })),
      ],
      warnings: [note('StorageNeverShrinks'), ...warningsOf(env, wanted)],
      skips: ['RestoreRows', 'OpenReader', ...(wanted.attachTo.length === 0 ? ['AttachSecretGroups'] : [])],
    };
  },
  update: (before: Database, wanted: DatabaseUpdate): PlanParts => ({
    consequences: changesOf(before, wanted),
    warnings: [...(wanted.storageGb > before.storageGb ? [note('StorageNeverShrinks')] : []), ...warningsOf(before.environment, wanted)],
  }),
  remove: ({ name, secretGroup, reader, environment, active, backupRetentionDays }: Database): PlanParts => ({
    consequences: [
      note('DeletesDatabase', { database: name, group: secretGroup }),
      ...(reader ? [note('ClosesReader', { group: reader.secretGroup })] : []),
      ...(active ? [note('MakesLastBackup', { days: String(backupRetentionDays) })] : []),
    ],
    skips: active ? [] : ['BackUpDatabase'],
    warnings: environment === 'production' ? [note('ProductionChange')] : [],
  }),
};

/** Generates a globally unique name, never reused, so that anything found under it on a server belongs to this database. */
const serverName = (name: string): string => {
  const chance = BigInt(`0x${randomBytes(6).toString('hex')}`)
    .toString(36)
    .slice(-8)
    .padStart(8, '0');
  return `${name.slice(0, 40)}_${chance}`;
};

const requireServices = async ({ trx, wanted }: Write<DatabaseCreate>, place: Place): Promise<void> => {
  const found = await trx
    .selectFrom('service')
    .select('name')
    .where(({ and }) => and(inPlace(place)))
    .where('name', 'in', [...wanted.attachTo, ''])
    .execute();
  const known = new Set(found.map(({ name }) => name));
  if (wanted.attachTo.some((service) => !known.has(service))) throw new Problem('ServiceDoesNotExist', { field: 'attachTo' });
};

/** Serializes writes, so that two databases cannot reserve the same connections. */
const requireConnections = async (
  trx: Write<DatabaseUpdate>['trx'],
  databases: Databases,
  { region, maxConnections, id = '' }: { readonly region: string; readonly maxConnections: number; readonly id?: string | undefined },
): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended('slipway:database-connections', 0))`.execute(trx);
  const left = await connectionsLeft(trx, databases, region, id);
  if (left !== undefined && maxConnections > left)
    throw new Problem('ConnectionsNotLeft', { field: 'maxConnections', context: { left: String(left) } });
};

const insert = async (write: Write<DatabaseCreate>, databases: Databases) => {
  const { trx, caller, wanted, names } = write;
  const place = placeOf(names);
  const { app, environment } = place;
  if (!databases.regions.includes(wanted.region)) throw new Problem('RegionDoesNotExist', { field: 'region' });
  // Apps that are being deleted accept no new databases.
  if ((await lockApp(trx, app))?.state !== 'ACTIVE') throw new Problem('ApplicationNotCreated');
  await requireServices(write, place);
  const { name, region, attachTo, secretGroup = databaseGroupName(app, name), ...settings } = wanted;
  if (await databaseRow(trx, { ...names, database: name })) return undefined;
  await requireFreeGroup(trx, { ...place, group: secretGroup });
  await requireConnections(trx, databases, wanted);
  await trx
    .insertInto('database')
    .values({
      id: newId('db'),
      app_id: app,
      environment,
      name,
      display_name: settings.displayName,
      region,
      plan: settings.plan,
      storage_gb: settings.storageGb,
      max_connections: settings.maxConnections,
      backup_retention_days: settings.backupRetentionDays,
      attach_to: [...attachTo],
      state: 'CREATING',
      secret_group: secretGroup,
      server_name: serverName(name),
      created_by: caller.id,
      created_by_name: caller.displayName,
    })
    .execute();
  return { title: name };
};

const update = async ({ trx, names, before, wanted }: Write<DatabaseUpdate> & { readonly before: Database }, databases: Databases) => {
  const storage = storageRule(before.storageGb, wanted.storageGb);
  if (storage !== true) throw new Problem(storage, { field: 'storageGb', context: { min: String(before.storageGb) } });
  const old = settingsIn(before);
  if (isSame(old, wanted)) throw new Problem('NothingChanged');
  if (wanted.maxConnections > before.maxConnections) {
    const id = (await databaseRow(trx, names))?.id;
    await requireConnections(trx, databases, { region: before.region, maxConnections: wanted.maxConnections, id });
  }
  await trx
    .updateTable('database')
    .set({ change: JSON.stringify({ before: old, after: wanted }) })
    .where(({ and }) => and(rowAt(placeOf(names), before.name)))
    .execute();
};

interface BackupSteps {
  /** Fills a new database before anyone gets its password. */
  readonly fill: StepDefinition<EntityInput, object>;
  /** Preserves the contents of a database before its deletion. */
  readonly keep: StepDefinition<EntityInput, object>;
}
export const databaseEntity = (
  deps: CredentialDeps,
  { fill, keep }: Partial<BackupSteps> = {},
): Entity<Database, Row, DatabaseCreate, DatabaseUpdate> => ({
  resource: databaseResource,
  table: 'database',
  key: { app: 'app_id', env: 'environment', database: 'name' },
  columns,
  sort: { name: 'name', displayName: 'display_name', createdAt: 'created_at', storageGb: 'storage_gb' },
  search: ['name', 'display_name'],
  toView,
  title: ({ name }) => name,
  create: { name: ({ name }) => name, field: 'name', insert: (write) => insert(write, deps.databases) },
  update: (write) => update(write, deps.databases),
  plan,
  before: settingsIn,
  steps: {
    create: [
      provisionStep(deps),
      ...(fill ? [fill] : []),
      passwordStep(deps, { namesOf: (names) => names, overlapOf: () => 0 }),
      openReaderStep(deps, (names) => names),
      attachStep(deps),
    ],
    update: [limitStep(deps)],
    remove: [closeStep(deps), ...(keep ? [keep] : []), dropGroupStep(deps), dropStep(deps)],
  },
});
