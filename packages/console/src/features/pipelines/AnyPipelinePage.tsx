/** A pipeline of any subject. Redirects if the subject's kind has its own pipeline page. */
import { kindOf, nameOf, pipelineHome, subjectPath } from '@slipway/contract/kinds.ts';
import { pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { teamView } from '@slipway/contract/team.ts';
import { Badge } from '@slipway/ui/feedback/Badge.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Navigate, useLocation, useParams, type Params } from 'react-router';
import { isStatus } from '#kit/api/errors.ts';
import { preloadQuery, useQuery } from '#kit/api/query.ts';
import { PageError } from '#entities/PageError.tsx';
import { MissingPart } from '#kit/page/MissingPart.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { paths, pipelinePath } from '#entities/paths.ts';
import { usePageTitle } from '#kit/page/page-title.ts';
import { subjectName, tabStateOf } from '#entities/pipeline/pipeline-progress.ts';
import { pipelineTitle } from '#entities/pipeline/pipeline-title.ts';
import { PipelineActions } from './PipelineActions.tsx';
import { isNewestRun, PipelineBody, useShownRun } from './PipelineBody.tsx';
import { runDetails, runLook } from './run-details.tsx';

export function Component() {
  const { pipeline = '' } = useParams();
  const { search, hash } = useLocation();
  const query = useShownRun(pipeline);
  const run = query.data;
  const id = run?.subject.team ?? '';
  const team = useQuery(teamView, id !== '' && { params: { team: id } }, { pollMs: 0 }).data?.displayName ?? id;
  const names = run ? [pipelineTitle(run), subjectName(run)] : ['Pipeline'];
  usePageTitle(names, run?.status.state === 'CANCELED' ? undefined : tabStateOf(run));
  if (isStatus(query.error, 404))
    return <MissingPart title={`There is no pipeline ${pipeline}`} link={{ label: 'All pipelines', href: paths.pipelines() }} />;
  if (query.error && !run) return <PageError what={`pipeline ${pipeline}`} query={query} />;
  if (run && pipelineHome(run.subject)) return <Navigate replace to={`${pipelinePath(run)}${search}${hash}`} />;
  const look = run && runLook(run);
  return (
    <>
      <PageHeader
        typeLabel="Pipeline"
        name={run ? pipelineTitle(run) : 'Pipeline'}
        {...(run ? { copyText: run.pipelineId } : {})}
        {...(look ? { status: <Badge tone={look.tone}>{look.word}</Badge> } : {})}
        isLoading={!run}
        actions={run && isNewestRun(run) && <PipelineActions run={run} team={team} />}
      >
        <Details items={run ? [about(run), ...runDetails(run)] : []} />
      </PageHeader>
      <PipelineBody run={run} team={team} />
    </>
  );
}

const about = ({ subject }: PipelineRun): Detail => {
  const href = subjectPath(subject);
  const name = nameOf(subject) || 'The platform';
  return { label: kindOf(subject.kind)?.label ?? 'About', value: href === undefined ? name : <Link href={href}>{name}</Link> };
};

/** Prefetches the page's data while the pointer is over a link to it. */
export const preload = ({ pipeline = '' }: Params): void => {
  if (pipeline !== '') preloadQuery(pipelineView, { params: { pipelineId: pipeline } });
};
