/** The pipelines of one service, newest first. */
import { servicePipelineList, type Service } from '@slipway/contract/service/service.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { useQuery } from '#kit/api/query.ts';
import { pageCountOf } from '#kit/list/list-total.ts';
import { ListError } from '#kit/list/ListError.tsx';
import type { ServiceRef } from '#entities/paths.ts';
import { isFilteringPipelines, pipelineFilterDefaults, pipelineListQuery, serviceTypes } from '#entities/pipeline/pipeline-filter.ts';
import { PipelineFilters } from '#entities/pipeline/PipelineFilters.tsx';
import { PipelineTable } from '#entities/pipeline/PipelineTable.tsx';
import { useUrlState } from '#kit/state/url-state.ts';

const defaults = { ...pipelineFilterDefaults, page: 0 };
const pageSize = 20;
const runningPollMs = 1000;
const quietPollMs = 5000;

export function ServicePipelines({ place, service }: { place: ServiceRef; service: Service | undefined }) {
  const { state, set, hrefOf } = useUrlState(defaults);
  const list = useQuery(
    servicePipelineList,
    { params: { ...place }, query: { page: state.page, size: pageSize, ...pipelineListQuery(state) } },
    { keepPreviousData: true, pollMs: () => (service?.status.pipelineId ? runningPollMs : quietPollMs) },
  );
  return (
    <div className="stack stack-12">
      <div className="row row-wrap">
        <PipelineFilters filter={state} onFilter={(patch) => set(patch)} types={serviceTypes} />
      </div>
      <Panel aria-label="Pipelines">
        {list.error && !list.data ? (
          <ListError what="pipelines" query={list} />
        ) : (
          <PipelineTable
            isOfService
            label="Pipelines, newest first"
            rows={list.data?.content ?? []}
            isLoading={!list.data}
            loadingRows={5}
            empty={
              isFilteringPipelines(state) ? (
                <EmptyState
                  kind="no-match"
                  level={2}
                  title="No pipeline of this service fits"
                  actions={<Button onClick={() => set(defaults)}>Clear the filter</Button>}
                >
                  Others are hidden by the filter.
                </EmptyState>
              ) : (
                <EmptyState kind="first-use" level={2} title="No pipeline has run for this service">
                  A pipeline makes a revision of an image tag, waits until it is healthy and shifts the traffic to it. Run it with the
                  button above.
                </EmptyState>
              )
            }
          />
        )}
      </Panel>
      <Pagination
        label="pipelines"
        page={state.page + 1}
        pageCount={pageCountOf(list.data)}
        hrefOf={(page) => hrefOf({ page: page - 1 })}
      />
    </div>
  );
}
