/** Steps that turn the read-only login of a database on and off, and that give it a new password. */
import type { RowStep } from '#modules/resources/index.ts';
import { dropGroupsStep, passwordStep } from '#modules/secret-groups/index.ts';
import { closeReader, readerOf, type CredentialDeps } from './credentials.ts';
import { limitsOf, readerKeyOf, settingsOf, targetOf, type DatabaseRow } from './database-rows.ts';
import { requireThere } from './database-steps.ts';

type Step<I> = RowStep<DatabaseRow, I>;

/** Skipped if nobody asked for a read-only login: its group is not reserved. */
export const openReaderStep = <I>(deps: CredentialDeps): Step<I> => {
  const { code, run } = passwordStep<DatabaseRow, I>(deps, { code: 'OpenReader', of: (row) => readerOf(deps, row) });
  return {
    code,
    run: async (context) => {
      const { row } = context;
      if (row.reader_group === null) return { skipped: true };
      await requireThere(row, deps.databases.admitReaders(targetOf(row), limitsOf(settingsOf(row), true)));
      return run(context);
    },
    // The group's name stays reserved, so that the pipeline can run again.
    undo: async ({ row }) => {
      if (row.reader_group !== null) await closeReader(deps, row);
    },
  };
};

/** Follows the point of no return, so it has no undo. */
export const readerPasswordStep = <I extends { readonly overlapHours: number }>(deps: CredentialDeps): Step<I> => {
  const overlapOf = ({ overlapHours }: I): number => overlapHours;
  const { code, run } = passwordStep<DatabaseRow, I>(deps, { code: 'MakeReaderPassword', of: (row) => readerOf(deps, row), overlapOf });
  return { code, run: async (context) => (context.row.reader_version === null ? { skipped: true } : run(context)) };
};

export const closeReaderSteps = <I>(deps: CredentialDeps): readonly Step<I>[] => [
  dropGroupsStep(deps.db, 'DeleteReaderGroup', (row: DatabaseRow) => [readerKeyOf(row)]),
  {
    code: 'CloseReader',
    run: async ({ row }) => {
      await closeReader(deps, row);
      await deps.db.updateTable('database').set({ reader_group: null }).where('id', '=', row.id).execute();
    },
  },
];
