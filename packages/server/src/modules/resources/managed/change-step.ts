/** Applies a change of settings, and takes it back. The row's column `change` holds the settings before and after. */
import { StepFailure } from '#modules/pipelines/index.ts';
import type { EntityInput } from '../entity.ts';
import type { RowContext, RowStep } from './row-step.ts';

interface Sides<Settings> {
  readonly from: Settings;
  readonly to: Settings;
  readonly isUndo: boolean;
}
type Changed<Settings> = { readonly change: { readonly before: Settings; readonly after: Settings } | null };
type Apply<Row, Settings> = (context: RowContext<Row, EntityInput>, sides: Sides<Settings>) => ReturnType<RowStep<Row, EntityInput>['run']>;

/** `apply` must be idempotent. An undo calls it with the sides exchanged. */
export const changeStep = <Settings, Row extends Changed<Settings>>(
  code: string,
  apply: Apply<Row, Settings>,
): RowStep<Row, EntityInput> => ({
  code,
  run: async (context) => {
    const { change } = context.row;
    if (!change) throw new StepFailure('Discarded');
    return apply(context, { from: change.before, to: change.after, isUndo: false });
  },
  undo: async (context) => {
    const { change } = context.row;
    if (change) await apply(context, { from: change.after, to: change.before, isUndo: true });
  },
});
