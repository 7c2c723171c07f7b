/** Steps that turn the read-only login of a database on and off, and that give it a new password. */
import type { RowStep } from '#modules/resources/index.ts';
import { dropGroupsStep } from '#modules/secret-groups/index.ts';
import { closeReader, makeReaderPassword, type CredentialDeps } from './credentials.ts';
import { limitsOf, readerKeyOf, settingsOf, targetOf, type DatabaseRow } from './database-rows.ts';
import { madeMessage, requireThere } from './database-steps.ts';

type Step<I> = RowStep<DatabaseRow, I>;

/** Skipped if nobody asked for a read-only login: its group is not reserved. */
export const openReaderStep = <I>(deps: CredentialDeps): Step<I> => ({
  code: 'OpenReader',
  run: async ({ row, pipelineId, log }) => {
    if (row.reader_group === null) return { skipped: true };
    await requireThere(row, deps.databases.admitReaders(targetOf(row), limitsOf(settingsOf(row), true)));
    const version = await makeReaderPassword(deps, row, { by: pipelineId, overlapHours: 0 });
    log(`Version ${version} of the secret group ${row.reader_group}`);
    return madeMessage(version, row.reader_group);
  },
  // The group's name stays reserved, so that the pipeline can run again.
  undo: async ({ row }) => {
    if (row.reader_group !== null) await closeReader(deps, row);
  },
});

export const readerPasswordStep = <I extends { readonly overlapHours: number }>(deps: CredentialDeps): Step<I> => ({
  code: 'MakeReaderPassword',
  run: async ({ row, input, pipelineId }) => {
    if (row.reader_version === null) return { skipped: true };
    const version = await makeReaderPassword(deps, row, { by: pipelineId, overlapHours: input.overlapHours });
    return madeMessage(version, readerKeyOf(row).group);
  },
});

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
