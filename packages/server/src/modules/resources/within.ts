/** Creates entities within another pipeline: reserves their rows together, and runs their steps as steps of that pipeline. */
import type { Transaction } from 'kysely';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import type { StepContext, StepDefinition } from '#modules/pipelines/index.ts';
import { entityPipelines } from './entity-pipelines.ts';
import { eraseRow, lockEntity, pipelineOf, setEntity } from './entity-rows.ts';
import type { AnyEntity, EntityInput, Names } from './entity.ts';

/** An entity that a pipeline creates, with its path parameters. */
export interface Part {
  readonly entity: AnyEntity;
  readonly names: Names;
}

/** Returns the steps that create the entity, except the last, which activates it. They are skipped if `namesOf` returns undefined. */
export const createStepsWithin = <I extends object>(
  db: Db,
  entity: AnyEntity,
  namesOf: (input: I) => Names | undefined,
): StepDefinition<I, object>[] => {
  const { create } = entityPipelines(db, entity);
  const steps = create?.steps.filter(({ code }) => code !== create.type) ?? [];
  const within = ({ input, ...context }: StepContext<I, object>): StepContext<EntityInput, object> | undefined => {
    const names = namesOf(input);
    return names && { ...context, input: { ...names, stateBefore: 'NOT_CREATED' } };
  };
  return steps.map(({ code, run, undo }) => ({
    code,
    run: async (context) => {
      const own = within(context);
      return own ? run(own) : { skipped: true };
    },
    ...(undo && {
      undo: async (context: StepContext<I, object>) => {
        const own = within(context);
        if (own) await undo(own);
      },
    }),
  }));
};

/**
 * Ensures that the row exists and belongs to the pipeline. Throws the entity's problem if the name is taken. `pipelineId` is undefined
 * before the pipeline exists.
 */
export const reserveWithin = async (
  trx: Transaction<DB>,
  { entity, names }: Part,
  pipelineId: string | undefined,
  insert: () => Promise<object | undefined>,
): Promise<void> => {
  const isOurs = pipelineId !== undefined && (await pipelineOf(trx, entity, names)) === pipelineId;
  if (!isOurs && !(await insert())) throw new Problem(entity.resource.shape.codes.taken, { field: entity.create.field });
  await setEntity(trx, entity, names, { state: 'CREATING', ...(pipelineId === undefined ? {} : { pipeline_id: pipelineId }) });
};

/**
 * Releases the names that a failed run reserved. If something on an engine could not be undone, the rows stay as not created: they track
 * the leftovers, and each can be discarded separately.
 */
export const giveBackWithin = async (
  trx: Transaction<DB>,
  parts: readonly Part[],
  { pipelineId, runId }: { readonly pipelineId: string; readonly runId: string },
): Promise<void> => {
  const left = await trx
    .selectFrom('pipeline_step')
    .select('code')
    .where('run_id', '=', runId)
    .where('undo_failed_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  // In reverse order, since later parts refer to earlier ones.
  for (const { entity, names } of parts.toReversed()) {
    await lockEntity(trx, entity, names);
    if ((await pipelineOf(trx, entity, names)) !== pipelineId) continue;
    if (left) await setEntity(trx, entity, names, { state: 'NOT_CREATED' });
    else await eraseRow(trx, entity, names);
  }
};
