/** Steps that work on the row of an entity. The kernel reads the row once per step and hands it over. */
import type { StepContext, StepDefinition } from '#modules/pipelines/index.ts';

export interface RowContext<Row, I> extends StepContext<I, object> {
  /** The row as the step finds it, with the columns of its table. It names this run's pipeline. */
  readonly row: Row;
}

export interface RowStep<Row, I> extends Omit<StepDefinition<I, object>, 'run' | 'undo'> {
  run(context: RowContext<Row, I>): ReturnType<StepDefinition<I, object>['run']>;
  /** Not called if the row is gone or another pipeline works on it by now. */
  undo?(context: RowContext<Row, I>): Promise<void>;
  /** Undoes only while the row has the claim of this pipeline: `claimStep`. */
  readonly isUnderClaim?: boolean;
}
