/** Creates a new database from a backup: the usual creation with the backed-up database's settings, plus a step that restores the rows. */
import { databaseBackupRestore } from '@slipway/contract/database/backup.ts';
import { sql } from 'kysely';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { runFor } from '#modules/pipelines/index.ts';
import { createEntity, placeOf as placeNamed, placeSql, requireCan, type AnyEntity } from '#modules/resources/index.ts';
import { reserveReaderGroup } from '../own-writes.ts';
import { placeOf, requireBackup } from './backups.routes.ts';

export type RestorationDeps = Parameters<typeof createEntity>[0];

/** Returns the same entity, except that the inserting transaction also stores the backup, and asks for a read-only login if there was one. */
const restoring = (entity: AnyEntity, backup: string, hasReader: boolean): AnyEntity => ({
  ...entity,
  create: {
    ...entity.create,
    insert: async (write) => {
      const made = await entity.create.insert(write);
      const { database } = write.names;
      const isMade = placeSql(placeNamed(write.names), 'database', database);
      await sql`update database set restored_from = ${backup} where ${isMade}`.execute(write.trx);
      if (hasReader) await reserveReaderGroup(write.trx, write.names);
      return made && { ...made, reason: 'Restored', message: `${write.caller.displayName} restored the backup ${backup} as ${database}` };
    },
  },
});

export const restorationRoute = (deps: RestorationDeps, entity: AnyEntity): Handler =>
  handle(databaseBackupRestore, async (c) => {
    const { db } = deps;
    const { params, body, caller, owner } = c;
    const backup = await requireBackup(db, placeOf(c), params.backup);
    requireCan(backup, 'restore');
    const row = await db.selectFrom('database_backup').select('settings').where('id', '=', backup.id).executeTakeFirst();
    if (!row) throw new Problem('BackupDoesNotExist');
    const { name, displayName = name } = body;
    const { hasReader = false, ...settings } = row.settings;
    const wanted = { ...settings, name, displayName, attachTo: [] };
    const names = { app: params.app, env: c.environment };
    const { pipelineId = '' } = await createEntity(
      deps,
      restoring(entity, backup.id, hasReader),
      { caller, names, owner, wanted },
      databaseBackupRestore,
    );
    return runFor(db, pipelineId, caller);
  });
