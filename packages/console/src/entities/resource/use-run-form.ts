/** A form whose write starts a pipeline: sends it, confirms with a link to the pipeline, closes or leaves, and reloads what changes. */
import type { ChangeHint } from '@slipway/contract/hint.ts';
import type { Call, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { runOf, type PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type { FieldValues } from 'react-hook-form';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/index.ts';
import { toastRun } from '#entities/pipeline/index.ts';
import { useWrite } from '#kit/api/write.ts';
import { useApiForm, type ApiForm, type ApiFormOptions } from '#kit/form/use-api-form.ts';

export interface RunFormOptions<R extends RouteShape, Values extends FieldValues, Output> extends Omit<
  ApiFormOptions<Values, Output>,
  'onSubmit'
> {
  route: R;
  inputOf: (values: Output) => Call<R>;
  /** Confirms the write: "berthplans is being created". */
  doneOf: (values: Output) => string;
  /** The page to open. */
  hrefOf?: (values: Output) => string;
  /** Called before the answers are reloaded, for example to close a dialog. */
  onDone?: () => void;
  /** The answers to reload. */
  hints: readonly ChangeHint[];
}

export const useRunForm = <R extends RouteShape, Values extends FieldValues, Output>(
  options: RunFormOptions<R, Values, Output>,
): ApiForm<Values> => {
  const { route, inputOf, doneOf, hrefOf, onDone, hints, ...form } = options;
  const { send } = useWrite(route);
  const navigate = useNavigate();
  return useApiForm<Values, Output>({
    ...form,
    onSubmit: async (values) => {
      const run = runOf((await send(inputOf(values))) as PlanOrRun);
      toastRun(doneOf(values), run);
      onDone?.();
      if (hrefOf) await navigate(hrefOf(values));
      for (const hint of hints) await refresh(hint);
    },
  });
};
