/** The database entity of the resource kernel: rows in the contract's form, rules, and steps to create, change and delete a database. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { storageRule } from '@slipway/contract/database/database-plan.ts';
import {
  databaseGroupName,
  databaseResource,
  type Database,
  type DatabaseCreate,
  type DatabaseUpdate,
} from '@slipway/contract/database/database.ts';
import type { Databases } from '#ports/databases.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { lockApp } from '#modules/apps/index.ts';
import { inPlace, placeOf, type Entity, type EntityInput, type Place, type RowStep, type Write } from '#modules/resources/index.ts';
import { dropGroupsStep, passwordStep, requireFreeGroup, reservesGroups } from '#modules/secret-groups/index.ts';
import { ownerOf, type CredentialDeps } from './credentials.ts';
import { attachStep, closeStep, dropStep, limitStep, provisionStep } from './database-steps.ts';
import { isSame, plan, settingsIn } from './database-plans.ts';
import { connectionsLeft, databaseRow, groupKeyOf, readerKeyOf, type DatabaseRow } from './database-rows.ts';
import { columns, toView, type Row } from './database-view.ts';
import { openReaderStep } from './reader-steps.ts';

/** Generates a globally unique name, never reused, so that anything found under it on a server belongs to this database. */
const serverName = (name: string): string => {
  const chance = BigInt(`0x${randomBytes(6).toString('hex')}`)
    .toString(36)
    .slice(-8)
    .padStart(8, '0');
  return `${name.slice(0, 40)}_${chance}`;
};

const requireServices = async ({ trx, wanted }: Pick<Write<DatabaseCreate>, 'trx' | 'wanted'>, place: Place): Promise<void> => {
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

/** Parameters for inserting a row, from a request or from a pipeline step, which knows less about the requester. */
type Inserting = Pick<Write<DatabaseCreate>, 'trx' | 'names' | 'wanted'> & { readonly caller: Pick<Caller, 'id' | 'displayName'> };
export const insertDatabase = async (write: Inserting, databases: Databases) => {
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
  return { change: { before: old, after: wanted } };
};

const groupsOf = (row: DatabaseRow) => [groupKeyOf(row), ...(row.reader_version === null ? [] : [readerKeyOf(row)])];

reservesGroups('database', 'secret_group', 'reader_group');

interface BackupSteps {
  /** Fills a new database before anyone gets its password. */
  readonly fill: RowStep<DatabaseRow, EntityInput>;
  /** Preserves the contents of a database before its deletion. */
  readonly keep: RowStep<DatabaseRow, EntityInput>;
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
  create: { name: ({ name }) => name, field: 'name', insert: (write) => insertDatabase(write, deps.databases) },
  update: (write) => update(write, deps.databases),
  plan,
  before: settingsIn,
  steps: {
    create: [
      provisionStep(deps),
      ...(fill ? [fill] : []),
      passwordStep(deps, { code: 'MakeDatabasePassword', of: (row) => ownerOf(deps, row) }),
      openReaderStep(deps),
      attachStep(deps),
    ],
    update: [limitStep(deps)],
    remove: [closeStep(deps), ...(keep ? [keep] : []), dropGroupsStep(deps.db, 'DeleteSecretGroup', groupsOf), dropStep(deps)],
  },
});
