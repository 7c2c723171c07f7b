/** Actions for a backup: restore into a new database, run a restore test, delete before it expires. */
import { databaseBackupCheck, databaseBackupDelete, type DatabaseBackup } from '@slipway/contract/database/backup.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { refresh } from '#entities/changes/refresh.ts';
import type { AppRef } from '#entities/paths.ts';
import { useWrite } from '#kit/api/write.ts';
import type { ConfirmedAction } from '#kit/confirm/confirm-action.ts';
import { toastError } from '#kit/error/toast-error.ts';

export interface BackupActions {
  /** Opens the form for the new database. */
  restore: (backup: DatabaseBackup) => void;
  check: (backup: DatabaseBackup) => Promise<void>;
  removal: (backup: DatabaseBackup) => ConfirmedAction;
}

export const useBackupActions = (place: AppRef, restore: BackupActions['restore']): BackupActions => {
  const check = useWrite(databaseBackupCheck);
  const remove = useWrite(databaseBackupDelete);
  const paramsOf = ({ id, database }: DatabaseBackup) => ({ app: place.app, env: place.env, database, backup: id });
  const reread = ({ database }: DatabaseBackup) => refresh({ kind: 'database', app: place.app, env: place.env, database });
  return {
    restore,
    check: async (backup) => {
      try {
        await check.send({ params: paramsOf(backup) });
        await reread(backup);
      } catch (error) {
        toastError('The backup cannot be checked now', error);
      }
    },
    removal: (backup) => ({
      title: 'Delete this backup?',
      description: 'No database can be restored from it any more. The database itself is not touched.',
      confirmLabel: 'Delete backup',
      busyLabel: 'Deleting',
      run: async () => {
        await remove.send({ params: paramsOf(backup) });
        toast.success('The backup is deleted');
        await reread(backup);
      },
    }),
  };
};
