/** One pipeline: its steps at the left, the chosen step's log at the right, and on top why it failed. */
import { applicationView } from '@slipway/contract/application.ts';
import { serviceView } from '@slipway/contract/service.ts';
import { Notice } from '@slipway/ui/Notice.tsx';
import { stepMessageOf } from '@slipway/contract/steps.ts';
import { pipelineView, type PipelineRun } from '@slipway/contract/pipeline.ts';
import { useParams, type Params } from 'react-router';
import { isStatus } from '#kit/api/errors.ts';
import { preloadQuery, useQuery } from '#kit/api/query.ts';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { PageError } from '#entities/PageError.tsx';
import { MissingPart } from '#kit/page/MissingPart.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { paths } from '#entities/paths.ts';
import { usePageTitle } from '#kit/page/page-title.ts';
import { failedStepOf } from '#entities/diagnosis/pipeline-failure.ts';
import { PipelineFailure } from '#entities/diagnosis/PipelineFailure.tsx';
import { tabStateOf } from '#entities/pipeline/pipeline-progress.ts';
import { pipelineTitle } from '#entities/pipeline/pipeline-title.ts';
import { StepLogPanel } from '#entities/pipeline/StepLogPanel.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import { usePipelineRun } from '#entities/pipeline/use-pipeline-run.ts';
import { PipelineHeader } from './PipelineHeader.tsx';
import { EarlierRun, RunsPanel } from './RunsPanel.tsx';
import { StepsPanel } from './StepsPanel.tsx';
import { chosenStep } from './step-rows.ts';

const defaults = { step: '', line: '', log: '', run: '' };

export function Component() {
  const { app = '', env = '', service: name = '', pipeline = '' } = useParams();
  const service = useQuery(serviceView, { params: { app, env, service: name } });
  const { data: owner } = useQuery(applicationView, { params: { app } });
  const { state, hrefOf } = useUrlState(defaults);
  const query = usePipelineRun(pipeline, state.run);
  const onLinks = useInPageLinks();
  const run = query.data;
  usePageTitle([run ? pipelineTitle(run) : 'Pipeline', name, env], run?.status.state === 'CANCELED' ? undefined : tabStateOf(run));
  if (isStatus(query.error, 404) && service.data) {
    const href = paths.service({ app, env, service: name }, 'pipelines');
    return <MissingPart title={`There is no pipeline ${pipeline}`} link={{ label: `Pipelines of ${name}`, href }} />;
  }
  if (query.error && !run) return <PageError what={`pipeline ${pipeline}`} query={query} />;
  const step = run && chosenStep(run, state.step);
  const team = owner?.teamName ?? '';
  const isNewest = !run || (run.runs[0]?.runId ?? run.runId) === run.runId;
  const runHref = (runId: string): string => hrefOf({ run: runId, step: '', line: '', log: '' });
  return (
    <>
      <PipelineHeader place={{ app, env, service: name }} run={run} service={service.data} team={team} isNewest={isNewest} />
      <PageBody padding="flush" className="stack stack-24" isTall>
        {run && isNewest && <Outcome run={run} serving={service.data?.status.serving ?? null} team={team} />}
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
    </>
  );
}

/** Asked for while the pointer rests on a link to this page. */
export const preload = ({ pipeline = '' }: Params): void => {
  if (pipeline !== '') preloadQuery(pipelineView, { params: { pipelineId: pipeline } });
};

function Outcome({ run, serving, team }: { run: PipelineRun; serving: string | null; team: string }) {
  if (failedStepOf(run)) return <PipelineFailure run={run} serving={serving} team={team} />;
  if (run.status.state !== 'CANCELED') return null;
  const stopped = run.status.steps.find(({ message }) => message?.code === 'Canceled');
  return (
    <Notice>
      {stopped ? stepMessageOf(stopped.code, stopped.message) : 'Cancelled before it began.'} What it had made was removed again.
    </Notice>
  );
}
