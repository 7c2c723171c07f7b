/** All pipelines that the person may see: what runs on top, then what ended, newest first. */
import { isActive, pipelineList, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { SearchInput } from '@slipway/ui/form/SearchInput.tsx';
import { useQuery } from '#kit/api/query.ts';
import { pageCountOf, totalLabel } from '#kit/list/list-total.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { isFilteringPipelines, pipelineFilterDefaults, pipelineListQuery } from '#entities/pipeline/pipeline-filter.ts';
import { PipelineFilters } from '#entities/pipeline/PipelineFilters.tsx';
import { PipelineTable } from '#entities/pipeline/PipelineTable.tsx';
import { useSearchText, useUrlState } from '#kit/state/url-state.ts';
import css from './PipelinesPage.module.css';

const defaults = { query: '', ...pipelineFilterDefaults, page: 0 };
const pageSize = 25;
/** More at the same time than anybody reads; the rest is found by "Running". */
const runningShown = 50;
const fastPollMs = 1000;
const slowPollMs = 5000;

type State = typeof defaults;

/** What runs is pinned on top where all is shown; a filter by state shows its own alone. */
const useLists = ({ query, page, ...filter }: State) => {
  const search = query === '' ? {} : { query };
  const { state, ...narrow } = pipelineListQuery(filter);
  const running = useQuery(pipelineList, state === undefined && { query: { active: 'true', size: runningShown, ...narrow, ...search } }, {
    keepPreviousData: true,
    pollMs: (found) => (found && found.content.length > 0 ? fastPollMs : slowPollMs),
  });
  const list = useQuery(
    pipelineList,
    { query: { page, size: pageSize, ...narrow, ...(state ? { state } : {}), ...search } },
    { keepPreviousData: true, pollMs: filter.show === 'running' ? fastPollMs : slowPollMs },
  );
  return { running: state === undefined ? running : undefined, list };
};

export function Component() {
  usePageTitle(['Pipelines']);
  const { state, set, hrefOf } = useUrlState(defaults);
  const [text, setText] = useSearchText(state.query, (query) => set({ query }, { replace: true }));
  const { running, list } = useLists(state);
  return (
    <>
      <PageHeader isList hasSkip={false} name="Pipelines" lede="What the platform makes, builds and deploys, step by step." />
      <PageBody className="stack stack-12">
        <div className="row row-wrap">
          <SearchInput className={css.search} hasShortcut label="Filter by type, app or service" value={text} onChange={setText} />
          <PipelineFilters filter={state} onFilter={(patch) => set(patch)} />
          {list.data && <span className="meta push num">{totalLabel(list.data, 'pipeline', 'pipelines')}</span>}
        </div>
        <Panel aria-label="Pipelines">
          {list.error && !list.data ? (
            <ListError what="pipelines" query={list} />
          ) : (
            <PipelineTable
              label="Pipelines, newest first"
              groups={groupsOf(state, {
                running: running?.data?.content ?? [],
                recent: list.data?.content ?? [],
                isWhole: (list.data?.totalPages ?? 1) <= 1,
              })}
              isLoading={!list.data}
              loadingRows={8}
              empty={<NoPipelines state={state} onClear={() => set(defaults)} />}
            />
          )}
        </Panel>
        <Pagination
          label="pipelines"
          page={state.page + 1}
          pageCount={pageCountOf(list.data)}
          hrefOf={(page) => hrefOf({ page: page - 1 })}
        />
      </PageBody>
    </>
  );
}

type Runs = readonly PipelineRun[];

/** What runs stands on the first page whatever its age, and nowhere twice. */
const groupsOf = ({ show, page }: State, { running, recent, isWhole }: { running: Runs; recent: Runs; isWhole: boolean }) => {
  if (show === 'running') return [{ key: 'running', label: 'Running now', rows: [...recent], isWhole }];
  const active = running.filter((run) => isActive(run.status.state));
  const shown = new Set(active.map((run) => run.pipelineId));
  return [
    { key: 'running', label: 'Running now', rows: page === 0 ? active : [] },
    { key: 'ended', label: 'Ended', rows: recent.filter((run) => !shown.has(run.pipelineId)), isWhole },
  ];
};

function NoPipelines({ state, onClear }: { state: State; onClear: () => void }) {
  if (state.query !== '') {
    return (
      <EmptyState
        kind="no-match"
        level={2}
        title={`No pipeline fits “${state.query}”`}
        actions={<Button onClick={onClear}>Clear the filter</Button>}
      >
        Pipelines are hidden by the filter.
      </EmptyState>
    );
  }
  if (state.show === 'running' && state.type === '' && state.trigger === '') {
    return (
      <EmptyState kind="no-match" level={2} title="Nothing is running" actions={<Button onClick={onClear}>Show all pipelines</Button>}>
        Others have ended and are hidden by the filter.
      </EmptyState>
    );
  }
  if (isFilteringPipelines(state)) {
    return (
      <EmptyState kind="no-match" level={2} title="No pipeline fits" actions={<Button onClick={onClear}>Clear the filter</Button>}>
        Others are hidden by the filter.
      </EmptyState>
    );
  }
  return (
    <EmptyState kind="first-use" level={2} title="No pipeline has run yet">
      A pipeline makes apps and teams, builds images and deploys services. Each of its steps can be watched and, if it fails, run again.
    </EmptyState>
  );
}
