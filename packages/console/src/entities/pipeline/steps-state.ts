/** Combined state of several pipeline steps that belong together. */
import type { PipelineStep } from '@slipway/contract/pipeline/pipeline.ts';
import type { StepState } from '@slipway/ui/figures/Steps.tsx';

/** `isOver`: the run has ended, so that pending steps will never run. */
export const stateOfSteps = (steps: readonly PipelineStep[], isOver: boolean): StepState => {
  const has = (state: PipelineStep['state']): boolean => steps.some((step) => step.state === state);
  if (has('FAILED')) return 'failed';
  if (steps.some(({ message }) => message?.code === 'Undone')) return 'canceled';
  if (has('RUNNING')) return 'running';
  if (steps.length > 0 && steps.every(({ state, startedAt }) => state === 'COMPLETED' || (state === 'SKIPPED' && startedAt !== null)))
    return 'completed';
  if (has('CANCELED')) return 'canceled';
  if (isOver) return 'skipped';
  return has('COMPLETED') ? 'running' : 'todo';
};
