/** Database rows, and the server limits derived from them. */
import {
  databasePlanFacts,
  databaseReadConnections,
  databaseStatementSeconds,
  storageReserveBytes,
} from '@slipway/contract/database/database-plan.ts';
import { databaseReadGroupName, type DatabaseUpdate } from '@slipway/contract/database/database.ts';
import { sql, type Selectable } from 'kysely';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { rowIn, type Names } from '#modules/resources/index.ts';
import {
  ownConnections,
  type DatabaseLimits,
  type Databases,
  type DatabaseTarget,
  type ObservedDatabase,
  type WriteLevel,
} from '#ports/databases.ts';

export type DatabaseRow = Selectable<DB['database']>;
export const GIGABYTE = 2 ** 30;
const MEGABYTE = 2 ** 20;

/** Names as path parameters and pipeline inputs have them. */
export interface DatabaseNames {
  readonly app: string;
  readonly env: string;
  readonly database: string;
}
export const databaseRow = (db: Db, names: Names): Promise<DatabaseRow | undefined> => rowIn(db, 'database', names, names['database']);

export const targetOf = ({ region, server_name }: Pick<DatabaseRow, 'region' | 'server_name'>): DatabaseTarget => ({
  region,
  database: server_name,
});
export const groupKeyOf = ({ app_id, environment, secret_group }: Pick<DatabaseRow, 'app_id' | 'environment' | 'secret_group'>) => ({
  app: app_id,
  environment,
  group: secret_group,
});
/** Returns the level that a database's size demands. A closed database opens again only within its storage, so that it does not flap. */
export const writeLevelOf = ({ storage_gb }: Pick<DatabaseRow, 'storage_gb'>, { sizeBytes, writes }: ObservedDatabase): WriteLevel => {
  const storageBytes = storage_gb * GIGABYTE;
  if (sizeBytes <= storageBytes) return 'writable';
  return writes === 'closed' || sizeBytes > storageBytes + storageReserveBytes(storage_gb) ? 'closed' : 'readOnly';
};
export const readerKeyOf = (row: Pick<DatabaseRow, 'app_id' | 'environment' | 'secret_group' | 'reader_group'>) => ({
  ...groupKeyOf(row),
  group: row.reader_group ?? databaseReadGroupName(row.secret_group),
});

type Settings = Pick<DatabaseUpdate, 'plan' | 'storageGb' | 'maxConnections'>;
/** A session gets its share of the plan's memory, within limits that sorting can use, and an eighth of the storage for temporary files. */
export const limitsOf = ({ plan, storageGb, maxConnections }: Settings, hasReader = false): DatabaseLimits => {
  const share = (databasePlanFacts[plan].memoryGb * GIGABYTE) / 4 / maxConnections;
  const readConnections = hasReader ? databaseReadConnections(maxConnections) : 0;
  return {
    maxConnections: maxConnections - readConnections,
    readConnections,
    statementTimeoutMs: databaseStatementSeconds * 1000,
    tempFileBytes: (storageGb * GIGABYTE) / 8,
    workMemoryBytes: Math.round(Math.min(Math.max(share, 4 * MEGABYTE), 64 * MEGABYTE) / MEGABYTE) * MEGABYTE,
  };
};

/** Returns the region's unreserved connections, counting running changes. Undefined until the capacity is known. */
export const connectionsLeft = async (db: Db, databases: Databases, region: string, exceptId = ''): Promise<number | undefined> => {
  const { regions, connections } = databases.capacity(region);
  if (connections === undefined) return undefined;
  const { rows } = await sql<{ taken: number }>`
    select coalesce(sum(greatest(max_connections, (change -> 'after' ->> 'maxConnections')::integer) + ${ownConnections}), 0)::integer as taken
    from database where region = any (${regions}::text[]) and id <> ${exceptId}`.execute(db);
  return Math.max(0, connections - (rows[0]?.taken ?? 0) - ownConnections);
};

export const settingsOf = (row: DatabaseRow): DatabaseUpdate => ({
  displayName: row.display_name,
  storageGb: row.storage_gb,
  backupRetentionDays: row.backup_retention_days,
  maxConnections: row.max_connections,
  plan: row.plan,
});
export const columnsOf = (settings: DatabaseUpdate) => ({
  display_name: settings.displayName,
  storage_gb: settings.storageGb,
  backup_retention_days: settings.backupRetentionDays,
  max_connections: settings.maxConnections,
  plan: settings.plan,
});
