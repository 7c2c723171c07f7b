/** Progress of a run, for bars and short labels. */
import { isActive, type PipelineRun, type PipelineStep } from '@slipway/contract/pipeline/pipeline.ts';
import { nameOf, pipelineHome } from '@slipway/contract/kinds.ts';
import { pipelineTypeLabel } from '@slipway/contract/pipeline/pipeline-types.ts';
import type { TabState } from '#kit/page/page-title.ts';

export interface PipelineProgress {
  done: number;
  total: number;
  /** Number of the step that runs, failed, or comes next, from 1. */
  at: number;
  step: PipelineStep | undefined;
  /** Completed share, 0 to 1. */
  share: number;
}

const isOver = ({ state }: PipelineStep): boolean => state === 'COMPLETED' || state === 'SKIPPED';

export const progressOf = ({ status: { steps } }: Pick<PipelineRun, 'status'>): PipelineProgress => {
  const done = steps.filter(isOver).length;
  const total = steps.length;
  const index = steps.findIndex((step) => !isOver(step));
  return { done, total, at: Math.min(done + 1, total), step: steps[index], share: total === 0 ? 0 : done / total };
};

/** Returns the usual total duration of the steps that were not skipped, milliseconds; undefined if unknown. */
export const usualTotalMs = ({ status: { steps } }: Pick<PipelineRun, 'status'>): number | undefined => {
  const known = steps.filter(({ state, usualMs }) => usualMs !== null && state !== 'SKIPPED');
  return known.length === 0 ? undefined : known.reduce((sum, { usualMs }) => sum + (usualMs ?? 0), 0);
};

/** Returns for example "Start instances, 6 of 8". */
export const progressText = (run: Pick<PipelineRun, 'status'>): string => {
  const { step, at, total } = progressOf(run);
  return step ? `${step.name}, ${at} of ${total}` : `${total} of ${total}`;
};

export const failedStepOf = ({ status: { steps } }: Pick<PipelineRun, 'status'>): PipelineStep | undefined =>
  steps.find(({ state }) => state === 'FAILED');

/** Returns true if the run failed or was canceled and still removes what it created. */
export const isUndoing = (run: Pick<PipelineRun, 'status'>): boolean =>
  isActive(run.status.state) && run.status.steps.some(({ state }) => state === 'FAILED' || state === 'CANCELED');

/** Returns true if the step was skipped because of an earlier failure, not because there was nothing to do. */
export const isNotReached = (run: Pick<PipelineRun, 'status'>, step: PipelineStep): boolean =>
  step.startedAt === null && (step.state === 'SKIPPED' || step.state === 'CANCELED' || (step.state === 'PENDING' && isUndoing(run)));

export const pipelineTypeName = (type: string): string => pipelineTypeLabel(type) ?? type;

/** Returns the name of the run's subject; for a part of a resource, the name of that resource. */
export const subjectName = ({ subject, pipelineType }: Pick<PipelineRun, 'subject' | 'pipelineType'>): string =>
  nameOf({ kind: pipelineHome(subject)?.kind.kind ?? subject.kind, names: subject.names }) || pipelineTypeName(pipelineType);

export const tabStateOf = (run: Pick<PipelineRun, 'status'> | undefined): TabState | undefined => {
  if (!run) return undefined;
  if (isActive(run.status.state)) return 'running';
  return run.status.state === 'COMPLETED' ? 'done' : 'failed';
};
