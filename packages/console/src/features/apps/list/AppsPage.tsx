/** The app dashboard: my apps and all apps, found, filtered and sorted by the server, with everything in the address. */
import { applicationSummaryList } from '@slipway/contract/application.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { SearchInput } from '@slipway/ui/form/SearchInput.tsx';
import { Table, type Sorting } from '@slipway/ui/list/Table.tsx';
import { TabsNav } from '@slipway/ui/layout/TabsNav.tsx';
import { ArrowDownWideNarrow, Check, Plus, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { LazyMenu } from '#kit/later/LazyMenu.tsx';
import { pageCountOf } from '#kit/list/list-total.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { paths } from '#entities/paths.ts';
import { useSearchText, useUrlState, type UrlStateControl } from '#kit/state/url-state.ts';
import { AppFacets } from './AppFacets.tsx';
import { groupApps } from './app-groups.ts';
import { appColumns } from './AppTable.tsx';
import { dashboardCall, dashboardDefaults, isFiltered, pageSize, sorts, type DashboardState } from './dashboard-state.ts';
import { FirstUse } from './FirstUse.tsx';

type Apps = QueryResult<typeof applicationSummaryList>;
type Control = UrlStateControl<DashboardState>;

export function Component() {
  const isMine = useLocation().pathname !== paths.allApps();
  const control = useUrlState(dashboardDefaults);
  const apps = useQuery(applicationSummaryList, dashboardCall(control.state, isMine), { keepPreviousData: true });
  const counts = apps.data?.counts;
  const inTab = isMine ? counts?.mine : counts?.all;
  const isFirstUse = !apps.error && inTab === 0 && !isFiltered(control.state);
  usePageTitle([isMine ? 'My apps' : 'All apps']);
  return (
    <>
      <PageHeader
        isList
        hasTabs
        name="Apps"
        actions={
          isFirstUse ? undefined : (
            <LinkButton href={paths.newApp()} variant="primary" icon={<Plus aria-hidden="true" />}>
              New App
            </LinkButton>
          )
        }
      >
        <TabsNav
          label="Which apps"
          items={[
            { label: 'My Apps', href: paths.myApps(), isCurrent: isMine, ...(counts ? { count: counts.mine } : {}) },
            { label: 'All Apps', href: paths.allApps(), isCurrent: !isMine, ...(counts ? { count: counts.all } : {}) },
          ]}
        />
      </PageHeader>
      {isFirstUse ? (
        <PageBody>
          <FirstUse isMine={isMine} />
        </PageBody>
      ) : (
        <Dashboard apps={apps} control={control} isMine={isMine} />
      )}
    </>
  );
}

function Dashboard({ apps, control, isMine }: { apps: Apps; control: Control; isMine: boolean }) {
  const { state, set } = control;
  const [areFacetsOpen, setFacetsOpen] = useState(false);
  const [text, setText] = useSearchText(state.query, (query) => set({ query }, { replace: true }));
  const counts = apps.data?.counts;
  const inTab = state.query === '' ? (isMine ? counts?.mine : counts?.all) : undefined;
  return (
    <PageBody className="split split-facets">
      <AppFacets counts={counts} state={state} onChange={(patch) => set(patch)} isOpenOnPhone={areFacetsOpen} />
      <div className="stack stack-12">
        <div className="row">
          <SearchInput
            className="grow"
            hasShortcut
            label={
              inTab === undefined
                ? 'Filter apps by name, team or macId'
                : `Filter ${inTab} ${inTab === 1 ? 'app' : 'apps'} by name, team or macId`
            }
            value={text}
            onChange={setText}
          />
          <SortMenu control={control} />
          <IconButton
            className="only-phone"
            label="Filters"
            aria-expanded={areFacetsOpen}
            icon={<SlidersHorizontal aria-hidden="true" />}
            onClick={() => setFacetsOpen(!areFacetsOpen)}
          />
        </div>
        <AppList apps={apps} control={control} label={isMine ? 'My apps' : 'All apps'} />
      </div>
    </PageBody>
  );
}

function SortMenu({ control: { state, hrefOf } }: { control: Control }) {
  const current = sorts.find(({ value }) => value === state.sort)?.label ?? 'Own order';
  const items = sorts.map(({ value, label }) => ({
    label,
    href: hrefOf({ sort: value }),
    icon: value === state.sort ? <Check aria-hidden="true" /> : <span />,
  }));
  const icon = <ArrowDownWideNarrow aria-hidden="true" />;
  const label = `Sort: ${current}`;
  return (
    <>
      <LazyMenu
        items={items}
        trigger={
          <Button className="only-wide" aria-label={label} icon={icon}>
            {current}
          </Button>
        }
      />
      <LazyMenu items={items} trigger={<IconButton className="only-phone" label={label} icon={icon} />} />
    </>
  );
}

/** Of deploys one wants the newest first. */
const sortOf = ({ key, isDescending }: Sorting, current: string): string => {
  const isFirstPress = current.replace(/^-/, '') !== key;
  return isDescending || (isFirstPress && key === 'lastDeploy') ? `-${key}` : key;
};

function AppList({ apps, control, label }: { apps: Apps; control: Control; label: string }) {
  const { state, set, hrefOf } = control;
  const rows = apps.data?.content ?? [];
  if (apps.error && !apps.data) {
    return (
      <Panel aria-label={label}>
        <ListError what="apps" query={apps} />
      </Panel>
    );
  }
  const isDescending = state.sort.startsWith('-');
  return (
    <>
      <Panel aria-label={label}>
        <Table
          label={label}
          columns={appColumns}
          {...(state.sort === '' && apps.data ? { groups: groupApps(rows, apps.data.totalElements <= pageSize) } : { rows })}
          rowKey={(app) => app.id}
          {...(state.sort === '' ? {} : { sort: { key: state.sort.replace(/^-/, ''), isDescending } })}
          onSort={(next) => set({ sort: sortOf(next, state.sort) })}
          isLoading={apps.isLoading}
          loadingRows={8}
          empty={
            <NoMatch
              state={state}
              hidden={apps.data?.counts[label === 'My apps' ? 'mine' : 'all'] ?? 0}
              onClear={() => set(dashboardDefaults)}
            />
          }
        />
      </Panel>
      <Pagination label="apps" page={state.page + 1} pageCount={pageCountOf(apps.data)} hrefOf={(page) => hrefOf({ page: page - 1 })} />
    </>
  );
}

function NoMatch({ state, hidden, onClear }: { state: DashboardState; hidden: number; onClear: () => void }) {
  return (
    <EmptyState
      level={2}
      kind="no-match"
      title={state.query ? `No app matches “${state.query}”` : 'No app fits these filters'}
      actions={<Button onClick={onClear}>Clear the filter</Button>}
    >
      {/* The counts are those of the text's matches, so only without a text do they tell what is hidden. */}
      {state.query !== '' || hidden === 0
        ? 'Other apps are hidden by the filter.'
        : `${hidden} ${hidden === 1 ? 'app is' : 'apps are'} hidden by the filter.`}
    </EmptyState>
  );
}
