/** All pipelines that the user may see: running on top, then ended, newest first. */
import { isActive, pipelineList, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { useQuery } from '#kit/api/query.ts';
import { listDefaults, useListControl, type ListControl } from '#kit/list/list-control.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { pipelineColumns, pipelineKey } from '#entities/pipeline/pipeline-columns.tsx';
import { pipelineFilterDefaults, pipelineListQuery } from '#entities/pipeline/pipeline-filter.ts';
import { PipelineFilters } from '#entities/pipeline/PipelineFilters.tsx';

const defaults = { ...listDefaults, ...pipelineFilterDefaults };
/** More than anyone reads at once. The "Running" filter finds the rest. */
const runningShown = 50;
const fastPollMs = 1000;
const slowPollMs = 5000;

type State = typeof defaults;

/** Pins running pipelines on top of the unfiltered list. A filter by state shows only its matches. */
const useLists = ({ state, filter }: ListControl<State>) => {
  const { state: states, ...narrow } = pipelineListQuery(state);
  const search = state.query === '' ? {} : { query: state.query };
  const running = useQuery(pipelineList, states === undefined && { query: { active: 'true', size: runningShown, ...narrow, ...search } }, {
    keepPreviousData: true,
    pollMs: (found) => (found && found.content.length > 0 ? fastPollMs : slowPollMs),
  });
  const list = useQuery(
    pipelineList,
    { query: { ...filter, ...narrow, ...(states ? { state: states } : {}) } },
    { keepPreviousData: true, pollMs: state.show === 'running' ? fastPollMs : slowPollMs },
  );
  return { running: states === undefined ? running : undefined, list };
};

export function Component() {
  const control = useListControl(defaults);
  const { state, set } = control;
  const { running, list } = useLists(control);
  const isRunningAlone = state.show === 'running' && state.query === '' && state.type === '' && state.trigger === '';
  return (
    <PlainPage name="Pipelines" lede="What the platform makes, builds and deploys, step by step." className="stack stack-12">
      <ResourceList
        label="Pipelines, newest first"
        noun="pipeline"
        plural="pipelines"
        list={list}
        control={control}
        columns={pipelineColumns}
        rowKey={pipelineKey}
        density="tall"
        groups={groupsOf(state, {
          running: running?.data?.content ?? [],
          recent: list.data?.content ?? [],
          isWhole: (list.data?.totalPages ?? 1) <= 1,
        })}
        loadingRows={8}
        searchLabel="Filter by type, app or service"
        tools={<PipelineFilters filter={state} onFilter={(patch) => set(patch)} />}
        firstUse={{
          title: 'No pipeline has run yet',
          text: 'A pipeline makes apps and teams, builds images and deploys services. Each of its steps can be watched and, if it fails, run again.',
        }}
        {...(isRunningAlone
          ? {
              noMatch: {
                title: 'Nothing is running',
                text: 'Others have ended and are hidden by the filter.',
                clearLabel: 'Show all pipelines',
              },
            }
          : {})}
      />
    </PlainPage>
  );
}

type Runs = readonly PipelineRun[];

/** Lists each running pipeline once, on the first page, whatever its age. */
const groupsOf = ({ show, page }: State, { running, recent, isWhole }: { running: Runs; recent: Runs; isWhole: boolean }) => {
  if (show === 'running') return [{ key: 'running', label: 'Running now', rows: [...recent], isWhole }];
  const active = running.filter((run) => isActive(run.status.state));
  const shown = new Set(active.map((run) => run.pipelineId));
  return [
    { key: 'running', label: 'Running now', rows: page === 0 ? active : [] },
    { key: 'ended', label: 'Ended', rows: recent.filter((run) => !shown.has(run.pipelineId)), isWhole },
  ];
};
