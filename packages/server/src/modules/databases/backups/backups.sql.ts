/** Backup rows in the form that the API returns. */
import { sql, type RawBuilder } from 'kysely';
import {
  backupCheckRule,
  backupDeleteRule,
  backupRestoreRule,
  type DatabaseBackup,
  type BackupFailure,
} from '@slipway/contract/database/backup.ts';
import type { Environment, Page } from '@slipway/contract/kernel/fields.ts';
import type { Db } from '#db/database.ts';
import { countTotal, pageOf } from '#kernel/page.ts';
import { placeSql } from '#modules/resources/index.ts';

/** Location of backups. `database` is the name that the database has or had. */
export interface BackupPlaceNames {
  readonly app: string;
  readonly environment: Environment;
  readonly database?: string;
}

interface Row {
  readonly id: string;
  readonly database: string;
  readonly app: string;
  readonly environment: Environment;
  readonly kind: DatabaseBackup['kind'];
  readonly state: DatabaseBackup['state'];
  readonly isOfDeleted: boolean;
  readonly createdAt: Date;
  readonly createdBy: string | null;
  readonly createdByName: string | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly takenAt: Date | null;
  readonly sizeBytes: number | null;
  readonly tables: number | null;
  readonly rows: number | null;
  readonly sha256: string | null;
  readonly serverVersion: string | null;
  readonly platformVersion: string | null;
  readonly failure: BackupFailure | null;
  readonly checkState: DatabaseBackup['check']['state'];
  readonly checkedAt: Date | null;
  readonly checkMs: number | null;
  readonly checkFailure: BackupFailure | null;
  readonly expiresAt: Date;
}

const columns = sql`b.id, b.database, b.app_id as app, b.environment, b.kind, b.state, b.created_at as "createdAt",
  not exists (select from database where database.id = b.database_id) as "isOfDeleted",
  b.created_by as "createdBy", b.created_by_name as "createdByName", b.started_at as "startedAt", b.finished_at as "finishedAt",
  b.taken_at as "takenAt", b.size_bytes as "sizeBytes", b.tables, b.rows, b.sha256, b.server_version as "serverVersion",
  b.platform_version as "platformVersion", b.failure, b.check_state as "checkState", b.checked_at as "checkedAt", b.check_ms as "checkMs",
  b.check_failure as "checkFailure", b.expires_at as "expiresAt"`;

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;
const viewOf = (row: Row): DatabaseBackup => {
  const { checkState, checkedAt, checkMs, checkFailure, createdBy, createdByName, startedAt, finishedAt, ...rest } = row;
  const check = { state: checkState, at: iso(checkedAt), durationMs: checkMs, failure: checkFailure };
  const facts = { state: row.state, check };
  return {
    ...rest,
    createdAt: row.createdAt.toISOString(),
    takenAt: iso(row.takenAt),
    expiresAt: row.expiresAt.toISOString(),
    createdBy: createdBy === null ? null : { id: createdBy, displayName: createdByName ?? createdBy },
    startedAt: iso(startedAt),
    finishedAt: iso(finishedAt),
    durationMs: startedAt && finishedAt ? finishedAt.getTime() - startedAt.getTime() : null,
    check,
    can: { delete: backupDeleteRule(facts), check: backupCheckRule(facts), restore: backupRestoreRule(facts) },
  };
};

const isOfDeletedRow = sql`not exists (select from database where database.id = b.database_id)`;
const at = (place: BackupPlaceNames): RawBuilder<unknown> =>
  sql`${placeSql(place, 'b')} ${place.database === undefined ? sql`` : sql`and b.database = ${place.database}`}`;

export const backupPage = async (
  db: Db,
  place: BackupPlaceNames,
  query: { readonly page: number; readonly size: number; readonly isOfDeleted?: boolean | undefined },
): Promise<Page<DatabaseBackup>> => {
  const { isOfDeleted, page, size } = query;
  const which = isOfDeleted === undefined ? sql`true` : isOfDeleted ? isOfDeletedRow : sql`not ${isOfDeletedRow}`;
  const where = sql`${at(place)} and ${which}`;
  const total = await countTotal(db, sql`select 1 from database_backup as b where ${where}`);
  const { rows } = await sql<Row>`select ${columns} from database_backup as b where ${where}
    order by b.created_at desc, b.id limit ${size} offset ${page * size}`.execute(db);
  return pageOf(rows.map(viewOf), total, query);
};

export const backupBy = async (db: Db, place: BackupPlaceNames, id: string): Promise<DatabaseBackup | undefined> => {
  const { rows } = await sql<Row>`select ${columns} from database_backup as b where ${at(place)} and b.id = ${id}`.execute(db);
  return rows[0] && viewOf(rows[0]);
};

/** Returns whether any backup exists at this place. */
export const isKnown = async (db: Db, place: BackupPlaceNames): Promise<boolean> => {
  const { rows } = await sql`select 1 from database_backup as b where ${at(place)} limit 1`.execute(db);
  return rows.length > 0;
};
