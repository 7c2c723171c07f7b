/** The app dashboard: my apps and all apps. The server searches, filters and sorts; the URL holds the state. */
import { applicationSummaryList } from '@slipway/contract/application.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { TabsNav } from '@slipway/ui/layout/TabsNav.tsx';
import { ArrowDownWideNarrow, Check, Plus, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { LazyMenu } from '#kit/later/LazyMenu.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { paths } from '#entities/paths.ts';
import { useListControl, type ListControl } from '#kit/list/list-control.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { AppFacets } from './AppFacets.tsx';
import { groupApps } from './app-groups.ts';
import { appColumns } from './AppTable.tsx';
import { dashboardCall, dashboardDefaults, pageSize, sorts, type DashboardState } from './dashboard-state.ts';
import { FirstUse } from './FirstUse.tsx';

type Apps = QueryResult<typeof applicationSummaryList>;
type Control = ListControl<DashboardState>;

export function Component() {
  const isMine = useLocation().pathname !== paths.allApps();
  const control = useListControl(dashboardDefaults, pageSize);
  const apps = useQuery(applicationSummaryList, dashboardCall(control.state, isMine), { keepPreviousData: true });
  const counts = apps.data?.counts;
  const inTab = isMine ? counts?.mine : counts?.all;
  const isFirstUse = !apps.error && inTab === 0 && !control.isFiltered;
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
  const counts = apps.data?.counts;
  const inTab = (isMine ? counts?.mine : counts?.all) ?? 0;
  const isSearched = state.query !== '' || counts === undefined;
  return (
    <PageBody className="split split-facets">
      <AppFacets counts={counts} state={state} onChange={(patch) => set(patch)} isOpenOnPhone={areFacetsOpen} />
      <div className="stack stack-12">
        <ResourceList
          label={isMine ? 'My apps' : 'All apps'}
          noun="app"
          plural="apps"
          list={apps}
          control={control}
          columns={appColumns}
          rowKey={(app) => app.id}
          {...(state.sort === '' && apps.data ? { groups: groupApps(apps.data.content, apps.data.totalElements <= pageSize) } : {})}
          loadingRows={8}
          hasWideSearch
          searchLabel={isSearched ? 'Filter apps by name, team or macId' : `Filter ${count(inTab, 'app')} by name, team or macId`}
          tools={
            <>
              <SortMenu control={control} />
              <IconButton
                className="only-phone"
                label="Filters"
                aria-expanded={areFacetsOpen}
                icon={<SlidersHorizontal aria-hidden="true" />}
                onClick={() => setFacetsOpen(!areFacetsOpen)}
              />
            </>
          }
          // The search shows the count.
          note={null}
          firstUse={{ title: 'There are no apps yet', text: 'Create one above.' }}
          // The counts cover only matches of the search text, so the number of hidden apps is known only without a text.
          noMatch={{
            text:
              isSearched || inTab === 0
                ? 'Other apps are hidden by the filter.'
                : `${count(inTab, 'app')} ${inTab === 1 ? 'is' : 'are'} hidden by the filter.`,
          }}
        />
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
