/** Backup routes: list, make, check, delete. Backups of a deleted database are found by its name. */
import {
  databaseBackupCheck,
  databaseBackupCreate,
  databaseBackupDelete,
  databaseBackupList,
  databaseBackupListAll,
  databaseBackupView,
  type DatabaseBackup,
} from '@slipway/contract/database/backup.ts';
import { databaseKind } from '@slipway/contract/kinds/database.kind.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { handle, type Caller, type Context, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { requireCan, rowAt } from '#modules/resources/index.ts';
import { backupBy, backupPage, isKnown, type BackupPlaceNames } from './backups.sql.ts';
import { makeBackup } from './backup-work.sql.ts';
import type { BackupFiles } from './backup-files.ts';

type Named = Pick<Context<typeof databaseBackupView>, 'environment'> & {
  readonly params: { readonly app: string; readonly database: string };
};
export const placeOf = ({ params: { app, database }, environment }: Named): BackupPlaceNames => ({ app, environment, database });

/** Returns the database that currently has this name. */
const databaseAt = async (db: Db, place: BackupPlaceNames) =>
  db
    .selectFrom('database')
    .select(['id', 'state', 'active'])
    .where(({ and }) => and(rowAt(place, place.database ?? '')))
    .executeTakeFirst();

export const requireBackup = async (db: Db, place: BackupPlaceNames, id: string): Promise<DatabaseBackup> => {
  const found = await backupBy(db, place, id);
  if (found) return found;
  throw new Problem((await databaseAt(db, place)) || (await isKnown(db, place)) ? 'BackupDoesNotExist' : 'DatabaseDoesNotExist');
};

interface Recorded {
  readonly route: RouteShape;
  readonly caller: Caller;
  readonly team: string;
  readonly reason: string;
  readonly message: string;
  readonly backup: Pick<DatabaseBackup, 'id'> & { readonly takenAt?: string | null };
}
const record = async (trx: Db, { app, environment, database = '' }: BackupPlaceNames, written: Recorded): Promise<void> => {
  const { route, caller, team, reason, message, backup } = written;
  const names = { app, env: environment, database };
  const after = { backup: backup.id, ...(backup.takenAt && { takenAt: backup.takenAt }) };
  await recordWrite(trx, caller, { type: route.id, reason, message, subject: subjectOf(databaseKind, names, { team }), after });
  await notifyChange(trx, { kind: databaseKind.kind, ...names, team });
};

const backUpNow = (db: Db, place: BackupPlaceNames, caller: Caller, team: string): Promise<string> =>
  transaction(db, async (trx) => {
    const found = await databaseAt(trx, place);
    if (!found) throw new Problem('DatabaseDoesNotExist');
    if (found.state !== 'ACTIVE') throw new Problem('DatabaseNotCreated');
    if (!found.active) throw new Problem('DatabaseInactive');
    const id = await makeBackup(trx, { databaseId: found.id, kind: 'ON_DEMAND', by: caller });
    if (id === undefined) throw new Problem('BackupAlreadyPending');
    const message = `${caller.displayName} asked for a backup of the database ${place.database}`;
    await record(trx, place, { route: databaseBackupCreate, caller, team, reason: 'BackupStarted', message, backup: { id } });
    return id;
  });

/** Locks the backup's row, so that the runner cannot start on it meanwhile. */
const changing = (db: Db, place: BackupPlaceNames, id: string, verb: string, change: (trx: Db, backup: DatabaseBackup) => Promise<void>) =>
  transaction(db, async (trx) => {
    await sql`select 1 from database_backup where id = ${id} for update`.execute(trx);
    const backup = await requireBackup(trx, place, id);
    requireCan(backup, verb);
    await change(trx, backup);
  });

export const backupRoutes = (db: Db, files: BackupFiles, wake: () => void): Handler[] => [
  handle(databaseBackupList, async (c) => {
    const place = placeOf(c);
    const page = await backupPage(db, place, c.query);
    if (page.totalElements === 0 && !(await databaseAt(db, place))) throw new Problem('DatabaseDoesNotExist');
    return page;
  }),
  handle(databaseBackupListAll, (c) => backupPage(db, { app: c.params.app, environment: c.environment }, c.query)),
  handle(databaseBackupView, (c) => requireBackup(db, placeOf(c), c.params.backup)),
  handle(
    databaseBackupCreate,
    async (c) => {
      const place = placeOf(c);
      const id = await backUpNow(db, place, c.caller, c.owner.teamId);
      wake();
      return requireBackup(db, place, id);
    },
    async (c) => {
      const { content } = await backupPage(db, placeOf(c), { page: 0, size: 20 });
      const own = content.find(({ createdBy }) => createdBy?.id === c.caller.id);
      if (!own) throw new Problem('BackupDoesNotExist');
      return own;
    },
  ),
  handle(
    databaseBackupCheck,
    async (c) => {
      const [place, id] = [placeOf(c), c.params.backup];
      await changing(db, place, id, 'check', async (trx, backup) => {
        await sql`update database_backup set check_state = 'PENDING', check_failure = null where id = ${id}`.execute(trx);
        const message = `${c.caller.displayName} asked for a check of a backup of the database ${place.database}`;
        const { caller, owner } = c;
        await record(trx, place, { route: databaseBackupCheck, caller, team: owner.teamId, reason: 'CheckStarted', message, backup });
      });
      wake();
      return requireBackup(db, place, id);
    },
    async (c) => requireBackup(db, placeOf(c), c.params.backup),
  ),
  handle(databaseBackupDelete, async (c) => {
    const [place, id] = [placeOf(c), c.params.backup];
    await changing(db, place, id, 'delete', async (trx, backup) => {
      await sql`delete from database_backup where id = ${id}`.execute(trx);
      const message = `${c.caller.displayName} deleted a backup of the database ${place.database}`;
      const { caller, owner } = c;
      await record(trx, place, { route: databaseBackupDelete, caller, team: owner.teamId, reason: 'Deleted', message, backup });
    });
    // If this fails, the next runner removes the file, since its row is gone.
    await files.remove(id);
  }),
];
