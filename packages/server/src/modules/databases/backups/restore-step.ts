/** The creation step that restores a backup. Skipped for databases that start empty. */
import { backupFailureText } from '@slipway/contract/database/backup.ts';
import type { Db } from '#db/database.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import type { EntityInput, RowStep } from '#modules/resources/index.ts';
import type { Databases } from '#ports/databases.ts';
import { PortFailure } from '#ports/failure.ts';
import { targetOf, type DatabaseRow } from '../database-rows.ts';
import type { BackupFiles } from './backup-files.ts';
import { CopyFailure } from './copy/copy-failure.ts';
import { restoreInto } from './restore-into.ts';

export interface RestoreDeps {
  readonly db: Db;
  readonly databases: Databases;
  readonly files: BackupFiles;
}

/** Undo is not needed: undoing the previous step drops the database with its rows. */
export const restoreStep = ({ db, databases, files }: RestoreDeps): RowStep<DatabaseRow, EntityInput> => ({
  code: 'RestoreRows',
  run: async ({ row, signal, log }) => {
    const { restored_from: id } = row;
    if (id === null) return { skipped: true };
    const { sha256, taken_at: takenAt } =
      (await db
        .selectFrom('database_backup')
        .select(['sha256', 'taken_at'])
        .where('id', '=', id)
        .where('app_id', '=', row.app_id)
        .where('state', '=', 'COMPLETED')
        .executeTakeFirst()) ?? {};
    if (!sha256) throw new StepFailure('BackupDoesNotExist');
    try {
      const { tables, rows } = await restoreInto(databases, targetOf(row), { file: files.fileOf(id), sha256 }, signal);
      log(`${rows} rows in ${tables} tables`);
      const context = { tables: String(tables), rows: String(rows), time: takenAt?.toISOString() ?? '' };
      return { message: { code: 'RowsRestored', context } };
    } catch (error) {
      if (!(error instanceof CopyFailure)) throw error;
      if (error.code === 'DatabaseUnreachable')
        throw new PortFailure('unavailable', 'The database server does not answer', {
          context: { engine: 'database server' },
          cause: error,
        });
      throw new StepFailure('BackupNotRestored', { reason: backupFailureText(error) }, { cause: error });
    }
  },
});
