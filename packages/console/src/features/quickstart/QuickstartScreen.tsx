/** The frame of both quickstarts. The form on the left becomes the progress; the list on the right stays. */
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartPipelineView } from '@slipway/contract/quickstart.ts';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { useEffect, useRef, type ReactNode } from 'react';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { keepAnswer, useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { bodyId, PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { isUndoing, tabStateOf } from '#entities/pipeline/pipeline-progress.ts';
import { QuickstartCreation } from './QuickstartCreation.tsx';
import { QuickstartProgress } from './QuickstartProgress.tsx';
import { planOf, type PlanNames } from './quickstart-plan.ts';

export interface QuickstartScreenProps {
  title: string;
  lede: string;
  /** The pipeline in the URL; empty before the start. */
  pipelineId: string;
  /** Form values, used while there is no pipeline. */
  names: PlanNames;
  /** The typed name, highlighted in the list. Empty at first. */
  highlight: string;
  form: ReactNode;
  failed: (run: PipelineRun) => ReactNode;
}

const pollMs = 1000;

/** Caches the response of the start request, so that the form turns into the progress without an empty page in between. */
export const showRun = (run: PipelineRun): Promise<unknown> =>
  keepAnswer(quickstartPipelineView, { params: { pipelineId: run.pipelineId } }, run);

/** The focused element was removed with the form, so focus moves to the top of the new content. */
const useFreshStart = (shown: string | undefined): void => {
  const before = useRef(shown);
  useEffect(() => {
    if (before.current === shown) return;
    before.current = shown;
    scrollTo({ top: 0 });
    if (document.activeElement === null || document.activeElement === document.body) {
      document.getElementById(bodyId)?.focus({ preventScroll: true });
    }
  }, [shown]);
};

/** After a reload the form is empty, so the names come from the run. */
const namesOf = ({ subject, facts }: PipelineRun, typed: PlanNames): PlanNames => ({
  ...typed,
  app: subject.app ?? typed.app,
  env: subject.env ?? typed.env,
  service: subject.service ?? typed.service,
  withDatabase: facts['database'] !== undefined,
  withStream: facts['topic'] !== undefined,
  template: facts['template'] ? `From the template ${facts['template']}` : typed.template,
});

const useHeader = (
  run: PipelineRun | undefined,
  { title, lede }: QuickstartScreenProps,
  name: string,
): { name: string; lede: ReactNode } => {
  if (!run) return { name: title, lede };
  const { state } = run.status;
  if (state === 'COMPLETED') return { name: `${name} is running`, lede: 'Built from the first commit, healthy, and answering at its URL.' };
  if (!isActive(state) || isUndoing(run)) return { name: `${name} was not created`, lede: 'Your input is kept.' };
  return {
    name: `Creating ${name}`,
    lede: (
      <>
        Started <RelativeTime at={run.creationTimestamp} /> by {run.createdBy.displayName}. You can close this page.
      </>
    ),
  };
};

export function QuickstartScreen(props: QuickstartScreenProps) {
  const { pipelineId, highlight, form, failed } = props;
  const query = useQuery(quickstartPipelineView, pipelineId !== '' && { params: { pipelineId } }, {
    pollMs: (latest) => (latest && !isActive(latest.status.state) ? 0 : pollMs),
  });
  const run = pipelineId === '' ? undefined : query.data;
  useFreshStart(run?.pipelineId);
  const names = run ? namesOf(run, props.names) : props.names;
  const plan = planOf(names, runtimeConfig());
  const header = useHeader(run, props, names.service);
  usePageTitle([header.name], run?.status.state === 'CANCELED' ? undefined : tabStateOf(run));
  if (pipelineId !== '' && !run) return <Reading title={props.title} query={query} />;
  const hasFailed = run !== undefined && (isUndoing(run) || run.status.state === 'FAILED' || run.status.state === 'CANCELED');
  return (
    <>
      <PageHeader isList hasSkip={false} {...header} />
      <PageBody className="stack stack-24">
        {hasFailed && failed(run)}
        <div className="split split-form">
          {run ? <QuickstartProgress run={run} plan={plan} names={names} /> : form}
          <QuickstartCreation plan={plan} names={names} highlight={highlight} run={run} />
        </div>
      </PageBody>
    </>
  );
}

function Reading({ title, query }: { title: string; query: Parameters<typeof ListError>[0]['query'] }) {
  return (
    <PlainPage name={title}>
      {query.error && (
        <Panel aria-label="Progress">
          <ListError what="steps of the pipeline" query={query} />
        </Panel>
      )}
    </PlainPage>
  );
}
