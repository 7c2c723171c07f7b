/**
 * A form that requests a plan on submit. Confirming the plan sends the same values for real. Errors go to the fields in both cases, and
 * leaving the page asks for confirmation until a pipeline was started.
 */
import { isPlan, runOf, type Plan, type PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { useRef, useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useApiForm, type ApiForm, type ApiFormOptions } from '#kit/form/use-api-form.ts';

export interface PlannedFormOptions<Values extends FieldValues, Output> extends Omit<ApiFormOptions<Values, Output>, 'onSubmit'> {
  /** Sends the values, as a dry run or for real. Returns undefined if they were rejected and the page showed the error itself. */
  send: (values: Output, isDryRun: boolean) => Promise<PlanOrRun | undefined>;
  onStarted: (run: PipelineRun, values: Output) => Promise<void> | void;
}

export interface PlannedForm<Values extends FieldValues> {
  form: ApiForm<Values>;
  /** The plan to confirm; undefined while the form is edited. */
  plan: Plan | undefined;
  /** For `ConfirmChanges`. A server error closes the plan and is shown at the fields or on the page. */
  confirm: () => Promise<void>;
  /** Closes the plan and returns to the form. */
  dismiss: () => void;
  /** For `UnsavedGuard`, instead of the form's own check: requesting a plan saves nothing. */
  isStarted: () => boolean;
}

export const usePlannedForm = <Values extends FieldValues, Output>(options: PlannedFormOptions<Values, Output>): PlannedForm<Values> => {
  const { send, onStarted, ...rest } = options;
  const [plan, setPlan] = useState<Plan>();
  const isConfirming = useRef(false);
  const isStarted = useRef(false);
  const form = useApiForm<Values, Output>({
    ...rest,
    onSubmit: async (values) => {
      const answer = await send(values, !isConfirming.current);
      if (answer === undefined) return;
      if (isPlan(answer)) return setPlan(answer);
      isStarted.current = true;
      await onStarted(runOf(answer), values);
    },
  });
  const confirm = async (): Promise<void> => {
    isConfirming.current = true;
    try {
      await form.submit();
    } finally {
      isConfirming.current = false;
      setPlan(undefined);
    }
  };
  return { form, plan, confirm, dismiss: () => setPlan(undefined), isStarted: () => isStarted.current };
};
