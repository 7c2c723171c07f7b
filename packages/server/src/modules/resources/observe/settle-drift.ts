/**
 * Settles drift on demand: restores the wanted state on the engine (ours), or adopts the engine's (theirs). The plan lists the differences of
 * the last comparison. The pipeline compares again and settles what it finds then.
 */
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { note, StepFailure, type PipelineDefinition } from '#modules/pipelines/index.ts';
import type { EntityView, Names } from '../entity.ts';
import { runAction, type Action, type ActionCall, type ActionDeps } from '../entity-actions.ts';
import { actionPipeline } from '../managed/current-run.ts';
import type { RowStep } from '../managed/row-step.ts';
import { observeNow, type ComparedRow, type Observe } from './drift.ts';

export type SettleInput = Names & { readonly keep: 'ours' | 'theirs' };
export type SettlePipeline = PipelineDefinition<SettleInput, object>;

/** Tells how the drift of an entity is settled. */
export interface Settling<View extends EntityView, Row extends ComparedRow> {
  readonly entity: Action<View>['entity'];
  readonly route: RouteShape;
  /** Type of the pipeline, and code of its last step, which compares again so that the page shows the remaining differences. */
  readonly type: string;
  /** Steps that settle. A settled value is no longer a difference, so they can be repeated. */
  readonly steps: readonly RowStep<never, SettleInput>[];
  /** Codes of the steps that do nothing, by the side that is kept. */
  readonly skips?: Readonly<Record<SettleInput['keep'], readonly string[]>>;
  readonly read: (db: Db, names: Names) => Promise<Row | undefined>;
  readonly observe: Observe<Row>;
  /** Describes a wanted value that the engine should have by default. */
  readonly unset?: string;
  /** Describes for the activity log what the caller did. */
  readonly message: (view: View, keep: SettleInput['keep'], count: number) => string;
}

export const settlePipeline = <View extends EntityView, Row extends ComparedRow>(
  db: Db,
  { entity, type, steps, read, observe }: Settling<View, Row>,
): SettlePipeline => {
  const require = async (names: Names): Promise<Row> => {
    const row = await read(db, names);
    if (!row) throw new StepFailure('Discarded');
    return row;
  };
  const look = { code: type, run: ({ input }: { readonly input: SettleInput }) => observeNow(() => require(input), observe) };
  return actionPipeline(db, entity, type, [...steps, look]);
};

/** Plans or starts the pipeline. Throws if no difference of the last comparison can be settled. */
export const settleDrift = <View extends EntityView, Row extends ComparedRow>(
  deps: ActionDeps,
  { entity, route, read, message, unset = '', skips }: Settling<View, Row>,
  definition: SettlePipeline,
  call: ActionCall,
  keep: SettleInput['keep'] = 'ours',
): Promise<PlanOrRun> =>
  runAction(deps, { entity, route, verb: 'reconcile' }, call, async (view, trx) => {
    const { differences = [] } = (await read(trx, call.params))?.drift ?? {};
    const settled = differences.filter(({ canRepair, canAdopt }) => (keep === 'ours' ? canRepair : canAdopt));
    if (settled.length === 0) throw new Problem('NothingToReconcile');
    const code = keep === 'ours' ? 'PutsBack' : 'TakesOver';
    return {
      definition,
      input: { ...call.params, keep },
      skips: skips?.[keep] ?? [],
      consequences: settled.map(({ name, ours, theirs }) => note(code, { name, ours: ours ?? unset, theirs: theirs ?? 'nothing' })),
      reason: keep === 'ours' ? 'PutBack' : 'TakenOver',
      message: `${call.caller.displayName} ${message(view, keep, settled.length)}`,
      after: { differences: settled.map(({ name }) => name) },
    };
  });
