/** What creating, changing and deleting an entity does: the entity's own steps, then its row. */
import { transaction, type Db } from '#db/database.ts';
import { recordRunOutcome } from '#modules/activity/index.ts';
import { definePipeline, StepFailure, type FinishedRun, type PipelineDefinition, type StepDefinition } from '#modules/pipelines/index.ts';
import { type AnyEntity, type EntityInput, pipelineTypeOf } from './entity.ts';
import { eraseRow, lockEntity, pipelineOf, setEntity } from './entity-rows.ts';

type Definition = PipelineDefinition<EntityInput, object>;
type Step = StepDefinition<EntityInput, object>;
export interface EntityPipelines {
  readonly create: Definition;
  readonly update: Definition;
  readonly remove: Definition;
}

/** A creation can be re-run when its entity was discarded and the name given to another: it must not touch that one. */
const whileCurrent =
  (db: Db, entity: AnyEntity) =>
  (step: Step): Step => {
    const isCurrent = async ({ input, pipelineId }: { input: EntityInput; pipelineId: string }): Promise<boolean> =>
      (await pipelineOf(db, entity, input)) === pipelineId;
    return {
      ...step,
      run: async (context) => {
        if (!(await isCurrent(context))) throw new StepFailure('Discarded');
        return step.run(context);
      },
      ...(step.undo && {
        undo: async (context) => {
          if (await isCurrent(context)) await step.undo?.(context);
        },
      }),
    };
  };

/** Also for a run that was cancelled before its first step, which no undo hears of. */
const finished =
  (entity: AnyEntity, type: string): NonNullable<Definition['onFinished']> =>
  async (trx, run: FinishedRun<EntityInput, object>) => {
    const isCurrent = (await pipelineOf(trx, entity, run.input)) === run.pipelineId;
    if (run.outcome !== 'COMPLETED' && isCurrent) await setEntity(trx, entity, run.input, { state: run.input.stateBefore });
    await recordRunOutcome(trx, type, run);
  };

export const entityPipelines = (db: Db, entity: AnyEntity): EntityPipelines => {
  const { rights, steps = {}, resource } = entity;
  const name = resource.shape.name;
  const types = (['Create', 'Update', 'Delete'] as const).map((verb) => pipelineTypeOf(entity, verb));
  const [create = '', update = '', remove = ''] = types;
  const activate: Step = {
    code: create,
    run: async ({ input, log }) => {
      await setEntity(db, entity, input, { state: 'ACTIVE' });
      log(`The ${resource.shape.kind.label.toLowerCase()} ${input[name]} is there`);
    },
    undo: ({ input }) => setEntity(db, entity, input, { state: 'NOT_CREATED' }),
  };
  const confirm: Step = { code: update, run: ({ input }) => setEntity(db, entity, input, { state: 'ACTIVE' }) };
  const erase: Step = {
    code: remove,
    isPointOfNoReturn: true,
    run: ({ input }) =>
      transaction(db, async (trx) => {
        await lockEntity(trx, entity, input);
        const kept = await entity.whyKept?.(trx, input);
        if (kept !== undefined) throw new StepFailure(kept, { [name]: input[name] ?? '' });
        await eraseRow(trx, entity, input);
      }),
  };
  return {
    create: definePipeline<EntityInput, object>({
      type: create,
      // What could not be created has no owner: whoever asked for it stands in.
      rights: { ...rights, isStartersToo: true },
      steps: [...(steps.create ?? []), activate].map(whileCurrent(db, entity)),
      onFinished: finished(entity, create),
    }),
    update: definePipeline<EntityInput, object>({
      type: update,
      rights,
      steps: [...(steps.update ?? []), confirm],
      onFinished: finished(entity, update),
    }),
    remove: definePipeline<EntityInput, object>({
      type: remove,
      rights,
      steps: [...(steps.remove ?? []), erase],
      onFinished: finished(entity, remove),
    }),
  };
};
