/** The activity log of an app, a service or a team: who did what, when, and what it changed. One entry has an address of its own. */
import { activityLevels, appActivityList, teamActivityList, type Activity } from '@slipway/contract/activity.ts';
import { Avatar } from '@slipway/ui/Avatar.tsx';
import { Button } from '@slipway/ui/Button.tsx';
import { EmptyState } from '@slipway/ui/EmptyState.tsx';
import { Link } from '@slipway/ui/Link.tsx';
import { Pagination } from '@slipway/ui/Pagination.tsx';
import { Panel } from '@slipway/ui/Panel.tsx';
import { RelativeTime } from '@slipway/ui/RelativeTime.tsx';
import { SearchInput } from '@slipway/ui/SearchInput.tsx';
import { Segmented } from '@slipway/ui/Segmented.tsx';
import { Status } from '@slipway/ui/Status.tsx';
import { cellMain, Table, type Column } from '@slipway/ui/Table.tsx';
import type { ReactNode } from 'react';
import { isStatus } from '#api/errors.ts';
import { useQuery } from '#api/query.ts';
import { ActivityEntry } from './ActivityEntry.tsx';
import css from './ActivityPanel.module.css';
import { ListError } from './LoadError.tsx';
import { levelLook } from './status.ts';
import { useUrlState } from './url-state.ts';
import { useSearchText } from './use-search-text.ts';

const defaults = { query: '', level: '', page: 0, entry: '' };
const pageSize = 25;

export type ActivityScope = { app: string; env: string; service?: string } | { team: string };

export interface ActivityPanelProps {
  scope: ActivityScope;
  /** Who could show it, where the reader may not see it. */
  noRight: ReactNode;
}

const levels = [{ value: '', label: 'All' }, ...activityLevels.map((level) => ({ value: level, label: levelLook[level].word }))];

const useActivity = (scope: ActivityScope, { query, level, page }: typeof defaults) => {
  const known = activityLevels.find((item) => item === level);
  const filter = { page, size: pageSize, ...(query ? { query } : {}), ...(known ? { level: known } : {}) };
  const ofTeam = 'team' in scope;
  const team = useQuery(teamActivityList, ofTeam && { params: { team: scope.team }, query: filter }, { keepPreviousData: true });
  const app = useQuery(
    appActivityList,
    !ofTeam && {
      params: { app: scope.app, env: scope.env },
      query: { ...filter, ...(scope.service ? { service: scope.service } : {}) },
    },
    { keepPreviousData: true },
  );
  return ofTeam ? team : app;
};

const columnsOf = (hrefOf: (entry: string) => string): Column<Activity>[] => [
  {
    key: 'message',
    header: 'Message',
    phone: 'title',
    cell: (entry) => (
      <Link className={`${cellMain} ${css.message}`} href={hrefOf(entry.id)}>
        {entry.message}
      </Link>
    ),
  },
  { key: 'type', header: 'Type', phone: 'meta', cell: (entry) => <span className="quiet">{entry.type}</span> },
  { key: 'reason', header: 'Reason', cell: (entry) => <span className="quiet">{entry.reason}</span> },
  {
    key: 'actor',
    header: 'Who',
    cell: (entry) => (
      <span className={css.who}>
        <Avatar name={entry.actor.displayName} isMachine={entry.origin === 'platform'} />
        <span className="ell">{entry.actor.displayName}</span>
      </span>
    ),
  },
  {
    key: 'level',
    header: 'Level',
    phone: 'status',
    cell: (entry) => <Status tone={levelLook[entry.level].tone}>{levelLook[entry.level].word}</Status>,
  },
  { key: 'age', header: 'Age', align: 'end', phone: 'end', cell: (entry) => <RelativeTime at={entry.at} /> },
];

export function ActivityPanel({ scope, noRight }: ActivityPanelProps) {
  const { state, set, hrefOf } = useUrlState(defaults);
  const [text, setText] = useSearchText(state.query, (query) => set({ query }, { replace: true }));
  const list = useActivity(scope, state);
  const rows = list.data?.content ?? [];
  // An app's log does not even exist for strangers.
  if (isStatus(list.error, 403, 404)) {
    return (
      <Panel aria-label="Activity logs">
        <EmptyState level={2} kind="no-right" title="Activity logs are for members of the team">
          {noRight}
        </EmptyState>
      </Panel>
    );
  }
  const isFiltered = state.query !== '' || state.level !== '';
  return (
    <div className="stack stack-12">
      <div className="row row-wrap">
        <SearchInput className={css.search} hasShortcut label="Filter by message" value={text} onChange={setText} />
        <Segmented label="Level" options={levels} value={state.level} onChange={(level) => set({ level })} />
      </div>
      <Panel aria-label="Activity logs">
        {list.error && !list.data ? (
          <ListError what="activity logs" query={list} />
        ) : (
          <Table
            label="Activity logs, newest first"
            columns={columnsOf((entry) => hrefOf({ entry, page: state.page }))}
            rows={rows}
            rowKey={(entry) => entry.id}
            isSelected={(entry) => entry.id === state.entry}
            isLoading={list.isLoading}
            loadingRows={6}
            empty={
              isFiltered ? (
                <EmptyState
                  level={2}
                  kind="no-match"
                  title="No entry fits"
                  actions={<Button onClick={() => set(defaults)}>Clear the filter</Button>}
                >
                  Entries are hidden by the filter.
                </EmptyState>
              ) : (
                <EmptyState level={2} kind="first-use" title="Nothing has happened yet">
                  Every change is written here: who made it, from where, and what it was before.
                </EmptyState>
              )
            }
          />
        )}
      </Panel>
      <Pagination
        label="activity logs"
        page={state.page + 1}
        pageCount={list.data?.totalPages ?? 1}
        hrefOf={(page) => hrefOf({ page: page - 1, entry: '' })}
      />
      <ActivityEntry entry={rows.find((entry) => entry.id === state.entry)} onClose={() => set({ entry: '', page: state.page })} />
    </div>
  );
}
