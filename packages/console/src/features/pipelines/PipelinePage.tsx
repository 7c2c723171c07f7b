/** A pipeline of a service, nested under the service page. */
import { applicationView } from '@slipway/contract/application.ts';
import { serviceView } from '@slipway/contract/service/service.ts';
import { pipelineView } from '@slipway/contract/pipeline/pipeline.ts';
import { useParams, type Params } from 'react-router';
import { isStatus } from '#kit/api/errors.ts';
import { preloadQuery, useQuery } from '#kit/api/query.ts';
import { PageError } from '#entities/PageError.tsx';
import { MissingPart } from '#kit/page/MissingPart.tsx';
import { paths } from '#entities/paths.ts';
import { usePageTitle } from '#kit/page/page-title.ts';
import { tabStateOf } from '#entities/pipeline/pipeline-progress.ts';
import { pipelineTitle } from '#entities/pipeline/pipeline-title.ts';
import { isNewestRun, PipelineBody, useShownRun } from './PipelineBody.tsx';
import { PipelineHeader } from './PipelineHeader.tsx';

export function Component() {
  const { app = '', env = '', service: name = '', pipeline = '' } = useParams();
  const service = useQuery(serviceView, { params: { app, env, service: name } });
  const { data: owner } = useQuery(applicationView, { params: { app } });
  const query = useShownRun(pipeline);
  const run = query.data;
  usePageTitle([run ? pipelineTitle(run) : 'Pipeline', name, env], run?.status.state === 'CANCELED' ? undefined : tabStateOf(run));
  if (isStatus(query.error, 404) && service.data) {
    const href = paths.service({ app, env, service: name }, 'pipelines');
    return <MissingPart title={`There is no pipeline ${pipeline}`} link={{ label: `Pipelines of ${name}`, href }} />;
  }
  if (query.error && !run) return <PageError what={`pipeline ${pipeline}`} query={query} />;
  const team = owner?.teamName ?? '';
  return (
    <>
      <PipelineHeader
        place={{ app, env, service: name }}
        run={run}
        service={service.data}
        team={team}
        isNewest={!run || isNewestRun(run)}
      />
      <PipelineBody run={run} serving={service.data?.status.serving ?? null} team={team} />
    </>
  );
}

/** Prefetches the page's data while the pointer is over a link to it. */
export const preload = ({ pipeline = '' }: Params): void => {
  if (pipeline !== '') preloadQuery(pipelineView, { params: { pipelineId: pipeline } });
};
