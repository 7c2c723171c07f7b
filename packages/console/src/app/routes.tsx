/** The routes of the console (specification §2). Every page is its own chunk, which loads when a link to it is hovered or focused. */
import { redirect, type RouteObject } from 'react-router';
import { paths } from '#entities/paths.ts';
import { declaredScreens } from './declared-screens.ts';
import { CrashPage } from './CrashPage.tsx';
import { OneSpelling } from './OneSpelling.tsx';
import { PageFallback } from './PageFallback.tsx';
import { Shell } from './shell/Shell.tsx';

const apps = () => import('#features/apps/list/AppsPage.tsx');
const app = () => import('#features/apps/page/AppPage.tsx');
const entry = () => import('#features/catalog/entry/EntryPage.tsx');
const summary = () => import('#features/catalog/summary/SummaryPage.tsx');
const platform = () => import('#features/platform/PlatformPages.tsx');
const service = () => import('#features/services/page/ServicePage.tsx');
/** Replaces the end of the path and keeps the query. */
const movedTo = (address: string, end: RegExp, path: string): Response => {
  const { pathname, search } = new URL(address);
  return redirect(pathname.replace(end, path) + search);
};
/** Redirects from the name alone to its list. */
const toTab =
  (tab: string) =>
  ({ request }: { request: Request }) =>
    movedTo(request.url, /\/[^/]+\/?$/, `/${tab}`);
/** Tabs that another feature fills. */
const secrets: RouteObject[] = [{ index: true, lazy: () => import('#features/secrets/list/AppSecretsTab.tsx') }];
const databases: RouteObject[] = [{ index: true, lazy: () => import('#features/databases/list/AppDatabasesTab.tsx') }];
const monitors: RouteObject[] = [{ index: true, lazy: () => import('#features/monitoring/MonitorsTab.tsx') }];
const events: RouteObject[] = [
  {
    lazy: () => import('#features/streaming/EventsTab.tsx'),
    children: [
      { index: true, lazy: () => import('#features/streaming/lists/TopicsList.tsx') },
      { path: 'topics', lazy: () => import('#features/streaming/lists/TopicsList.tsx') },
      { path: 'schemas', lazy: () => import('#features/streaming/lists/SchemasList.tsx') },
      { path: 'accounts', lazy: () => import('#features/streaming/lists/AccountsList.tsx') },
      { path: 'requests', lazy: () => import('#features/streaming/requests/RequestsList.tsx') },
      { path: ':subtab', loader: ({ request }) => movedTo(request.url, /\/[^/]+\/?$/, '') },
    ],
  },
];
const flags: RouteObject[] = [
  {
    lazy: () => import('#features/flags/FlagsTab.tsx'),
    children: [
      { index: true, lazy: () => import('#features/flags/FlagsPart.tsx') },
      { path: 'flag', lazy: () => import('#features/flags/FlagsPart.tsx') },
      { path: 'flag/:flag', lazy: () => import('#features/flags/FlagsPart.tsx') },
      { path: 'client-keys', lazy: () => import('#features/flags/keys/KeysPart.tsx') },
      { path: 'saved-groups', lazy: () => import('#features/flags/groups/GroupsPart.tsx') },
    ],
  },
];
const registry: RouteObject[] = [
  {
    lazy: () => import('#features/registry/RegistryTab.tsx'),
    children: [
      { index: true, loader: ({ request }) => movedTo(request.url, /\/?$/, '/repositories') },
      { path: 'repositories', lazy: () => import('#features/registry/repositories/RepositoriesTab.tsx') },
      { path: 'repositories/:repository', lazy: () => import('#features/registry/repositories/RepositoriesTab.tsx') },
      { path: 'robot-accounts', lazy: () => import('#features/registry/robots/RobotsTab.tsx') },
      { path: 'webhooks', lazy: () => import('#features/registry/webhooks/WebhooksTab.tsx') },
      { path: 'webhooks/:webhook', lazy: () => import('#features/registry/webhooks/WebhooksTab.tsx') },
      { path: 'policy', lazy: () => import('#features/registry/policy/PolicyTab.tsx') },
    ],
  },
];

const pages: RouteObject[] = [
  { index: true, lazy: () => import('#features/apps/home/HomePage.tsx') },
  { path: 'my-apps', lazy: apps },
  { path: 'all-apps', lazy: apps },
  { path: 'app', loader: () => redirect(paths.home()) },
  ...declaredScreens.flatMap(({ routes: own }) => own),
  { path: 'catalogue', lazy: () => import('#features/catalog/list/CatalogPage.tsx') },
  { path: 'catalogue/new', lazy: () => import('#features/catalog/form/NewEntryPage.tsx') },
  { path: 'catalogue/bulk', lazy: () => import('#features/catalog/bulk/BulkPage.tsx') },
  { path: 'catalogue/labels', lazy: () => import('#features/catalog/labels/LabelsPage.tsx') },
  { path: 'catalogue/imports', lazy: () => import('#features/catalog/imports/ImportsPage.tsx') },
  { path: 'catalogue/imports/:importId', lazy: () => import('#features/catalog/imports/ImportPage.tsx') },
  { path: 'catalogue/tree', lazy: () => import('#features/catalog/tree/TreePage.tsx') },
  { path: 'catalogue/approvers', lazy: () => import('#features/catalog/admin/ApproversPage.tsx') },
  { path: 'catalogue/options', lazy: () => import('#features/catalog/admin/OptionsPage.tsx') },
  { path: 'catalogue/summary', lazy: summary },
  { path: 'catalogue/summary/:platform/:month?', lazy: summary },
  { path: 'catalogue/:plural', loader: ({ params }) => redirect(paths.catalog(`?kind=${params['plural']?.replace(/s$/, '') ?? ''}`)) },
  { path: 'catalogue/:plural/:entry', lazy: entry },
  { path: 'catalogue/:plural/:entry/decommission', lazy: () => import('#features/catalog/entry/DecommissionPage.tsx') },
  { path: 'catalogue/:plural/:entry/:tab', lazy: entry },
  { path: 'new-app', lazy: () => import('#features/apps/create/NewAppPage.tsx') },
  { path: 'new-app/blank', lazy: () => import('#features/apps/create/BlankAppPage.tsx') },
  { path: 'new-app/catalogue', lazy: () => import('#features/apps/create/CatalogueAppPage.tsx') },
  { path: 'new-app/quickstart', lazy: () => import('#features/quickstart/QuickstartAppPage.tsx') },
  { path: 'me', lazy: () => import('#features/platform/ProfilePage.tsx') },
  { path: 'me/tokens', lazy: () => import('#features/platform/TokensPage.tsx') },
  { path: 'notifications', lazy: () => import('#features/notifications/NotificationsPage.tsx') },
  { path: 'notifications/outbox', lazy: () => import('#features/notifications/OutboxPage.tsx') },
  { path: 'platform', loader: () => redirect(paths.operations()) },
  { path: 'operations', lazy: platform },
  { path: 'platform/:page', lazy: platform },
  { path: 'requests', lazy: () => import('#features/requests/RequestsPage.tsx') },
  { path: 'pipelines', lazy: () => import('#features/pipelines/PipelinesPage.tsx') },
  { path: 'pipelines/:pipeline', lazy: () => import('#features/pipelines/AnyPipelinePage.tsx') },
  { path: 'app/:app', lazy: app },
  { path: 'app/:app/settings', lazy: app, children: secrets },
  { path: 'app/:app/:env', lazy: app },
  { path: 'app/:app/:env/service', lazy: app },
  { path: 'app/:app/:env/activity-logs', lazy: app },
  { path: 'app/:app/:env/map', lazy: app, children: [{ index: true, lazy: () => import('#features/apps/map/AppMapTab.tsx') }] },
  { path: 'app/:app/:env/container-registry', lazy: app, children: registry },
  { path: 'app/:app/:env/container-registry/repositories/:repository/:tag', lazy: () => import('#features/registry/image/ImagePage.tsx') },
  { path: 'app/:app/:env/database', lazy: app, children: databases },
  { path: 'app/:app/:env/monitoring', lazy: app, children: monitors },
  { path: 'app/:app/:env/events-processing', lazy: app, children: events },
  { path: 'app/:app/:env/events-processing/requests/:request', lazy: () => import('#features/streaming/requests/RequestPage.tsx') },
  { path: 'app/:app/:env/flags', lazy: app, children: flags },
  { path: 'app/:app/:env/secret-group', lazy: app, children: secrets },
  { path: 'app/:app/:env/new-secret-group', lazy: () => import('#features/secrets/forms/NewGroupPage.tsx') },
  { path: 'app/:app/:env/secret-group/:secretGroup', lazy: () => import('#features/secrets/group/GroupPage.tsx') },
  { path: 'app/:app/:env/secret-group/:secretGroup/copy', lazy: () => import('#features/secrets/forms/CopyGroupPage.tsx') },
  { path: 'app/:app/:env/secret-group/:secretGroup/new-version', lazy: () => import('#features/secrets/forms/NewVersionPage.tsx') },
  { path: 'app/:app/:env/new-service', lazy: () => import('#features/services/create/BlankServicePage.tsx') },
  { path: 'app/:app/:env/new-service/quickstart', lazy: () => import('#features/quickstart/NewServicePage.tsx') },
  { path: 'app/:app/:env/service/:service', lazy: service },
  { path: 'app/:app/:env/service/:service/revision', loader: toTab('revisions') },
  { path: 'app/:app/:env/service/:service/pipeline', loader: toTab('pipelines') },
  {
    path: 'app/:app/:env/service/:service/secret-manager',
    lazy: service,
    children: [{ index: true, lazy: () => import('#features/secrets/attach/ServiceSecretsTab.tsx') }],
  },
  { path: 'app/:app/promote', lazy: () => import('#features/apps/promote/PromoteAppPage.tsx') },
  { path: 'app/:app/:env/service/:service/copy-service', lazy: () => import('#features/services/copy/CopyServicePage.tsx') },
  { path: 'app/:app/:env/service/:service/service-yaml', lazy: () => import('#features/services/yaml/ServiceYamlPage.tsx') },
  {
    path: 'app/:app/:env/service/:service/settings',
    lazy: service,
    children: [{ index: true, lazy: () => import('#features/services/settings/SettingsTab.tsx') }],
  },
  { path: 'app/:app/:env/service/:service/:tab', lazy: service },
  { path: 'app/:app/:env/service/:service/revision/:revision', lazy: () => import('#features/services/revision/RevisionPage.tsx') },
  { path: 'app/:app/:env/service/:service/revision/:revision/logs', lazy: () => import('#features/services/logs/LogsPage.tsx') },
  { path: 'app/:app/:env/service/:service/pipeline/:pipeline', lazy: () => import('#features/pipelines/PipelinePage.tsx') },
  { path: '*', lazy: async () => ({ Component: (await import('#entities/NotFound.tsx')).NotFound }) },
];

/** A crash of a page keeps the shell; only a crash of the shell replaces the whole window. */
export const routes: RouteObject[] = [
  {
    path: '/',
    Component: Shell,
    ErrorBoundary: CrashPage,
    children: [{ Component: OneSpelling, ErrorBoundary: CrashPage, HydrateFallback: PageFallback, children: pages }],
  },
];
