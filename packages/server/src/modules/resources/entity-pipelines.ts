/** Pipelines that create, update and delete an entity: the entity's own steps, then its row. */
import { isByPipeline } from '@slipway/contract/resource.ts';
import { transaction, type Db } from '#db/database.ts';
import { recordRunOutcome } from '#modules/activity/index.ts';
import { definePipeline, StepFailure, type FinishedRun, type PipelineDefinition, type StepDefinition } from '#modules/pipelines/index.ts';
import type { AnyEntity, EntityInput } from './entity.ts';
import { eraseRow, lockEntity, pipelineOf, setEntity } from './entity-rows.ts';
import { whileCurrent } from './managed/current-run.ts';

type Definition = PipelineDefinition<EntityInput, object>;
type Step = StepDefinition<EntityInput, object>;
/** Pipelines of writes that are not done synchronously. */
export interface EntityPipelines {
  readonly create?: Definition;
  readonly update?: Definition;
  readonly remove?: Definition;
}

/** `application` → `CreateApplication`. */
const typeOf = ({ resource: { shape } }: AnyEntity, verb: 'Create' | 'Update' | 'Delete'): string => {
  const { id = shape.kind.kind } = shape;
  return `${verb}${id.charAt(0).toUpperCase()}${id.slice(1)}`;
};

/**
 * Updates the row at the end of a run. Also covers runs cancelled before their first step, which have no undo. `left` returns the state
 * after a run without effect.
 */
const finished =
  (entity: AnyEntity, type: string, left: (run: FinishedRun<EntityInput, object>) => string): NonNullable<Definition['onFinished']> =>
  async (trx, run) => {
    const isCurrent = (await pipelineOf(trx, entity, run.input)) === run.pipelineId;
    if (run.outcome !== 'COMPLETED' && isCurrent) await setEntity(trx, entity, run.input, { state: left(run) });
    // A failed creation can be re-run after a change.
    const creation = run.input['creation'];
    if (isCurrent && creation !== undefined) await setEntity(trx, entity, run.input, { pipeline_id: creation });
    await recordRunOutcome(trx, type, run);
  };

const eraseStep = (db: Db, entity: AnyEntity, code: string): Step => {
  const { name } = entity.resource.shape;
  return {
    code,
    isPointOfNoReturn: !entity.steps?.remove?.some((step) => step.isPointOfNoReturn),
    run: ({ input, pipelineId }) =>
      transaction(db, async (trx) => {
        await lockEntity(trx, entity, input);
        const current = await pipelineOf(trx, entity, input);
        // Already done: the step was repeated after a crash.
        if (current === undefined) return;
        if (current !== pipelineId) throw new StepFailure('Discarded');
        const kept = await entity.whyKept?.(trx, input);
        if (kept !== undefined) throw new StepFailure(kept, { [name]: input[name] ?? '' });
        await eraseRow(trx, entity, input);
      }),
  };
};

export const entityPipelines = (db: Db, entity: AnyEntity): EntityPipelines => {
  const { steps = {}, resource } = entity;
  const { create: createRights, write: rights } = entity.rights ?? {};
  const [create, update, remove] = [typeOf(entity, 'Create'), typeOf(entity, 'Update'), typeOf(entity, 'Delete')];
  const { name, kind } = resource.shape;
  const guarded = whileCurrent<EntityInput>(db, entity);
  const activate: Step = {
    code: create,
    run: async ({ input, log }) => {
      await setEntity(db, entity, input, { state: 'ACTIVE' });
      log(`The ${kind.label.toLowerCase()} ${input[name]} is there`);
    },
    undo: ({ input }) => setEntity(db, entity, input, { state: 'NOT_CREATED' }),
  };
  const confirm: Step = {
    code: update,
    // A change does not complete a failed creation or deletion.
    run: ({ input }) => setEntity(db, entity, input, { state: input['creation'] === undefined ? 'ACTIVE' : input.stateBefore }),
  };
  // A partial deletion on the engines cannot be undone. A re-run completes it.
  const isHalfGone = ({ outcome, failure }: FinishedRun<EntityInput, object>): boolean => {
    const all = steps.remove ?? [];
    const noReturn = all.findIndex((step) => step.isPointOfNoReturn);
    const failed = all.findIndex(({ code }) => code === failure?.step);
    // Failures before the point of no return were undone. A failure in that step counts as undone if the step has an undo.
    const isUndone = failed !== -1 && (failed < noReturn || (failed === noReturn && all[failed]?.undo !== undefined));
    return outcome === 'FAILED' && all.length > 0 && !isUndone;
  };
  return {
    ...(isByPipeline(resource.create) && {
      create: definePipeline<EntityInput, object>({
        type: create,
        ...(createRights && { rights: createRights }),
        steps: [...(steps.create ?? []), activate].map(whileCurrent<EntityInput>(db, entity, undefined, resource.shape.codes.taken)),
        onFinished: finished(entity, create, () => 'NOT_CREATED'),
      }),
    }),
    ...(isByPipeline(resource.update) && {
      update: definePipeline<EntityInput, object>({
        type: update,
        ...(rights && { rights }),
        steps: [...(steps.update ?? []), confirm].map(guarded),
        onFinished: finished(entity, update, ({ input }) => input.stateBefore),
      }),
    }),
    ...(isByPipeline(resource.remove) && {
      remove: definePipeline<EntityInput, object>({
        type: remove,
        ...(rights && { rights }),
        steps: [...(steps.remove ?? []).map(guarded), eraseStep(db, entity, remove)],
        onFinished: finished(entity, remove, (run) => (isHalfGone(run) ? 'DELETING' : run.input.stateBefore)),
      }),
    }),
  };
};
