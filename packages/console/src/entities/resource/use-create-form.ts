/** The form that creates an entity by a pipeline: sends it, confirms with a link to the pipeline, and opens the entity's page. */
import type { ChangeHint } from '@slipway/contract/kernel/hint.ts';
import type { Call, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { runOf, type PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type { FieldValues } from 'react-hook-form';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/index.ts';
import { toastRun } from '#entities/pipeline/index.ts';
import { useWrite } from '#kit/api/write.ts';
import { useApiForm, type ApiForm, type ApiFormOptions } from '#kit/form/use-api-form.ts';

export interface CreateFormOptions<R extends RouteShape, Values extends FieldValues, Output> extends Omit<
  ApiFormOptions<Values, Output>,
  'onSubmit'
> {
  route: R;
  inputOf: (values: Output) => Call<R>;
  /** The name shown in the confirmation. */
  titleOf: (values: Output) => string;
  hrefOf: (values: Output) => string;
  /** The answers to reload. */
  hint: ChangeHint;
}

export const useCreateForm = <R extends RouteShape, Values extends FieldValues, Output>(
  options: CreateFormOptions<R, Values, Output>,
): ApiForm<Values> => {
  const { route, inputOf, titleOf, hrefOf, hint, ...form } = options;
  const { send } = useWrite(route);
  const navigate = useNavigate();
  return useApiForm<Values, Output>({
    ...form,
    onSubmit: async (values) => {
      const run = runOf((await send(inputOf(values))) as PlanOrRun);
      toastRun(`${titleOf(values)} is being created`, run);
      await navigate(hrefOf(values));
      await refresh(hint);
    },
  });
};
