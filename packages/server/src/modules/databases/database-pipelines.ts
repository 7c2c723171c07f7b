/** The database's own pipelines: activation, password rotation, and turning the read-only login on and off. */
import type { PipelineDefinition } from '#modules/pipelines/index.ts';
import { actionPipeline, type AnyEntity, type RowStep } from '#modules/resources/index.ts';
import { passwordStep } from '#modules/secret-groups/index.ts';
import { endFormerPassword, ownerOf, type CredentialDeps } from './credentials.ts';
import { targetOf, type DatabaseNames, type DatabaseRow } from './database-rows.ts';
import { requireThere } from './database-steps.ts';
import { closeReaderSteps, openReaderStep, readerPasswordStep } from './reader-steps.ts';
import { observeDatabase } from './watcher.ts';

export interface ActivationInput extends DatabaseNames {
  readonly isActive: boolean;
}
export interface RotationInput extends DatabaseNames {
  /** Hours for which the former password stays valid. */
  readonly overlapHours: number;
}
export interface DatabasePipelines {
  readonly activation: PipelineDefinition<ActivationInput, object>;
  readonly rotation: PipelineDefinition<RotationInput, object>;
  readonly openReader: PipelineDefinition<DatabaseNames, object>;
  readonly closeReader: PipelineDefinition<DatabaseNames, object>;
}

const acceptStep = (deps: CredentialDeps): RowStep<DatabaseRow, ActivationInput> => {
  const set = async (row: DatabaseRow, isActive: boolean): Promise<void> => {
    await requireThere(row, deps.databases.accept(targetOf(row), isActive));
    await deps.db.updateTable('database').set({ active: isActive }).where('id', '=', row.id).execute();
    await observeDatabase(deps, row);
  };
  return {
    code: 'AcceptConnections',
    run: ({ row, input }) => set(row, input.isActive),
    undo: ({ row, input }) => set(row, !input.isActive),
  };
};

const endStep = (deps: CredentialDeps): RowStep<DatabaseRow, RotationInput> => ({
  code: 'EndFormerPassword',
  run: async ({ row, input }) => {
    if (input.overlapHours > 0) return { skipped: true };
    await endFormerPassword(deps, row);
    return {};
  },
});

export const databasePipelines = (deps: CredentialDeps, entity: AnyEntity): DatabasePipelines => ({
  activation: actionPipeline(deps.db, entity, 'DatabaseActivation', [acceptStep(deps)]),
  rotation: actionPipeline(deps.db, entity, 'RotateDatabasePassword', [
    passwordStep<DatabaseRow, RotationInput>(deps, {
      code: 'MakeDatabasePassword',
      of: (row) => ownerOf(deps, row),
      overlapOf: ({ overlapHours }) => overlapHours,
      isPointOfNoReturn: true,
    }),
    readerPasswordStep(deps),
    endStep(deps),
  ]),
  openReader: actionPipeline(deps.db, entity, 'OpenDatabaseReader', [openReaderStep(deps)]),
  closeReader: actionPipeline(deps.db, entity, 'CloseDatabaseReader', closeReaderSteps(deps)),
});
