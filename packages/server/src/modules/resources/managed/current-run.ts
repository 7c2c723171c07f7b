/** Guards the steps of an entity's pipelines, and hands them the row. */
import type { ErrorCode } from '@slipway/contract/kernel/errors.ts';
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
 * pipeline started. It must not change anything then. `namesOf` defaults to the input's names of the entity. With `taken`, a run learns
 * that its name belongs to a later creation.
 */
export const whileCurrent =
  <I extends object, Row = unknown>(db: Db, entity: AnyEntity, namesOf = (input: I): Names => namesIn(entity, input), taken?: ErrorCode) =>
  (step: RowStep<Row, I>): StepDefinition<I, object> => {
    const stored = ({ input }: StepContext<I, object>) => storedRow<Row & { readonly state?: string }>(db, entity, namesOf(input));
    const { isUnderClaim, undo, ...others } = step;
    return {
      ...others,
      run: async (context) => {
        const row = await stored(context);
        if (row?.pipeline_id === context.pipelineId) return step.run({ ...context, row });
        if (taken && (row?.state === 'CREATING' || row?.state === 'ACTIVE')) throw new StepFailure(taken, namesOf(context.input));
        throw new StepFailure('Discarded');
      },
      ...(undo && {
        undo: async (context) => {
          const row = await stored(context);
          if (row?.pipeline_id === context.pipelineId && (!isUnderClaim || row.claim === context.pipelineId))
            await step.undo?.({ ...context, row });
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
