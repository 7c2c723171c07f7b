/** Steps that turn the read-only login of a database on and off, and that give it a new password. */
import { transaction } from '#db/database.ts';
import type { StepDefinition } from '#modules/pipelines/index.ts';
import type { Names } from '#modules/resources/index.ts';
import { closeReader, makeReaderPassword, type CredentialDeps } from './credentials.ts';
import { databaseRow, limitsOf, namesOf, readerKeyOf, requireRow, settingsOf, type DatabaseNames } from './database-rows.ts';
import { dropGroups, requireThere } from './database-steps.ts';

type Step<I> = StepDefinition<I, object>;
const madeMessage = (version: number, group: string) => ({
  message: { code: 'DatabasePasswordMade', context: { version: String(version), group } },
});

/** Skipped if nobody asked for a read-only login: its group is not reserved. */
export const openReaderStep = <I>(deps: CredentialDeps, namesIn: (input: I) => Names): Step<I> => ({
  code: 'OpenReader',
  run: async ({ input, pipelineId, log }) => {
    const row = await requireRow(deps.db, namesIn(input));
    if (row.reader_group === null) return { skipped: true };
    await requireThere(row, (target) => deps.databases.admitReaders(target, limitsOf(settingsOf(row), true)));
    const version = await makeReaderPassword(deps, row, { by: pipelineId, overlapHours: 0 });
    log(`Version ${version} of the secret group ${row.reader_group}`);
    return madeMessage(version, row.reader_group);
  },
  // The group's name stays reserved, so that the pipeline can run again.
  undo: async ({ input }) => {
    const row = await databaseRow(deps.db, namesIn(input));
    if (row && row.reader_group !== null) await closeReader(deps, row);
  },
});

export const readerPasswordStep = <I extends DatabaseNames & { readonly overlapHours: number }>(deps: CredentialDeps): Step<I> => ({
  code: 'MakeReaderPassword',
  run: async ({ input, pipelineId }) => {
    const row = await requireRow(deps.db, namesOf(input));
    if (row.reader_version === null) return { skipped: true };
    const version = await makeReaderPassword(deps, row, { by: pipelineId, overlapHours: input.overlapHours });
    return madeMessage(version, readerKeyOf(row).group);
  },
});

export const closeReaderSteps = <I extends DatabaseNames>(deps: CredentialDeps): readonly Step<I>[] => [
  {
    code: 'DeleteReaderGroup',
    isPointOfNoReturn: true,
    run: ({ input }) => transaction(deps.db, async (trx) => dropGroups(trx, [readerKeyOf(await requireRow(trx, namesOf(input)))])),
    // The step is a single transaction, so there is nothing to undo.
    undo: async () => {},
  },
  {
    code: 'CloseReader',
    run: async ({ input }) => {
      const row = await requireRow(deps.db, namesOf(input));
      await closeReader(deps, row);
      await deps.db.updateTable('database').set({ reader_group: null }).where('id', '=', row.id).execute();
    },
  },
];
