/** One pipeline: steps on the left, the selected step's log on the right, and the failure on top. */
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { stepMessageOf } from '@slipway/contract/pipeline/steps.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { PageBody } from '#kit/page/PageBody.tsx';
import { failedStepOf } from '#entities/pipeline/pipeline-progress.ts';
import { PipelineFailure } from '#entities/diagnosis/PipelineFailure.tsx';
import { StepLogPanel } from '#entities/pipeline/StepLogPanel.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import { usePipelineRun } from '#entities/pipeline/use-pipeline-run.ts';
import { EarlierRun, RunsPanel } from './RunsPanel.tsx';
import { StepsPanel } from './StepsPanel.tsx';
import { StopWaiting } from './StopWaiting.tsx';
import { chosenStep } from './step-rows.ts';

const defaults = { step: '', line: '', log: '', run: '' };

/** Returns the run named in the URL, or the newest. */
export const useShownRun = (pipeline: string) => usePipelineRun(pipeline, useUrlState(defaults).state.run);

export const isNewestRun = ({ runs, runId }: PipelineRun): boolean => (runs[0]?.runId ?? runId) === runId;

export interface PipelineBodyProps {
  run: PipelineRun | undefined;
  /** The revision that currently receives traffic, if the subject is a service that has one. */
  serving?: string | null;
  team: string;
}

export function PipelineBody({ run, serving = null, team }: PipelineBodyProps) {
  const { state, hrefOf } = useUrlState(defaults);
  const onLinks = useInPageLinks();
  const step = run && chosenStep(run, state.step);
  const isNewest = !run || isNewestRun(run);
  const runHref = (runId: string): string => hrefOf({ run: runId, step: '', line: '', log: '' });
  return (
    <PageBody padding="flush" className="stack stack-24" isTall>
      {run && isNewest && isActive(run.status.state) && <StopWaiting run={run} />}
      {run && isNewest && <Outcome run={run} serving={serving} team={team} />}
      {run && !isNewest && <EarlierRun run={run} href={runHref('')} />}
      {run && (
        <div className="split split-steps" onClickCapture={onLinks}>
          <div className="stack">
            <StepsPanel run={run} chosen={step} hrefOf={(code) => hrefOf({ step: code, line: '', log: '' })} />
            <RunsPanel run={run} hrefOf={runHref} />
          </div>
          {step && <StepLogPanel key={`${run.runId}/${step.code}`} run={run} step={step} />}
        </div>
      )}
    </PageBody>
  );
}

function Outcome({ run, serving, team }: { run: PipelineRun; serving: string | null; team: string }) {
  if (failedStepOf(run)) return <PipelineFailure run={run} serving={serving} team={team} />;
  if (run.status.state !== 'CANCELED') return null;
  const stopped = run.status.steps.find(({ message }) => message?.code === 'Canceled');
  return (
    <Notice>{stopped ? stepMessageOf(stopped.code, stopped.message) : 'Cancelled before it started.'} All changes were rolled back.</Notice>
  );
}
