/** Rows of the step list: durations compared with the usual ones, on one scale. */
import type { PipelineRun, PipelineStep } from '@slipway/contract/pipeline/pipeline.ts';
import type { StepState } from '@slipway/ui/figures/Steps.tsx';
import { isNotReached } from '#entities/pipeline/pipeline-progress.ts';

export const stepLooks: Readonly<Record<PipelineStep['state'], StepState>> = {
  PENDING: 'todo',
  RUNNING: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  SKIPPED: 'skipped',
  CANCELED: 'canceled',
};

/** Milliseconds so far; undefined before the step starts. */
export const stepMs = ({ startedAt, endedAt }: Pick<PipelineStep, 'startedAt' | 'endedAt'>, now: number): number | undefined =>
  startedAt === null ? undefined : Math.max(0, (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt));

/** The longest measured or usual duration, drawn as a full-width bar. At least one second, so that short steps stay small. */
export const scaleMs = (steps: readonly PipelineStep[], now: number): number =>
  Math.max(1000, ...steps.map((step) => Math.max(stepMs(step, now) ?? 0, step.startedAt === null ? 0 : (step.usualMs ?? 0))));

/** Selects the requested step, otherwise the running, the failed, or the last step that did something. */
export const chosenStep = ({ status: { steps } }: Pick<PipelineRun, 'status'>, wanted: string): PipelineStep | undefined =>
  steps.find(({ code }) => code === wanted) ??
  steps.find(({ state }) => state === 'RUNNING') ??
  steps.find(({ state }) => state === 'FAILED') ??
  steps.findLast(({ state, startedAt }) => startedAt !== null && (state === 'COMPLETED' || state === 'CANCELED')) ??
  steps[0];

/** True if the step's result was rolled back, so the step must not look completed. */
export const isUndone = ({ message }: PipelineStep): boolean => message?.code === 'Undone';

/** Text in place of a duration. */
export const stepLabel = (run: PipelineRun, step: PipelineStep): 'not reached' | 'nothing to do' | 'kept' | 'removed again' | undefined => {
  if (isUndone(step)) return 'removed again';
  if (isNotReached(run, step)) return 'not reached';
  if (step.state === 'SKIPPED') return 'nothing to do';
  return step.state === 'COMPLETED' && step.startedAt === null ? 'kept' : undefined;
};

/** Returns the last step at which the run can still be canceled. */
export const noReturnStep = ({ status: { steps } }: Pick<PipelineRun, 'status'>): PipelineStep | undefined =>
  steps.find(({ isPointOfNoReturn }) => isPointOfNoReturn);
