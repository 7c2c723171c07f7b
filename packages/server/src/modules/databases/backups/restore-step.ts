/** The creation step that restores a backup. Skipped for databases that start empty. */
import { backupFailureText } from '@slipway/contract/database/backup.ts';
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import { StepFailure, type StepDefinition } from '#modules/pipelines/index.ts';
import { placeOf, placeSql, type EntityInput } from '#modules/resources/index.ts';
import type { Databases } from '#ports/databases.ts';
import { PortFailure } from '#ports/failure.ts';
import type { BackupFiles } from './backup-files.ts';
import { CopyFailure } from './copy/copy-failure.ts';
import { restoreInto } from './restore-into.ts';

export interface RestoreDeps {
  readonly db: Db;
  readonly databases: Databases;
  readonly files: BackupFiles;
}
interface Restored {
  readonly region: string;
  readonly serverName: string;
  readonly restoredFrom: string | null;
  readonly sha256: string | null;
  readonly takenAt: Date | null;
}

/** Reads the row of the database that the pipeline creates. */
const restoredRow = async (db: Db, input: EntityInput): Promise<Restored | undefined> => {
  const { rows } = await sql<Restored>`select d.region, d.server_name as "serverName", d.restored_from as "restoredFrom", b.sha256,
      b.taken_at as "takenAt"
    from database as d left join database_backup as b on b.id = d.restored_from and b.app_id = d.app_id and b.state = 'COMPLETED'
    where ${placeSql(placeOf(input), 'd', input.database)}`.execute(db);
  return rows[0];
};

/** Undo is not needed: undoing the previous step drops the database with its rows. */
export const restoreStep = ({ db, databases, files }: RestoreDeps): StepDefinition<EntityInput, object> => ({
  code: 'RestoreRows',
  run: async ({ input, signal, log }) => {
    const row = await restoredRow(db, input);
    if (!row) throw new StepFailure('Discarded');
    const { region, serverName, restoredFrom, sha256, takenAt } = row;
    if (restoredFrom === null) return { skipped: true };
    if (sha256 === null) throw new StepFailure('BackupDoesNotExist');
    try {
      const target = { region, database: serverName };
      const { tables, rows } = await restoreInto(databases, target, { file: files.fileOf(restoredFrom), sha256 }, signal);
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
