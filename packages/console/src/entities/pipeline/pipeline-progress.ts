/** How far a run is, for bars and short words. */
import { isActive, type PipelineRun, type PipelineStep } from '@slipway/contract/pipeline/pipeline.ts';
import { nameOf, pipelineHome } from '@slipway/contract/kernel/kinds.ts';
import { pipelineTypeLabel } from '@slipway/contract/pipeline/pipeline-types.ts';
import type { TabState } from '#kit/page/page-title.ts';

export interface PipelineProgress {
  done: number;
  total: number;
  /** From 1; the step that runs, failed, or comes next. */
  at: number;
  step: PipelineStep | undefined;
  /** 0 to 1. */
  share: number;
}

const isOver = ({ state }: PipelineStep): boolean => state === 'COMPLETED' || state === 'SKIPPED';

export const progressOf = ({ status: { steps } }: Pick<PipelineRun, 'status'>): PipelineProgress => {
  const done = steps.filter(isOver).length;
  const total = steps.length;
  const index = steps.findIndex((step) => !isOver(step));
  return { done, total, at: Math.min(done + 1, total), step: steps[index], share: total === 0 ? 0 : done / total };
};

/** What the steps that had something to do usually take together, milliseconds; undefined where nobody knows yet. */
export const usualTotalMs = ({ status: { steps } }: Pick<PipelineRun, 'status'>): number | undefined => {
  const known = steps.filter(({ state, usualMs }) => usualMs !== null && state !== 'SKIPPED');
  return known.length === 0 ? undefined : known.reduce((sum, { usualMs }) => sum + (usualMs ?? 0), 0);
};

/** "Start instances, 6 of 8". */
export const progressText = (run: Pick<PipelineRun, 'status'>): string => {
  const { step, at, total } = progressOf(run);
  return step ? `${step.name}, ${at} of ${total}` : `${total} of ${total}`;
};

export const failedStepOf = ({ status: { steps } }: Pick<PipelineRun, 'status'>): PipelineStep | undefined =>
  steps.find(({ state }) => state === 'FAILED');

/** The run fails already, but what it made is still being removed. */
export const isUndoing = (run: Pick<PipelineRun, 'status'>): boolean =>
  isActive(run.status.state) && run.status.steps.some(({ state }) => state === 'FAILED' || state === 'CANCELED');

/** Skipped because an earlier step failed, not because there was nothing to do. */
export const isNotReached = (run: Pick<PipelineRun, 'status'>, step: PipelineStep): boolean =>
  step.startedAt === null && (step.state === 'SKIPPED' || step.state === 'CANCELED' || (step.state === 'PENDING' && isUndoing(run)));

export const pipelineTypeName = (type: string): string => pipelineTypeLabel(type) ?? type;

/** What the run works on, in one name: of a part, what it is a part of. */
export const subjectName = ({ subject, pipelineType }: Pick<PipelineRun, 'subject' | 'pipelineType'>): string =>
  nameOf({ kind: pipelineHome(subject)?.kind.kind ?? subject.kind, names: subject.names }) || pipelineTypeName(pipelineType);

export const tabStateOf = (run: Pick<PipelineRun, 'status'> | undefined): TabState | undefined => {
  if (!run) return undefined;
  if (isActive(run.status.state)) return 'running';
  return run.status.state === 'COMPLETED' ? 'done' : 'failed';
};
