/** Requests of all kinds, or those of a team or an app: list and detail beside each other. On phones one of the two. */
import { requestCounts } from '@slipway/contract/request/request-counts.ts';
import { requestList, requestView, requestViews, type Request, type RequestView } from '@slipway/contract/request/request.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { Panel, PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import { useState, type ReactNode } from 'react';
import { useMe } from '#entities/team/index.ts';
import { PageError } from '#entities/PageError.tsx';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { pageCountOf } from '#kit/list/list-total.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { BulkBar } from './BulkBar.tsx';
import { RequestDetail } from './RequestDetail.tsx';
import css from './RequestInbox.module.css';
import { RequestList } from './RequestList.tsx';
import { useInboxKeys } from './use-inbox-keys.ts';

export interface RequestScope {
  team?: string;
  app?: string;
  environment?: Environment;
}
interface RequestInboxProps {
  /** Absent: the user's own inbox. */
  scope?: RequestScope;
  /** Facts of the request's kind, for its detail. */
  more?: (request: Request) => ReactNode;
}

const defaults = { view: 'decide', request: '', page: 0, upTo: '' };
const pageSize = 50;
const viewLabels: Readonly<Record<RequestView, string>> = { decide: 'To decide', mine: 'Mine', decided: 'Decided', all: 'All' };
const emptyTitles: Readonly<Record<RequestView, string>> = {
  decide: 'No requests wait for you',
  mine: 'You have asked for nothing',
  decided: 'Nothing is decided yet',
  all: 'No requests found',
};
const scopedTitles: Readonly<Record<RequestView, string>> = {
  decide: 'No requests wait for a decision',
  mine: 'Nothing has been asked for',
  decided: 'Nothing is decided yet',
  all: 'No requests found',
};

export function RequestInbox({ scope = {}, more }: RequestInboxProps) {
  const isScoped = scope.team !== undefined || scope.app !== undefined;
  const { state, set, hrefOf } = useUrlState(defaults);
  const view = requestViews.find((one) => one === state.view) ?? 'decide';
  const { data: me } = useMe();
  const list = useQuery(
    requestList,
    { query: { ...scope, view, page: state.page, size: pageSize, ...(state.page > 0 && state.upTo !== '' && { upTo: state.upTo }) } },
    { keepPreviousData: true },
  );
  const counts = useQuery(requestCounts, { query: { ...scope } }, { keepPreviousData: true });
  const requests = list.data?.content ?? [];
  const current = state.request === '' ? requests[0]?.id : state.request;
  const detail = useQuery(requestView, current !== undefined && { params: { request: current } }, { keepPreviousData: true });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void => setChosen(new Set(chosen.has(id) ? [...chosen].filter((one) => one !== id) : [...chosen, id]));
  const open = (id: string): void => set({ request: id, page: state.page }, { replace: true });
  useInboxKeys({ ids: requests.map(({ id }) => id), current, open, toggle });
  const selected = requests.filter(({ id, can }) => chosen.has(id) && can['decide'] === true);
  /** Opens the next request that waits. A repeated request is opened itself. */
  const onDone = (done: Request): void => {
    const index = requests.findIndex(({ id }) => id === current);
    const next = requests[index + 1] ?? requests[index - 1];
    if (done.status === 'PENDING') set({ view: 'mine', request: done.id });
    else if (view === 'decide' && next) open(next.id);
  };
  const countOf = (one: RequestView): string => {
    const value = one === 'decide' || one === 'mine' ? counts.data?.[one] : undefined;
    return value ? ` ${value}` : '';
  };
  const backLabel = view === 'decide' && counts.data ? `${counts.data.decide} to decide` : viewLabels[view];
  const shown = detail.data?.id === current ? detail.data : undefined;
  return (
    <div className={css.inbox} data-open={state.request !== '' || undefined}>
      <div className={css.list}>
        <Panel aria-label="Requests">
          <div className={css.views}>
            <SegmentedLinks
              label="Which requests"
              items={requestViews.map((one) => ({
                label: `${isScoped && one === 'mine' ? 'Asked' : viewLabels[one]}${countOf(one)}`,
                href: hrefOf({ view: one, request: '' }),
                isCurrent: one === view,
              }))}
            />
          </div>
          {list.error && !list.data ? (
            <ListError what="requests" query={list} />
          ) : !list.data ? (
            <div className={`stack stack-12 ${css.loading}`}>
              <Skeleton />
              <Skeleton width={240} />
              <Skeleton />
              <Skeleton width={200} />
            </div>
          ) : requests.length === 0 ? (
            <EmptyState level={2} kind="first-use" title={(isScoped ? scopedTitles : emptyTitles)[view]} isCompact />
          ) : (
            <RequestList
              page={list.data}
              view={view}
              current={current}
              hrefOf={(id) => hrefOf({ request: id, page: state.page })}
              chosen={chosen}
              onChoose={toggle}
            />
          )}
          {selected.length > 0 && <BulkBar chosen={selected} onDone={() => setChosen(new Set())} />}
          {view === 'decide' && !isScoped && <PanelFoot>Your own requests are under Mine. Others decide them.</PanelFoot>}
        </Panel>
        <Pagination
          label="requests"
          page={state.page + 1}
          pageCount={pageCountOf(list.data)}
          hrefOf={(page) => hrefOf({ page: page - 1, request: '', upTo: page > 1 ? (list.data?.upTo ?? '') : '' })}
        />
      </div>
      <div className={css.detail} aria-live="polite">
        {detail.error && !shown && current !== undefined ? (
          <PageError what={`request ${current}`} query={detail} />
        ) : shown ? (
          <RequestDetail
            key={shown.id}
            request={shown}
            me={me?.id}
            back={{ label: backLabel, href: hrefOf({ request: '', page: state.page }) }}
            more={more?.(shown)}
            onDone={onDone}
          />
        ) : null}
      </div>
    </div>
  );
}
