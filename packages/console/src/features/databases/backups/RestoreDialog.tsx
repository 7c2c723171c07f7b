/** Restores a backup into a new database beside the original, with its own name and its own secret group, which no service reads yet. */
import { databaseBackupRestore, DatabaseRestore, type DatabaseBackup } from '@slipway/contract/database/backup.ts';
import { databaseGroupName, databaseLabels } from '@slipway/contract/database/database.ts';
import { exactTime } from '@slipway/ui/format/relative-time.ts';
import { useWatch } from 'react-hook-form';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/refresh.ts';
import { paths, type AppRef } from '#entities/paths.ts';
import { toastRun } from '#entities/pipeline/index.ts';
import { useWrite } from '#kit/api/write.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { toDatabaseName } from '#features/databases/database-labels.ts';

const longestName = 63;

/** `berthplans2`. For a deleted database, its own name, which is free. */
export const proposedName = ({ database, isOfDeleted }: Pick<DatabaseBackup, 'database' | 'isOfDeleted'>): string => {
  if (isOfDeleted) return database;
  const [, stem = database, number = ''] = /^(.*?)(\d*)$/.exec(database) ?? [];
  const next = String(number === '' ? 2 : Number(number) + 1);
  return stem.slice(0, longestName - next.length) + next;
};

export interface RestoreDialogProps {
  place: AppRef;
  backup: DatabaseBackup;
  onClose: () => void;
}

export function RestoreDialog({ place, backup, onClose }: RestoreDialogProps) {
  const write = useWrite(databaseBackupRestore);
  const navigate = useNavigate();
  const { app, env } = place;
  const form = useApiForm({
    schema: DatabaseRestore,
    defaultValues: { name: proposedName(backup) },
    labels: { name: databaseLabels['name'] ?? 'Database name' },
    onSubmit: async ({ name }) => {
      const run = await write.send({ params: { app, env, database: backup.database, backup: backup.id }, body: { name } });
      toastRun(`${backup.database} is being restored into ${name}`, run);
      onClose();
      await navigate(paths.database({ app, env, database: name }));
      await refresh({ kind: 'database', app, env });
    },
  });
  const name = useWatch({ control: form.control, name: 'name' });
  const group = databaseGroupName(app, name === '' ? '…' : name);
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title="Restore into a new database"
      description={`As ${backup.database} was on ${exactTime(new Date(backup.takenAt ?? backup.createdAt))}.`}
      submitLabel={name === '' ? 'Restore' : `Restore into ${name}`}
      busyLabel="Starting"
    >
      <TextField
        form={form}
        name="name"
        isMono
        spellCheck={false}
        autoCapitalize="off"
        normalise={toDatabaseName}
        hint="Same plan, storage and limits. Lowercase letters and numbers; cannot be changed later."
      />
      <p className="dense quiet">
        {backup.isOfDeleted ? '' : `${backup.database} is not touched. `}
        The new database gets the secret group <code>{group}</code>. No service reads it until you attach it.
      </p>
    </FormDialog>
  );
}
