/** Backups and checks that wait to run, and their results. Callers of these functions hold the backup runner's lock. */
import { sql } from 'kysely';
import { uncheckedCodes, type BackupFailure } from '@slipway/contract/database/backup.ts';
import { databaseKind } from '@slipway/contract/kinds/database.kind.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { subjectKey, subjectPath } from '@slipway/contract/kinds.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { transaction, type Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { newId } from '#kernel/ids.ts';
import { recordPlatformActivity } from '#modules/activity/index.ts';
import { notify } from '#modules/notifications/index.ts';
import type { CopyFacts } from './copy/copy-format.ts';
import { isDue, MISSED_HOURS } from './schedule.ts';

/** Attempts before a backup fails for good, so that a backup that kills the platform is not retried forever. */
const MOST_ATTEMPTS = 3;

/** A backup to make or check, with the location of its database. `serverName` is null if the database was deleted. */
export interface BackupWork {
  readonly id: string;
  readonly databaseId: string;
  readonly app: string;
  readonly environment: Environment;
  readonly database: string;
  readonly team: string;
  readonly region: string;
  readonly serverName: string | null;
  readonly sha256: string | null;
  readonly sizeBytes: number | null;
  /** Last known size of the database. Null if it was deleted. */
  readonly databaseBytes: number | null;
}

const work = sql`b.id, b.database_id as "databaseId", b.app_id as app, b.environment, b.database, app.team_id as team,
  coalesce(d.region, b.settings ->> 'region') as region, d.server_name as "serverName", b.sha256, b.size_bytes as "sizeBytes",
  d.size_bytes as "databaseBytes"`;
const from = sql`database_backup as b join app on app.id = b.app_id left join database as d on d.id = b.database_id`;

const hint = (db: Db, { app, environment, database, team }: BackupWork): Promise<void> =>
  notifyChange(db, { kind: databaseKind.kind, app, env: environment, database, team });
/** Events of the activity log that notify the team. */
const notices = { BackupMissed: 'backup.missed', BackupFailed: 'backup.failed', BackupCheckFailed: 'backup.unrestorable' } as const;
type Reason = keyof typeof notices | 'BackupNotChecked';
const record = async (db: Db, of: BackupWork, reason: Reason, message: string, after: object): Promise<void> => {
  const subject = subjectOf(databaseKind, { app: of.app, env: of.environment, database: of.database }, { team: of.team });
  if (reason !== 'BackupNotChecked')
    await notify(db, {
      id: `${notices[reason]}/${of.id}`,
      type: notices[reason],
      entity: subjectKey(subject),
      team: of.team,
      context: { name: of.database, app: of.app, env: of.environment, hours: String(MISSED_HOURS) },
      path: `${subjectPath(subject)}/backups`,
    });
  await recordPlatformActivity(db, {
    type: 'databaseBackupCreate',
    reason,
    level: 'WARNING',
    message,
    outcome: 'FAILED',
    subject,
    after,
  });
};

/** Returns whether backups or checks are pending or interrupted, or backups have expired. */
export const hasWork = async (db: Db): Promise<boolean> => {
  const { rows } = await sql`select 1 from database_backup
      where state in ('PENDING', 'RUNNING') or check_state in ('PENDING', 'RUNNING')
    union all select 1 from database_backup where expires_at < now() limit 1`.execute(db);
  return rows.length > 0;
};

/**
 * Resets the backups and checks of a killed runner to pending. Backups that used up their attempts fail. Large backups of a replica that is
 * not upgraded yet are checked, too: earlier versions skip their checks without a time.
 */
export const takeUp = async (db: Db): Promise<void> => {
  await sql`update database_backup set state = 'PENDING' where state = 'RUNNING' and attempts < ${MOST_ATTEMPTS}`.execute(db);
  const { rows } = await sql<BackupWork>`select ${work} from ${from} where b.state = 'RUNNING'`.execute(db);
  for (const of of rows) await failed(db, of, { code: 'Interrupted', context: { attempts: String(MOST_ATTEMPTS) } });
  await sql`update database_backup set check_state = 'PENDING'
    where check_state = 'RUNNING' or check_state = 'SKIPPED' and state = 'COMPLETED' and checked_at is null`.execute(db);
};

interface Due {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastTriedAt: Date | null;
  readonly isLastFailed: boolean;
  readonly isMissed: boolean;
}
/** Creates the scheduled backups that are due. Skips inactive databases: they cannot change, and their backups are kept. */
export const makeDue = async (db: Db, now: Date): Promise<number> => {
  const { rows } = await sql<Due>`select database.id, database.created_at as "createdAt", last.created_at as "lastTriedAt",
      coalesce(last.state = 'FAILED', false) as "isLastFailed",
      coalesce(good.at, database.created_at) < ${now}::timestamptz - make_interval(hours => ${MISSED_HOURS}) as "isMissed"
    from database
      left join lateral (select created_at, state from database_backup as b where b.database_id = database.id and b.kind = 'SCHEDULED'
        order by created_at desc limit 1) as last on true
      left join lateral (select max(finished_at) as at from database_backup as b
        where b.database_id = database.id and b.state = 'COMPLETED') as good on true
    where database.active and database.state = 'ACTIVE'`.execute(db);
  const due = rows.filter((facts) => isDue(facts, now));
  for (const { id, isMissed } of due) await makeBackup(db, { databaseId: id, kind: 'SCHEDULED', now, isMissed });
  return due.length;
};

export interface NewBackup {
  readonly databaseId: string;
  readonly kind: 'SCHEDULED' | 'ON_DEMAND' | 'BEFORE_DELETION';
  readonly now?: Date;
  readonly by?: { readonly id: string; readonly displayName: string };
  readonly isMissed?: boolean;
}
/** Returns undefined if a backup of the database is already pending or running. */
export const makeBackup = async (
  db: Db,
  { databaseId, kind, by, now = new Date(), isMissed = false }: NewBackup,
): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string }>`insert into database_backup
      (id, database_id, app_id, environment, database, settings, kind, created_at, created_by, created_by_name, expires_at)
    select ${newId('dbb')}, id, app_id, environment, name, jsonb_build_object('displayName', display_name, 'region', region, 'plan', plan,
        'storageGb', storage_gb, 'maxConnections', max_connections, 'backupRetentionDays', backup_retention_days,
        'hasReader', reader_version is not null),
      ${kind}, ${now}, ${by?.id ?? null}, ${by?.displayName ?? null}, ${now}::timestamptz + make_interval(days => backup_retention_days)
    from database where id = ${databaseId}
    on conflict do nothing returning id`.execute(db);
  const [made] = rows;
  if (!made) return undefined;
  const of = await workBy(db, made.id);
  if (of && isMissed)
    await record(db, of, 'BackupMissed', `No backup of the database ${of.database} was completed for more than ${MISSED_HOURS} hours`, {});
  if (of) await hint(db, of);
  return made.id;
};

const workBy = async (db: Db, id: string): Promise<BackupWork | undefined> => {
  const { rows } = await sql<BackupWork>`select ${work} from ${from} where b.id = ${id}`.execute(db);
  return rows[0];
};

/** Marks the oldest pending backup as running and returns it. */
export const nextBackup = async (db: Db): Promise<BackupWork | undefined> => {
  const { rows } = await sql<{ id: string }>`update database_backup set state = 'RUNNING', started_at = now(), attempts = attempts + 1
    where id = (select id from database_backup where state = 'PENDING' order by created_at, id limit 1) returning id`.execute(db);
  const of = rows[0] && (await workBy(db, rows[0].id));
  if (of) await hint(db, of);
  return of;
};
export const nextCheck = async (db: Db): Promise<BackupWork | undefined> => {
  const { rows } = await sql<{ id: string }>`update database_backup set check_state = 'RUNNING'
    where id = (select id from database_backup where check_state = 'PENDING' order by created_at, id limit 1) returning id`.execute(db);
  const of = rows[0] && (await workBy(db, rows[0].id));
  if (of) await hint(db, of);
  return of;
};

export const completed = (
  db: Db,
  of: BackupWork,
  { takenAt, serverVersion, sizeBytes, tables, rows, sha256 }: CopyFacts,
  version: string,
): Promise<void> =>
  transaction(db, async (trx) => {
    await sql`update database_backup set state = 'COMPLETED', finished_at = now(), taken_at = ${takenAt}, server_version = ${serverVersion},
      size_bytes = ${sizeBytes}, tables = ${tables}, rows = ${rows}, sha256 = ${sha256}, platform_version = ${version},
      check_state = 'PENDING' where id = ${of.id}`.execute(trx);
    await hint(trx, of);
  });

export const failed = (db: Db, of: BackupWork, { code, context }: BackupFailure): Promise<void> =>
  transaction(db, async (trx) => {
    await sql`update database_backup set state = 'FAILED', finished_at = now(), failure = ${JSON.stringify({ code, context })}
      where id = ${of.id}`.execute(trx);
    await record(trx, of, 'BackupFailed', `The backup of the database ${of.database} failed`, { code, ...context });
    await hint(trx, of);
  });

/** Resets the work to pending because the platform is stopping. The next runner starts over, and the attempt does not count. */
export const postponed = async (db: Db, { id }: BackupWork, what: 'backup' | 'check'): Promise<void> => {
  if (what === 'check') await sql`update database_backup set check_state = 'PENDING' where id = ${id}`.execute(db);
  else await sql`update database_backup set state = 'PENDING', attempts = attempts - 1 where id = ${id}`.execute(db);
};

export const checked = (db: Db, of: BackupWork, durationMs: number, failure: BackupFailure | undefined): Promise<void> =>
  transaction(db, async (trx) => {
    const why = failure && { code: failure.code, context: failure.context };
    const isUnchecked = why !== undefined && uncheckedCodes.includes(why.code);
    await sql`update database_backup set check_state = ${isUnchecked ? 'SKIPPED' : why ? 'FAILED' : 'PASSED'}, checked_at = now(), check_ms = ${Math.round(durationMs)},
      check_failure = ${why ? JSON.stringify(why) : null} where id = ${of.id}`.execute(trx);
    if (isUnchecked) await record(trx, of, 'BackupNotChecked', `The backup of the database ${of.database} was not checked`, { ...why });
    else if (why) await record(trx, of, 'BackupCheckFailed', `The backup of the database ${of.database} could not be restored`, { ...why });
    await hint(trx, of);
  });

/** Deletes expired backups, but keeps the last successful backup of every existing database. Returns the deleted ids. */
export const takeExpired = async (db: Db, now: Date): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`delete from database_backup as b
    where expires_at < ${now} and state in ('COMPLETED', 'FAILED') and check_state not in ('PENDING', 'RUNNING')
      and not (state = 'COMPLETED' and exists (select from database where database.id = b.database_id)
        and not exists (select from database_backup as newer
          where newer.database_id = b.database_id and newer.state = 'COMPLETED' and newer.created_at > b.created_at))
    returning id`.execute(db);
  return rows.map(({ id }) => id);
};

export const backupIds = async (db: Db): Promise<Set<string>> => {
  const rows = await db.selectFrom('database_backup').select('id').execute();
  return new Set(rows.map(({ id }) => id));
};
