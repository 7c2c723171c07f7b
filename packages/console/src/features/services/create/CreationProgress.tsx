/** The pipeline that creates the service, step by step. Redirects to the service page when it completes. */
import { isActive, type PipelineRun, type PipelineStep } from '@slipway/contract/pipeline/pipeline.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Steps, type StepState } from '@slipway/ui/figures/Steps.tsx';
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import { useEffect, useEffectEvent } from 'react';
import { useNavigate } from 'react-router';
import { PageError } from '#entities/PageError.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { paths, pipelinePath } from '#entities/paths.ts';
import { PipelineFailure } from '#entities/diagnosis/PipelineFailure.tsx';
import { progressText, tabStateOf } from '#entities/pipeline/pipeline-progress.ts';
import { StepTime } from '#entities/pipeline/StepTime.tsx';
import { usePipelineRun } from '#entities/pipeline/use-pipeline-run.ts';

const states: Readonly<Record<PipelineStep['state'], StepState>> = {
  PENDING: 'todo',
  RUNNING: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  SKIPPED: 'skipped',
  CANCELED: 'canceled',
};

const servicePath = ({ subject: { app, env, service } }: PipelineRun): string | undefined =>
  app && env && service ? paths.service({ app, env, service }) : undefined;

export function CreationProgress({ pipelineId, onBack }: { pipelineId: string; onBack: () => void }) {
  const query = usePipelineRun(pipelineId);
  const run = query.data;
  const navigate = useNavigate();
  const isDone = run?.status.state === 'COMPLETED';
  const goOn = useEffectEvent(() => {
    const path = run && servicePath(run);
    if (path) void navigate(path, { replace: true });
  });
  useEffect(() => {
    if (isDone) goOn();
  }, [isDone]);
  const name = run?.subject.service ?? 'the service';
  const hasFailed = run !== undefined && !isActive(run.status.state) && !isDone;
  usePageTitle([hasFailed ? `${name} was not created` : `Creating ${name}`], tabStateOf(run));
  if (query.error && !run) return <PageError what="steps of the pipeline" query={query} />;
  return (
    <>
      <PageHeader
        isList
        hasSkip={false}
        name={hasFailed ? `${name} was not created` : `Creating ${name}`}
        lede={hasFailed ? 'Nothing is running and nothing was changed.' : 'You can close this page.'}
      />
      <PageBody className="stack stack-24">
        {hasFailed && (
          <PipelineFailure run={run}>
            <Button onClick={onBack}>Back to the form</Button>
            <LinkButton variant="quiet" href={servicePath(run) ?? pipelinePath(run)}>
              Discard it on its page
            </LinkButton>
          </PipelineFailure>
        )}
        {run && (
          <Panel aria-labelledby="making-steps">
            <PanelHead title="Steps" titleId="making-steps">
              <LinkButton size="sm" variant="quiet" href={pipelinePath(run)}>
                See the pipeline
              </LinkButton>
            </PanelHead>
            <Steps label="Steps" items={run.status.steps.map(stepOf)} />
          </Panel>
        )}
        <VisuallyHidden role="status">
          {run && (isActive(run.status.state) ? progressText(run) : run.status.state.toLowerCase())}
        </VisuallyHidden>
      </PageBody>
    </>
  );
}

const stepOf = ({ code, name, state, startedAt, endedAt }: PipelineStep) => ({
  key: code,
  title: name,
  state: states[state],
  ...(startedAt && state !== 'PENDING' ? { time: <StepTime from={startedAt} to={endedAt} /> } : {}),
});
