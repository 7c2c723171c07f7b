/** The database's own pipelines: activation, password rotation, and turning the read-only login on and off. */
import { recordRunOutcome } from '#modules/activity/index.ts';
import { definePipeline, type PipelineDefinition, type StepDefinition } from '#modules/pipelines/index.ts';
import { whileCurrent, type AnyEntity } from '#modules/resources/index.ts';
import { endFormerPassword, type CredentialDeps } from './credentials.ts';
import { databaseRow, namesOf, requireRow, type DatabaseNames } from './database-rows.ts';
import { passwordStep, requireThere } from './database-steps.ts';
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

const acceptStep = (deps: CredentialDeps): StepDefinition<ActivationInput, object> => {
  const set = async (names: DatabaseNames, isActive: boolean): Promise<void> => {
    const row = await databaseRow(deps.db, namesOf(names));
    if (!row) return;
    await requireThere(row, (target) => deps.databases.accept(target, isActive));
    await deps.db.updateTable('database').set({ active: isActive }).where('id', '=', row.id).execute();
    await observeDatabase(deps, row);
  };
  return {
    code: 'AcceptConnections',
    run: ({ input }) => set(input, input.isActive),
    undo: ({ input }) => set(input, !input.isActive),
  };
};

const endStep = (deps: CredentialDeps): StepDefinition<RotationInput, object> => ({
  code: 'EndFormerPassword',
  run: async ({ input }) => {
    if (input.overlapHours > 0) return { skipped: true };
    await endFormerPassword(deps, await requireRow(deps.db, namesOf(input)));
    return {};
  },
});

/** Each run only changes the row that it was started for, not a later row with the same name. */
export const databasePipelines = (deps: CredentialDeps, entity: AnyEntity): DatabasePipelines => {
  const guarded = <I extends DatabaseNames>(type: string, steps: readonly StepDefinition<I, object>[]): PipelineDefinition<I, object> =>
    definePipeline({
      type,
      steps: steps.map(whileCurrent<I>(deps.db, entity, namesOf)),
      onFinished: (trx, run) => recordRunOutcome(trx, type, run),
    });
  return {
    activation: guarded('DatabaseActivation', [acceptStep(deps)]),
    rotation: guarded('RotateDatabasePassword', [
      passwordStep<RotationInput>(deps, { namesOf, overlapOf: ({ overlapHours }) => overlapHours, isPointOfNoReturn: true }),
      readerPasswordStep(deps),
      endStep(deps),
    ]),
    openReader: guarded('OpenDatabaseReader', [openReaderStep(deps, namesOf)]),
    closeReader: guarded('CloseDatabaseReader', closeReaderSteps<DatabaseNames>(deps)),
  };
};
