/** Guards the steps of an entity's pipelines, and hands them the row. */
import type { Db } from '#db/database.ts';
import { recordRunOutcome } from '#modules/activity/index.ts';
import { definePipeline, StepFailure, type PipelineDefinition, type StepContext, type StepDefinition } from '#modules/pipelines/index.ts';
import type { AnyEntity, Names } from '../entity.ts';
import { storedRow } from '../entity-rows.ts';
import type { RowStep } from './row-step.ts';

/** Path parameters of the entity, among everything that a pipeline's input holds. */
const namesIn = ({ key }: AnyEntity, input: object): Names =>
  Object.fromEntries(Object.entries(input).filter(([name]) => Object.hasOwn(key, name)));

/**
 * Allows a run only while the row names its pipeline. A run may be retried after the row was deleted and its name reused, or after another
 * pipeline started. It must not change anything then. `namesOf` defaults to the input's names of the entity.
 */
export const whileCurrent =
  <I extends object, Row = unknown>(db: Db, entity: AnyEntity, namesOf = (input: I): Names => namesIn(entity, input)) =>
  (step: RowStep<Row, I>): StepDefinition<I, object> => {
    const current = async ({ input, pipelineId }: StepContext<I, object>) => {
      const row = await storedRow<Row>(db, entity, namesOf(input));
      return row?.pipeline_id === pipelineId ? row : undefined;
    };
    const { isUnderClaim, undo, ...others } = step;
    return {
      ...others,
      run: async (context) => {
        const row = await current(context);
        if (!row) throw new StepFailure('Discarded');
        return step.run({ ...context, row });
      },
      ...(undo && {
        undo: async (context) => {
          const row = await current(context);
          if (row && (!isUnderClaim || row.claim === context.pipelineId)) await step.undo?.({ ...context, row });
        },
      }),
    };
  };

/** Returns the pipeline of an action. Each run only changes the row that it was started for, not a later row with the same name. */
export const actionPipeline = <I extends object, Row>(
  db: Db,
  entity: AnyEntity,
  type: string,
  steps: readonly RowStep<Row, I>[],
): PipelineDefinition<I, object> =>
  definePipeline({
    type,
    steps: steps.map(whileCurrent<I, Row>(db, entity)),
    onFinished: (trx, run) => recordRunOutcome(trx, type, run),
  });
