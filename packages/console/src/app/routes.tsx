/** The addresses of the console (specification §2). Every page is a chunk of its own, loaded when a link to it is touched. */
import { redirect, type RouteObject } from 'react-router';
import { NotFound } from '#lib/NotFound.tsx';
import { paths } from '#lib/paths.ts';
import { CrashPage } from './CrashPage.tsx';
import { PageFallback } from './PageFallback.tsx';
import { Shell } from './Shell.tsx';

const apps = () => import('#features/apps/AppsPage.tsx');
const teams = () => import('#features/teams/TeamsPage.tsx');
const app = () => import('#features/apps/AppPage.tsx');
const service = () => import('#features/services/ServicePage.tsx');
/** A tab that another feature fills: the page leaves its place open. */
const secrets: RouteObject[] = [{ index: true, lazy: () => import('#features/secrets/AppSecretsTab.tsx') }];

/** The word alone leads to the list it belongs to. */
const toTab =
  (tab: string) =>
  ({ request }: { request: Request }) =>
    redirect(`${new URL(request.url).pathname.replace(/\/[^/]+\/?$/, '')}/${tab}`);

const pages: RouteObject[] = [
  { index: true, lazy: apps },
  { path: 'my-apps', lazy: apps },
  { path: 'all-apps', lazy: apps },
  { path: 'app', loader: () => redirect(paths.home()) },
  { path: 'team', lazy: teams },
  { path: 'my-teams', lazy: teams },
  { path: 'all-teams', lazy: teams },
  { path: 'team/:team', lazy: () => import('#features/teams/TeamPage.tsx') },
  { path: 'new-team', lazy: () => import('#features/new-team/NewTeamPage.tsx') },
  { path: 'new-app', lazy: () => import('#features/new-app/NewAppPage.tsx') },
  { path: 'new-app/blank', lazy: () => import('#features/new-app/BlankAppPage.tsx') },
  { path: 'new-app/catalogue', lazy: () => import('#features/new-app/CatalogueAppPage.tsx') },
  { path: 'new-app/quickstart', lazy: () => import('#features/quickstart/QuickstartAppPage.tsx') },
  { path: 'me', loader: () => redirect(paths.tokens()) },
  { path: 'me/tokens', lazy: () => import('#features/me/TokensPage.tsx') },
  { path: 'platform/keys', lazy: () => import('#features/secrets/KeysPage.tsx') },
  { path: 'pipelines', lazy: () => import('#features/pipelines/PipelinesPage.tsx') },
  { path: 'pipelines/:pipeline', lazy: () => import('#features/pipelines/AnyPipelinePage.tsx') },
  { path: 'app/:app', lazy: app },
  { path: 'app/:app/settings', lazy: app, children: secrets },
  { path: 'app/:app/:env', lazy: app },
  { path: 'app/:app/:env/service', lazy: app },
  { path: 'app/:app/:env/activity-logs', lazy: app },
  { path: 'app/:app/:env/container-registry', lazy: app },
  { path: 'app/:app/:env/secret-group', lazy: app, children: secrets },
  { path: 'app/:app/:env/new-secret-group', lazy: () => import('#features/secrets/NewGroupPage.tsx') },
  { path: 'app/:app/:env/secret-group/:secretGroup', lazy: () => import('#features/secrets/GroupPage.tsx') },
  { path: 'app/:app/:env/secret-group/:secretGroup/copy', lazy: () => import('#features/secrets/CopyGroupPage.tsx') },
  { path: 'app/:app/:env/secret-group/:secretGroup/new-version', lazy: () => import('#features/secrets/NewVersionPage.tsx') },
  { path: 'app/:app/:env/new-service', lazy: () => import('#features/new-service/BlankServicePage.tsx') },
  { path: 'app/:app/:env/new-service/quickstart', lazy: () => import('#features/quickstart/NewServicePage.tsx') },
  { path: 'app/:app/:env/service/:service', lazy: service },
  { path: 'app/:app/:env/service/:service/revision', loader: toTab('revisions') },
  { path: 'app/:app/:env/service/:service/pipeline', loader: toTab('pipelines') },
  {
    path: 'app/:app/:env/service/:service/secret-manager',
    lazy: service,
    children: [{ index: true, lazy: () => import('#features/secrets/ServiceSecretsTab.tsx') }],
  },
  { path: 'app/:app/:env/service/:service/copy-service', lazy: () => import('#features/copy-service/CopyServicePage.tsx') },
  { path: 'app/:app/:env/service/:service/service-yaml', lazy: () => import('#features/service-yaml/ServiceYamlPage.tsx') },
  {
    path: 'app/:app/:env/service/:service/settings',
    lazy: service,
    children: [{ index: true, lazy: () => import('#features/service-settings/SettingsTab.tsx') }],
  },
  { path: 'app/:app/:env/service/:service/:tab', lazy: service },
  { path: 'app/:app/:env/service/:service/revision/:revision', lazy: () => import('#features/services/RevisionPage.tsx') },
  { path: 'app/:app/:env/service/:service/revision/:revision/logs', lazy: () => import('#features/services/LogsPage.tsx') },
  { path: 'app/:app/:env/service/:service/pipeline/:pipeline', lazy: () => import('#features/pipelines/PipelinePage.tsx') },
  { path: '*', Component: NotFound },
];

/** A crash of a page leaves the shell standing; only a crash of the shell itself takes the window. */
export const routes: RouteObject[] = [
  {
    path: '/',
    Component: Shell,
    ErrorBoundary: CrashPage,
    children: [{ ErrorBoundary: CrashPage, HydrateFallback: PageFallback, children: pages }],
  },
];
