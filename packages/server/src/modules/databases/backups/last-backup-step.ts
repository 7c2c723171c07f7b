/** The deletion step that makes a final backup after writes have stopped. A deactivated database already has its backups. */
import { setTimeout as delay } from 'node:timers/promises';
import { BackupFailure, backupFailureText } from '@slipway/contract/database/backup.ts';
import type { Db } from '#db/database.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import type { EntityInput, RowStep } from '#modules/resources/index.ts';
import type { Databases } from '#ports/databases.ts';
import type { DatabaseRow } from '../database-rows.ts';
import { makeBackup, type NewBackup } from './backup-work.sql.ts';

const LOOK_MS = 200;

interface LastBackupDeps {
  readonly db: Db;
  readonly databases: Databases;
}

/** An earlier backup that is still running may contain less, so this waits for it before starting a new one. */
const begun = async (db: Db, wanted: NewBackup, signal: AbortSignal): Promise<string> => {
  for (;;) {
    const id = await makeBackup(db, wanted);
    if (id !== undefined) return id;
    await delay(LOOK_MS, undefined, { signal });
  }
};

const ended = async (db: Db, id: string, signal: AbortSignal) => {
  for (;;) {
    const backup = await db
      .selectFrom('database_backup')
      .select(['state', 'failure', 'size_bytes'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!backup || backup.state === 'COMPLETED' || backup.state === 'FAILED') return backup;
    await delay(LOOK_MS, undefined, { signal });
  }
};

/** `wake` triggers the backup runner. After a crash the step makes another backup, because the first may be incomplete. */
export const lastBackupStep = ({ db, databases }: LastBackupDeps, wake: () => void): RowStep<DatabaseRow, EntityInput> => ({
  code: 'BackUpDatabase',
  run: async ({ row, input, signal, createdBy, log }) => {
    const { id: databaseId, active, region, server_name: name } = row;
    if (!active || input.stateBefore !== 'ACTIVE' || !(await databases.list(region)).includes(name)) return { skipped: true };
    const id = await begun(db, { databaseId, kind: 'BEFORE_DELETION', by: createdBy }, signal);
    wake();
    const backup = await ended(db, id, signal);
    if (backup?.state !== 'COMPLETED') {
      const failure = BackupFailure.safeParse(backup?.failure);
      throw new StepFailure('LastBackupFailed', { reason: failure.success ? backupFailureText(failure.data) : 'it is gone' });
    }
    log(`${id}, ${backup.size_bytes} bytes`);
    return {};
  },
});
