/** The pipelines of one service, newest first. */
import { servicePipelineList, type Service } from '@slipway/contract/service/service.ts';
import { useQuery } from '#kit/api/query.ts';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import type { ServiceRef } from '#entities/paths.ts';
import { pipelineKey, servicePipelineColumns } from '#entities/pipeline/pipeline-columns.tsx';
import { pipelineFilterDefaults, pipelineListQuery, serviceTypes } from '#entities/pipeline/pipeline-filter.ts';
import { PipelineFilters } from '#entities/pipeline/PipelineFilters.tsx';

const defaults = { ...listDefaults, ...pipelineFilterDefaults };
const pageSize = 20;
const runningPollMs = 1000;
const quietPollMs = 5000;

export function ServicePipelines({ place, service }: { place: ServiceRef; service: Service | undefined }) {
  const control = useListControl(defaults, pageSize);
  const { state, set, filter } = control;
  const list = useQuery(
    servicePipelineList,
    { params: { ...place }, query: { ...filter, ...pipelineListQuery(state) } },
    { keepPreviousData: true, pollMs: () => (service?.status.pipelineId ? runningPollMs : quietPollMs) },
  );
  return (
    <div className="stack stack-12">
      <ResourceList
        label="Pipelines, newest first"
        noun="pipeline"
        plural="pipelines"
        list={list}
        control={control}
        columns={servicePipelineColumns}
        rowKey={pipelineKey}
        density="tall"
        tools={<PipelineFilters filter={state} onFilter={(patch) => set(patch)} types={serviceTypes} />}
        firstUse={{
          title: 'No pipeline has run for this service',
          text: 'A pipeline makes a revision of an image tag, waits until it is healthy and shifts the traffic to it. Run it with the button above.',
        }}
      />
    </div>
  );
}
