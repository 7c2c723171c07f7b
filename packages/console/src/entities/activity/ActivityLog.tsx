/** The activity log of an app, a service or a team: who did what, when, and what it changed. Each entry has its own URL. */
import type { Activity } from '@slipway/contract/activity.ts';
import { Avatar } from '@slipway/ui/text/Avatar.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { Download } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { isStatus } from '#kit/api/errors.ts';
import { reporting } from '#kit/error/global-error.ts';
import { pageCountOf, totalLabel } from '#kit/list/list-total.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { levelLook } from '#entities/status.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { activityDefaults, filterCount, noFilter, type ActivityState } from './activity-filter.ts';
import { activityReasonName, activityTypeName } from './activity-labels.ts';
import { ActivityEntry } from './ActivityEntry.tsx';
import { ActivityFilters } from './ActivityFilters.tsx';
import css from './ActivityLog.module.css';
import { exportActivity, queryOf, useActivity, useNamedEntry, type ActivityScope } from './use-activity.ts';

export interface ActivityPanelProps {
  scope: ActivityScope;
  /** Whom to ask for access. */
  noRight: ReactNode;
}

const columnsOf = (hrefOf: (entry: string) => string): Column<Activity>[] => [
  {
    key: 'type',
    header: 'Type',
    phone: 'meta',
    isRoomy: true,
    cell: ({ type }) => <span className={`quiet ${css.word}`}>{activityTypeName(type)}</span>,
  },
  {
    key: 'message',
    header: 'Message',
    phone: 'title',
    cell: ({ id, message }) => (
      <Link className={`${cellMain} ${css.message}`} href={hrefOf(id)}>
        {message}
      </Link>
    ),
  },
  {
    key: 'reason',
    header: 'Reason',
    isRoomy: true,
    cell: ({ reason }) => <span className={`quiet ${css.word}`}>{activityReasonName(reason)}</span>,
  },
  {
    key: 'actor',
    header: 'Who',
    cell: ({ actor, origin }) => (
      <span className={css.who}>
        <Avatar name={actor.displayName} isMachine={origin === 'platform'} />
        <span className="ell">{actor.displayName}</span>
      </span>
    ),
  },
  {
    key: 'level',
    header: 'Level',
    phone: 'status',
    cell: ({ level }) => <Status tone={levelLook[level].tone}>{levelLook[level].word}</Status>,
  },
  { key: 'age', header: 'Age', align: 'end', phone: 'end', cell: ({ at }) => <RelativeTime at={at} isFocusable /> },
];

/** Scrolls to the entry in the URL once its row exists. */
const useScrollTo = (entry: string, isThere: boolean) => {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (entry === '' || !isThere) return;
    list.current?.querySelector('tr[data-selected]')?.scrollIntoView({ block: 'center' });
  }, [entry, isThere]);
  return list;
};

export default function ActivityLog({ scope, noRight }: ActivityPanelProps) {
  const control = useUrlState(activityDefaults);
  const { state, set, hrefOf } = control;
  const { pathname } = useLocation();
  const log = useActivity(scope, state);
  const rows = log.data?.content;
  const named = useNamedEntry(scope, state.entry, rows);
  const list = useScrollTo(state.entry, rows !== undefined && rows.some(({ id }) => id === state.entry));
  // The server answers 404 to non-members.
  if (isStatus(log.error, 403, 404)) return <NoRight>{noRight}</NoRight>;
  const close = (): void => set({ entry: '', page: state.page });
  return (
    <div className="stack stack-12">
      <ActivityFilters scope={scope} control={control} facets={log.data?.facets}>
        {!('team' in scope) && <ExportMenu scope={scope} state={state} />}
      </ActivityFilters>
      {named === null && (
        <Notice tone="warn" isLive actions={<Button onClick={close}>Show the log</Button>}>
          The entry of this address is not in this log, or not any more.
        </Notice>
      )}
      <ListPanel
        label="Activity logs, newest first"
        plural="activity logs"
        list={log}
        ref={list}
        columns={columnsOf((entry) => hrefOf({ entry, page: state.page }))}
        rows={rows ?? []}
        rowKey={({ id }) => id}
        isSelected={({ id }) => id === state.entry}
        loadingRows={6}
        empty={<Nothing count={filterCount(state)} onClear={() => set(noFilter)} />}
      />
      <div className="row row-wrap">
        {log.data && (
          <span className="meta num" role="status">
            {totalLabel(log.data, 'entry', 'entries')}
            {filterCount(state) > 0 && ' with this filter'}
          </span>
        )}
        <span className="push">
          <Pagination
            label="activity logs"
            page={state.page + 1}
            pageCount={pageCountOf(log.data)}
            hrefOf={(page) => hrefOf({ page: page - 1, entry: '' })}
          />
        </span>
      </div>
      <ActivityEntry entry={named} address={`${location.origin}${pathname}?entry=${state.entry}`} onClose={close} />
    </div>
  );
}

function NoRight({ children }: { children: ReactNode }) {
  return (
    <Panel aria-label="Activity logs">
      <EmptyState level={2} kind="no-right" title="Activity logs are for members of the team">
        {children}
      </EmptyState>
    </Panel>
  );
}

function Nothing({ count, onClear }: { count: number; onClear: () => void }) {
  if (count === 0) {
    return (
      <EmptyState level={2} kind="first-use" title="Nothing has happened yet">
        Every change is written here: who made it, from where, and what it was before.
      </EmptyState>
    );
  }
  return (
    <EmptyState level={2} kind="no-match" title="No entry fits" actions={<Button onClick={onClear}>Clear the filter</Button>}>
      {count === 1 ? 'A filter hides the others.' : `${count} filters together hide the others.`}
    </EmptyState>
  );
}

function ExportMenu({ scope, state }: { scope: Exclude<ActivityScope, { team: string }>; state: ActivityState }) {
  const save = reporting(async (format: 'csv' | 'json') => {
    await exportActivity(scope, queryOf(scope, state), format);
  });
  return (
    <Menu
      align="end"
      trigger={<Button icon={<Download aria-hidden="true" />}>Export</Button>}
      items={[
        { label: 'As a table, CSV', onSelect: () => void save('csv') },
        { label: 'As lines of JSON', onSelect: () => void save('json') },
      ]}
    />
  );
}
