/** One app in one environment: description, health, and its services or activity. */
import { appKind } from '@slipway/contract/kinds/application.kind.ts';
import { applicationView, type Application } from '@slipway/contract/application.ts';
import { environmentOf, type Environment } from '@slipway/contract/kernel/fields.ts';
import { serviceList } from '@slipway/contract/service/service.ts';
import { Badge } from '@slipway/ui/feedback/Badge.tsx';
import type { Detail } from '@slipway/ui/layout/Details.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { TabsNav } from '@slipway/ui/layout/TabsNav.tsx';
import { Outlet, useLocation, useParams, type Params } from 'react-router';
import { preloadQuery, useQuery, type QueryResult } from '#kit/api/query.ts';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { FreezeNotice } from '#entities/application/FreezeNotice.tsx';
import { AppDetails } from '#entities/application/AppDetails.tsx';
import { ActivityPanel } from '#entities/activity/ActivityPanel.tsx';
import { PageError } from '#entities/PageError.tsx';
import { NotFound } from '#entities/NotFound.tsx';
import { lifecycleLook } from '#entities/status.ts';
import { EntityBar } from '#entities/resource/EntityBar.tsx';
import { EntityNotice } from '#entities/resource/EntityNotice.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { paths, type AppRef } from '#entities/paths.ts';
import { useWaitingRequests } from '#entities/streaming/use-waiting-requests.ts';
import { useMe } from '#entities/team/me.ts';
import { useTeamOwners } from '#entities/team/use-team-owners.ts';
import { AppActions } from './AppActions.tsx';
import { AppPassing } from './AppPassing.tsx';
import { worstHealth } from './app-health.ts';
import { useAppRemoval } from './use-app-removal.ts';
import css from './AppPage.module.css';
import { EnvironmentCompare } from './EnvironmentCompare.tsx';
import { MacIdSuggestions } from './MacIdSuggestions.tsx';
import { RecentChanges } from './RecentChanges.tsx';
import { firstServices, ServiceList } from './ServiceList.tsx';

type Tab =
  | 'service'
  | 'map'
  | 'secret-group'
  | 'database'
  | 'container-registry'
  | 'events-processing'
  | 'flags'
  | 'monitoring'
  | 'activity-logs';

const tabLabels: Readonly<Record<Tab, string | undefined>> = {
  service: undefined,
  map: 'Map',
  'secret-group': 'Secrets manager',
  database: 'Databases',
  'container-registry': 'Container registry',
  'events-processing': 'Events processing',
  flags: 'Feature flags',
  monitoring: 'Monitoring',
  'activity-logs': 'Activity logs',
};
/** Path of each tab, used to keep the tab when the environment changes. */
const tabPath: Readonly<Record<Tab, (place: AppRef) => string>> = {
  service: paths.app,
  map: paths.appMap,
  'secret-group': paths.secretGroups,
  database: paths.databases,
  'container-registry': paths.containerRegistry,
  'events-processing': paths.events,
  flags: (place) => paths.flags(place),
  monitoring: paths.monitors,
  'activity-logs': paths.appActivity,
};
const tabSegments = [
  'map',
  'secret-group',
  'database',
  'container-registry',
  'events-processing',
  'flags',
  'monitoring',
  'activity-logs',
] as const;
const tabOf = (pathname: string): Tab => {
  // An app's settings are its secret settings (specification §2).
  if (pathname.endsWith('/settings')) return 'secret-group';
  const [, , , , segment] = pathname.split('/');
  return tabSegments.find((tab) => tab === segment) ?? 'service';
};

/** Enough services to compute the environment's health. The list itself is searched and paged separately. */
const servicesRead = 100;

export function Component() {
  const { app = '', env: segment } = useParams();
  const { pathname } = useLocation();
  const tab = tabOf(pathname);
  const query = useQuery(applicationView, { params: { app } });
  const env = segment === undefined ? 'development' : environmentOf(segment);
  if (query.error && !query.data) return <PageError what={`app ${app}`} query={query} />;
  if (env === undefined) return <NotFound />;
  return <AppScreen key={app} id={app} env={env} tab={tab} app={query.data} />;
}

/** Prefetches the page's data while the pointer is over a link to it. */
export const preload = ({ app = '', env = 'development' }: Params): void => {
  preloadQuery(applicationView, { params: { app } });
  preloadQuery(serviceList, firstServices({ app, env }));
};

function AppScreen({ id, env, tab, app }: { id: string; env: Environment; tab: Tab; app: Application | undefined }) {
  const services = useQuery(serviceList, app && { params: { app: id, env }, query: { size: servicesRead } });
  const { pathname } = useLocation();
  usePageTitle([tabLabels[tab], id, env]);
  const here = { app: id, env };
  const { data: me } = useMe();
  const waiting = useWaitingRequests(here, app !== undefined && (me?.teamRefs.includes(app.teamId) ?? false));
  /** Keeps the open registry, streaming or flags view when the environment changes. The registry serves both environments. */
  const inOther = (place: AppRef): string =>
    tab === 'container-registry' || tab === 'events-processing' || tab === 'flags'
      ? paths.app(place) + pathname.slice(paths.app(here).length)
      : tabPath[tab](place);
  return (
    <>
      <AppHeader id={id} env={env} app={app} services={services} hasRegistry={tab === 'container-registry'} />
      <EntityBar env={env} hrefOf={(other) => inOther({ app: id, env: other })} passing={<AppPassing app={id} env={env} />} />
      <PageBody
        padding="tabs"
        tabs={
          <TabsNav
            label="App"
            hasBar
            items={[
              {
                label: 'Services',
                href: paths.app(here),
                isCurrent: tab === 'service',
                ...(services.data ? { count: services.data.totalElements } : {}),
              },
              { label: 'Map', href: paths.appMap(here), isCurrent: tab === 'map' },
              { label: 'Secrets manager', href: paths.secretGroups(here), isCurrent: tab === 'secret-group' },
              { label: 'Databases', href: paths.databases(here), isCurrent: tab === 'database' },
              { label: 'Container registry', href: paths.containerRegistry(here), isCurrent: tab === 'container-registry' },
              {
                label: 'Events processing',
                href: paths.events(here),
                isCurrent: tab === 'events-processing',
                ...(waiting === undefined ? {} : { count: waiting, countKind: 'request' as const }),
              },
              { label: 'Feature flags', href: paths.flags(here), isCurrent: tab === 'flags' },
              { label: 'Monitoring', href: paths.monitors(here), isCurrent: tab === 'monitoring' },
              { label: 'Activity logs', href: paths.appActivity(here), isCurrent: tab === 'activity-logs' },
            ]}
          />
        }
        className="stack stack-24"
      >
        {tab === 'service' && app?.state === 'ACTIVE' && <FreezeNotice app={id} env={env} />}
        {app && <AppNotice app={app} />}
        {app && app.state === 'ACTIVE' && tab === 'service' && <MacIdSuggestions app={app} />}
        {tab !== 'service' && tab !== 'activity-logs' && <Outlet />}
        {tab === 'service' && (
          <>
            <ServiceList app={app} place={here} />
            {app && app.state === 'ACTIVE' && (
              <div className={css.below}>
                <RecentChanges app={app} place={here} />
                <EnvironmentCompare app={id} />
              </div>
            )}
          </>
        )}
        {tab === 'activity-logs' && <AppActivity app={app} env={env} id={id} />}
      </PageBody>
    </>
  );
}

function AppNotice({ app }: { app: Application }) {
  const { discard } = useAppRemoval(app);
  return (
    <EntityNotice kind={appKind} names={{ app: app.id }} entity={app} pipelineId={app.pipelineId} team={app.teamName} discard={discard} />
  );
}

interface AppHeaderProps {
  id: string;
  env: Environment;
  app: Application | undefined;
  services: QueryResult<typeof serviceList>;
  /** The registry adds its own facts, because it serves both environments. */
  hasRegistry: boolean;
}
function AppHeader({ id, env, app, services, hasRegistry }: AppHeaderProps) {
  const look = app && (lifecycleLook[app.state] ?? (services.data && worstHealth(services.data.content)));
  return (
    <PageHeader
      typeLabel="App"
      name={id}
      copyText={id}
      {...(look ? { status: <Badge tone={look.tone}>{look.word}</Badge> } : {})}
      // Reserves the line before the name is loaded, to avoid a layout shift.
      lede={app?.displayName ?? '\u00a0'}
      actions={app ? <AppActions app={app} env={env} /> : <span className={css.actions} />}
    >
      <AppDetails
        id={id}
        env={env}
        app={app}
        more={
          hasRegistry
            ? registryDetails(id)
            : [{ label: 'Created', value: app ? <RelativeTime at={app.status.creationTimestamp} isShort /> : '–' }, ...portalDetail(id)]
        }
      />
    </PageHeader>
  );
}

/** The page of the app in the company portal, if the installation has one (specification §2). */
const portalDetail = (id: string): Detail[] => {
  const { portalUrl } = runtimeConfig();
  if (!portalUrl) return [];
  const href = `${portalUrl.replace(/\/+$/, '')}/application/${encodeURIComponent(id)}`;
  return [{ label: 'Company portal', value: <Link href={href}>{id}</Link> }];
};

const registryDetails = (id: string): Detail[] => {
  const project = `${runtimeConfig().registryHost}/${id}`;
  return [
    { label: 'Registry project', value: <code>{project}</code>, copyText: project, isWide: true },
    { label: 'Serves', value: 'Both environments' },
  ];
};

interface TabProps {
  app: Application | undefined;
  env: Environment;
  id: string;
}

const useNoRight = (app: Application | undefined): string | undefined => {
  const owners = useTeamOwners(app?.teamId);
  return app && `You are not in ${app.teamName}.${owners ? ` Ask ${owners} to add you.` : ''}`;
};

function AppActivity({ app, env, id }: TabProps) {
  return <ActivityPanel scope={{ app: id, env }} noRight={useNoRight(app)} />;
}
