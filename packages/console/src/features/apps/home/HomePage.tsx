/** Home: what needs the user first, then their apps, the last deploys, and the requests that wait for others. */
import { applicationSummaryList, type ApplicationSummary } from '@slipway/contract/application.ts';
import { requestList, type Request } from '@slipway/contract/request/request.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Table } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Plus } from 'lucide-react';
import { Fragment, lazy, Suspense } from 'react';
import { appColumns } from '#features/apps/list/AppTable.tsx';
import { FirstUse } from '#features/apps/list/FirstUse.tsx';
import { paths } from '#entities/paths.ts';
import { useMe, useMyTeamList } from '#entities/team/me.ts';
import { preloadQuery, useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import css from './HomePage.module.css';
import { Needs } from './Needs.tsx';

/** The panel is narrower than the page of apps, so the chart of deploys has no room. */
const columns = appColumns.filter(({ key }) => key !== 'deploys').map((column) => ({ ...column, isSortable: false }));
const shownApps = 8;
const shownDeploys = 5;
const shownWaiting = 3;
const myApps = { query: { mine: 'true' as const, size: shownApps } };
const myDeploys = { query: { mine: 'true' as const, size: shownDeploys, sort: '-lastDeploy' as const } };
const myRequests = { query: { view: 'mine' as const, status: 'PENDING' as const, size: shownWaiting } };

export function Component() {
  const apps = useQuery(applicationSummaryList, myApps);
  usePageTitle(['Home']);
  const isFirstUse = apps.data?.counts.mine === 0;
  return (
    <>
      <PageHeader
        isList
        name="Home"
        {...(isFirstUse
          ? {}
          : {
              actions: (
                <LinkButton href={paths.newApp()} icon={<Plus aria-hidden="true" />}>
                  New App
                </LinkButton>
              ),
            })}
        lede={<Teams />}
      />
      {isFirstUse ? (
        <PageBody className="stack stack-24">
          <Needs isHiddenWhenQuiet />
          <FirstUse isMine />
          <Demo />
        </PageBody>
      ) : (
        <PageBody className="split split-side">
          <div className="stack stack-24">
            <Needs />
            <Panel aria-labelledby="my-apps">
              <PanelHead title="My apps" titleId="my-apps">
                <Link href={paths.myApps()}>All {apps.data ? count(apps.data.counts.mine, 'app') : 'apps'}</Link>
              </PanelHead>
              {apps.error && !apps.data ? (
                <ListError what="apps" query={apps} />
              ) : (
                <Table
                  label="My apps"
                  columns={columns}
                  rows={apps.data?.content ?? []}
                  rowKey={({ id }) => id}
                  isLoading={!apps.data}
                  loadingRows={4}
                />
              )}
            </Panel>
          </div>
          <aside className="stack" aria-label="Recent and waiting">
            <Deploys />
            <Waiting />
            <Demo />
          </aside>
        </PageBody>
      )}
    </>
  );
}

const DemoPanel = lazy(async () => ({ default: (await import('./DemoPanel.tsx')).DemoPanel }));

/** Loaded for administrators alone. */
function Demo() {
  const { data: me } = useMe();
  if (me?.isAdministrator !== true) return null;
  return (
    <Suspense fallback={null}>
      <DemoPanel />
    </Suspense>
  );
}

/** Prefetches the page's data while the pointer is over a link to it. */
export const preload = (): void => {
  preloadQuery(applicationSummaryList, myApps);
};

function Teams() {
  const teams = useMyTeamList();
  const { data: me } = useMe();
  if (me?.teamRefs.length === 0) return <>You are in no team yet.</>;
  return (
    <>
      {teams.length === 0 && '\u00a0'}
      {teams.slice(0, 3).map(({ id, displayName }, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <Link href={paths.team(id)}>{displayName}</Link>
        </Fragment>
      ))}
      {teams.length > 3 && (
        <>
          {' and '}
          <Link href={paths.myTeams()}>{teams.length - 3} more</Link>
        </>
      )}
    </>
  );
}

function Deploys() {
  const { data, error } = useQuery(applicationSummaryList, myDeploys);
  const deployed = data?.content.filter(({ lastDeploy }) => lastDeploy !== null) ?? [];
  if (error && !data) return null;
  return (
    <Panel aria-labelledby="last-deploys">
      <PanelHead title="Last deploys" titleId="last-deploys">
        <Link href={paths.pipelines()}>All pipelines</Link>
      </PanelHead>
      {data && deployed.length === 0 ? (
        <EmptyState level={3} kind="first-use" title="No deploys yet" isCompact>
          The newest deploy of each app appears here.
        </EmptyState>
      ) : (
        <ul className={css.lines}>
          {deployed.map((app) => (
            <Deploy key={app.id} app={app} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

const toneOf = (state: string) => (state === 'FAILED' ? 'bad' : state === 'COMPLETED' ? 'ok' : state === 'CANCELED' ? 'idle' : 'run');

function Deploy({ app }: { app: ApplicationSummary }) {
  const { lastDeploy } = app;
  if (!lastDeploy) return null;
  const service = lastDeploy.revision.replace(/-\d+$/, '');
  return (
    <li>
      <StatusIcon tone={toneOf(lastDeploy.state)} />
      <span className={css.two}>
        <Link className={css.title} href={paths.service({ app: app.id, env: lastDeploy.env, service })}>
          {lastDeploy.revision}
        </Link>
        <small>
          {lastDeploy.state === 'FAILED' && 'Failed, '}
          {lastDeploy.env === 'production' ? 'Production' : 'Development'}, {lastDeploy.by}
        </small>
      </span>
      <span className="meta push">
        <RelativeTime at={lastDeploy.at} isShort />
      </span>
    </li>
  );
}

function Waiting() {
  const { data } = useQuery(requestList, myRequests);
  if (!data || data.content.length === 0) return null;
  return (
    <Panel aria-labelledby="waiting">
      <PanelHead title="Waiting for others" titleId="waiting">
        <Link href={`${paths.requests()}?view=mine`}>All my requests</Link>
      </PanelHead>
      <ul className={css.lines}>
        {data.content.map((request: Request) => (
          <li key={request.id}>
            <StatusIcon tone="idle" />
            <span className={css.two}>
              <Link className={css.title} href={paths.requests(request.id)}>
                {request.title}
              </Link>
              <small>{request.id}</small>
            </span>
            <span className="meta push">
              <RelativeTime at={request.requestedAt} isShort />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
