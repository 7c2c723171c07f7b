/** The steps of a run from top to bottom, each a link to its log. */
import { isActive, type PipelineRun, type PipelineStep } from '@slipway/contract/pipeline/pipeline.ts';

import { duration } from '@slipway/ui/format/duration.ts';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Steps, type Step } from '@slipway/ui/figures/Steps.tsx';
import { useNow } from '@slipway/ui/use-now.ts';
import type { ReactNode } from 'react';
import { isNotReached } from '#entities/pipeline/pipeline-progress.ts';
import { StepTime } from '#entities/pipeline/StepTime.tsx';
import { isUndone, noReturnStep, scaleMs, stepLooks, stepMs, stepLabel } from './step-rows.ts';

export interface StepsPanelProps {
  run: PipelineRun;
  chosen: PipelineStep | undefined;
  hrefOf: (step: string) => string;
}

const timeOf = (run: PipelineRun, step: PipelineStep): ReactNode => {
  const words = stepLabel(run, step);
  if (words) return words;
  if (step.startedAt !== null) return <StepTime from={step.startedAt} to={step.endedAt} />;
  return step.usualMs === null ? undefined : `usually ${duration(step.usualMs)}`;
};

const rowOf = (run: PipelineRun, step: PipelineStep, now: number, scale: number): Step => {
  const ms = stepLabel(run, step) ? undefined : stepMs(step, now);
  return {
    key: step.code,
    title: step.name,
    state: isUndone(step) || (step.state === 'PENDING' && stepLabel(run, step)) ? 'skipped' : stepLooks[step.state],
    time: timeOf(run, step),
    ...(ms === undefined ? {} : { share: ms / scale, ...(step.usualMs === null ? {} : { usualShare: step.usualMs / scale }) }),
  };
};

export function StepsPanel({ run, chosen, hrefOf }: StepsPanelProps) {
  const { steps } = run.status;
  const isRunning = isActive(run.status.state);
  const now = useNow((at) => at, isRunning);
  const scale = scaleMs(steps, now);
  const done = steps.filter((step) => step.state === 'COMPLETED' || (step.state === 'SKIPPED' && !isNotReached(run, step))).length;
  const hasUsual = steps.some(({ usualMs }) => usualMs !== null);
  return (
    <Panel aria-labelledby="steps">
      <PanelHead title="Steps" titleId="steps" note={`${done} of ${steps.length} done${hasUsual ? ' · tick marks the usual time' : ''}`} />
      <Steps
        label="Steps"
        items={steps.map((step) => ({ ...rowOf(run, step, now, scale), href: hrefOf(step.code), isCurrent: step.code === chosen?.code }))}
      />
      {isRunning && <Cancelling run={run} />}
    </Panel>
  );
}

function Cancelling({ run }: { run: PipelineRun }) {
  const step = noReturnStep(run);
  if (!step) return <PanelFoot>You can cancel at any time. Changes made so far are rolled back.</PanelFoot>;
  return (
    <PanelFoot>
      {step.state === 'PENDING'
        ? `Cancelling is possible until ${step.name} begins.`
        : `${step.name} has begun, so there is no cancelling any more.`}
    </PanelFoot>
  );
}
