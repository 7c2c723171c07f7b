/** The addresses of the console (specification §2). Every page is a chunk of its own, loaded when a link to it is touched. */
import { redirect, type RouteObject } from 'react-router';
import { NotFound } from '#lib/NotFound.tsx';
import { paths } from '#lib/paths.ts';
import { CrashPage } from './CrashPage.tsx';
import { PageFallback } from './PageFallback.tsx';
import { Shell } from './Shell.tsx';

const apps = () => page('apps/AppsPage');
const teams = () => page('teams/TeamsPage');
const app = () => page('apps/AppPage');
const service = () => page('services/ServicePage');

/** Pages that are looked up when their address is opened; an address whose page is not part of this build is not found. */
const modules = import.meta.glob<{ Component: () => React.ReactNode }>('../features/*/*Page.tsx');
const page = (name: string) => modules[`../features/${name}.tsx`]?.() ?? Promise.resolve({ Component: NotFound });

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
  { path: 'team/:team', lazy: () => page('teams/TeamPage') },
  { path: 'new-team', lazy: () => page('new-team/NewTeamPage') },
  { path: 'new-app', lazy: () => page('new-app/NewAppPage') },
  { path: 'new-app/blank', lazy: () => page('new-app/BlankAppPage') },
  { path: 'new-app/catalogue', lazy: () => page('new-app/CatalogueAppPage') },
  { path: 'new-app/quickstart', lazy: () => page('quickstart/QuickstartAppPage') },
  { path: 'me', loader: () => redirect(paths.tokens()) },
  { path: 'me/tokens', lazy: () => page('me/TokensPage') },
  { path: 'pipelines', lazy: () => page('pipelines/PipelinesPage') },
  { path: 'app/:app', lazy: app },
  { path: 'app/:app/:env', lazy: app },
  { path: 'app/:app/:env/service', lazy: app },
  { path: 'app/:app/:env/activity-logs', lazy: app },
  { path: 'app/:app/:env/new-service', lazy: () => page('quickstart/NewServicePage') },
  { path: 'app/:app/:env/service/:service', lazy: service },
  { path: 'app/:app/:env/service/:service/revision', loader: toTab('revisions') },
  { path: 'app/:app/:env/service/:service/pipeline', loader: toTab('pipelines') },
  { path: 'app/:app/:env/service/:service/:tab', lazy: service },
  { path: 'app/:app/:env/service/:service/revision/:revision', lazy: () => page('services/RevisionPage') },
  { path: 'app/:app/:env/service/:service/revision/:revision/logs', lazy: () => page('services/LogsPage') },
  { path: 'app/:app/:env/service/:service/pipeline/:pipeline', lazy: () => page('pipelines/PipelinePage') },
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
