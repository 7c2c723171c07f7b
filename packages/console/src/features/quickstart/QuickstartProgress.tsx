/** The left side while a quickstart runs and after it completes: progress, how to work with the app, and links. */
import { isActive, type PipelineRun, type PipelineStep } from '@slipway/contract/pipeline/pipeline.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { DurationBar } from '@slipway/ui/figures/DurationBar.tsx';
import { DurationText } from '@slipway/ui/text/DurationText.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { tickingDuration } from '@slipway/ui/format/duration.ts';
import { useNow } from '@slipway/ui/use-now.ts';
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import { ExternalLink, List } from 'lucide-react';
import { reasonOf } from '#kit/error/messages.ts';
import { paths, pipelinePath } from '#entities/paths.ts';
import { isNotReached, progressText } from '#entities/pipeline/pipeline-progress.ts';
import { usePipelineActions } from '#entities/pipeline/use-pipeline-run.ts';
import { CloneLine } from './CloneLine.tsx';
import css from './QuickstartProgress.module.css';
import { msLeft, planProgress, type PlanItem, type PlanNames } from './quickstart-plan.ts';

export interface QuickstartProgressProps {
  run: PipelineRun;
  plan: readonly PlanItem[];
  names: PlanNames;
}

export function QuickstartProgress({ run, plan, names }: QuickstartProgressProps) {
  const isRunning = isActive(run.status.state);
  return (
    <section aria-label="Progress" className="stack stack-24">
      <HowFar run={run} plan={plan} />
      <NextSteps run={run} names={names} />
      <div className="row row-wrap">{isRunning ? <RunningActions run={run} /> : <EndedActions run={run} names={names} />}</div>
      <VisuallyHidden role="status">{isRunning ? progressText(run) : `${names.service}: ${run.status.state.toLowerCase()}`}</VisuallyHidden>
    </section>
  );
}

function HowFar({ run, plan }: { run: PipelineRun; plan: readonly PlanItem[] }) {
  const made = planProgress(plan, run, !isActive(run.status.state)).filter(({ state }) => state === 'completed').length;
  const { steps } = run.status;
  const isDone = (step: PipelineStep): boolean => step.state === 'COMPLETED' || (step.state === 'SKIPPED' && !isNotReached(run, step));
  const share = steps.filter(isDone).length / Math.max(1, steps.length);
  const isRunning = isActive(run.status.state);
  const left = useNow((now) => msLeft(run, now) ?? -1, isRunning);
  const start = run.startedAt ?? run.creationTimestamp;
  return (
    <div>
      <div className="row row-baseline">
        <span className={css.count}>
          {made} of {plan.length}
        </span>
        <span className="quiet">made</span>
        <span className="push meta num">
          {isRunning && left >= 0 ? `about ${tickingDuration(Math.max(1000, left))} left` : <DurationText from={start} to={run.endedAt} />}
        </span>
      </div>
      <div className={css.bar}>
        <DurationBar
          size="lg"
          value={run.status.state === 'COMPLETED' ? 1 : share}
          label={`${made} of ${plan.length} made`}
          {...(run.status.state === 'FAILED' ? { state: 'failed' as const } : {})}
        />
      </div>
    </div>
  );
}

function NextSteps({ run, names }: { run: PipelineRun; names: PlanNames }) {
  const repository = run.facts['repository'];
  if (!isActive(run.status.state) && run.status.state !== 'COMPLETED') return null;
  return (
    <Panel aria-label="Work with it">
      <PanelHead title={run.status.state === 'COMPLETED' ? 'Work with it' : 'While you wait'} />
      <PanelBody className="stack">
        <div className="stack stack-4">
          <h3>Clone the repository</h3>
          {repository ? <CloneLine repository={repository} /> : <p className="meta">The address comes with the repository.</p>}
        </div>
        <div className="stack stack-4">
          <h3>Change something and push</h3>
          <p className="quiet dense">
            Each push to <code>main</code> builds an image and deploys it to {names.env}.
          </p>
        </div>
      </PanelBody>
    </Panel>
  );
}

function SeePipeline({ run, isQuiet = false }: { run: PipelineRun; isQuiet?: boolean }) {
  return (
    <LinkButton variant={isQuiet ? 'quiet' : 'default'} href={pipelinePath(run)} icon={<List aria-hidden="true" />}>
      See the pipeline
    </LinkButton>
  );
}

function RunningActions({ run }: { run: PipelineRun }) {
  const actions = usePipelineActions(run.pipelineId);
  return (
    <>
      <SeePipeline run={run} />
      <Button
        variant="quiet"
        isBusy={actions.isCancelling}
        busyLabel="Stopping"
        disabledReason={reasonOf(run.can, 'cancel', { team: run.subject.team ?? '' })}
        onClick={() => void actions.cancel()}
      >
        Stop and undo
      </Button>
    </>
  );
}

function EndedActions({ run, names }: { run: PipelineRun; names: PlanNames }) {
  const { url } = run.facts;
  if (run.status.state !== 'COMPLETED') return <SeePipeline run={run} />;
  return (
    <>
      {url && (
        <LinkButton href={url} variant="primary" target="_blank" rel="noreferrer" icon={<ExternalLink aria-hidden="true" />}>
          Open {names.service}
        </LinkButton>
      )}
      <LinkButton href={paths.service(names)} {...(url ? {} : { variant: 'primary' as const })}>
        Service page
      </LinkButton>
      <SeePipeline run={run} isQuiet />
    </>
  );
}
