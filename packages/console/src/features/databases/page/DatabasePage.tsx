/** One database: metrics, slow queries, backups, connection, settings and activity. */
import { databaseView, type Database } from '@slipway/contract/database/database.ts';
import { databaseKind } from '@slipway/contract/database/database.kind.ts';
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import { subjectKey } from '@slipway/contract/kernel/kinds.ts';
import { TabsNav } from '@slipway/ui/layout/TabsNav.tsx';
import { lazy, Suspense } from 'react';
import { useParams, type Params } from 'react-router';
import { ActivityPanel } from '#entities/activity/ActivityPanel.tsx';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths, type DatabaseTab } from '#entities/paths.ts';
import { preloadQuery } from '#kit/api/query.ts';
import { MissingPart } from '#kit/page/MissingPart.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { BackupsPanel } from '#features/databases/backups/BackupsPanel.tsx';
import { DatabasesNoRight } from '#features/databases/DatabasesNoRight.tsx';
import { Overview } from '#features/databases/overview/Overview.tsx';
import { SlowQueriesPanel } from '#features/databases/queries/SlowQueriesPanel.tsx';
import { useDatabase, type DatabasePlace } from '#features/databases/use-database.ts';
import { DatabaseHeader } from './DatabaseHeader.tsx';
import { DatabaseNotices } from './DatabaseNotices.tsx';
import { DatabaseWaterline } from './DatabaseWaterline.tsx';

const ConnectTab = lazy(() => import('#features/databases/connect/ConnectTab.tsx'));
const SettingsTab = lazy(() => import('#features/databases/settings/SettingsTab.tsx'));

const tabs = ['overview', 'slow-queries', 'backups', 'connect', 'settings', 'activity-logs'] as const;
type Tab = (typeof tabs)[number];
const tabNames: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  'slow-queries': 'Slow queries',
  backups: 'Backups',
  connect: 'Connect',
  settings: 'Settings',
  'activity-logs': 'Activity logs',
};
const pathTab = (tab: Tab): DatabaseTab | undefined => (tab === 'overview' ? undefined : tab);
const tabOf = (word: string | undefined): Tab | undefined =>
  word === undefined ? 'overview' : tabs.find((tab) => tab === word && tab !== 'overview');

/** Prefetches the page's data while the pointer is over a link to it. */
export const preload = ({ app = '', env: segment = '', database = '' }: Params): void => {
  const env = environmentOf(segment);
  if (env !== undefined) preloadQuery(databaseView, { params: { app, env, database } });
};

export function Component() {
  const { database: name = '', tab: word } = useParams();
  const { at, place, query, database } = useDatabase();
  const tab = tabOf(word);
  if (place === undefined) return <NotFound />;
  if (at.query.error && !at.application) return <PageError what={`app ${at.app}`} query={at.query} />;
  if (at.isMember === false) {
    return (
      <>
        <PageHeader isList hasSkip={false} name={name} typeLabel="Database" />
        <PageBody>
          <DatabasesNoRight noRight={at.noRight} />
        </PageBody>
      </>
    );
  }
  if (query.error && !database) return <PageError what={`database ${name}`} query={query} />;
  if (tab === undefined) {
    return <MissingPart title={`${name} has no page “${word}”`} link={{ label: `Database ${name}`, href: paths.database(place) }} />;
  }
  return <DatabaseScreen key={`${place.env}/${name}`} place={place} tab={tab} database={database} team={at.team} noRight={at.noRight} />;
}

interface ScreenProps {
  place: DatabasePlace;
  tab: Tab;
  database: Database | undefined;
  team: string;
  noRight: string;
}

function DatabaseScreen(props: ScreenProps) {
  const { place, tab, database, team } = props;
  const isThere = database === undefined || database.state === 'ACTIVE';
  usePageTitle([tab === 'overview' ? undefined : tabNames[tab], database?.displayName ?? place.database, place.app, place.env]);
  return (
    <>
      <DatabaseHeader place={place} database={database} team={team} isEditing={tab === 'settings'} />
      <DatabaseWaterline place={place} database={database} tab={pathTab(tab)} />
      <PageBody
        padding="tabs"
        tabs={
          <TabsNav
            label="Database"
            hasBar
            items={tabs.map((name) => ({
              label: tabNames[name],
              href: paths.database(place, pathTab(name)),
              isCurrent: name === tab,
              ...(name === 'backups' && database ? { count: database.backups.count } : {}),
            }))}
          />
        }
        className="stack stack-24"
        isTall
      >
        {database && <DatabaseNotices place={place} database={database} team={team} />}
        {isThere || tab === 'activity-logs' || tab === 'backups' ? <Content {...props} /> : null}
      </PageBody>
    </>
  );
}

function Content({ place, tab, database, team, noRight }: ScreenProps) {
  switch (tab) {
    case 'overview':
      return <Overview place={place} database={database} team={team} />;
    case 'slow-queries':
      return <SlowQueriesPanel place={place} />;
    case 'backups':
      return <BackupsPanel place={place} database={database} team={team} />;
    case 'connect':
      return <Suspense fallback={null}>{database && <ConnectTab place={place} database={database} team={team} />}</Suspense>;
    case 'settings':
      return <Suspense fallback={null}>{database && <SettingsTab place={place} database={database} team={team} />}</Suspense>;
    case 'activity-logs':
      return <Activity place={place} noRight={noRight} />;
  }
}

function Activity({ place, noRight }: Pick<ScreenProps, 'place' | 'noRight'>) {
  const { app, env } = place;
  return <ActivityPanel scope={{ app, env, subject: subjectKey({ kind: databaseKind.kind, names: { ...place } }) }} noRight={noRight} />;
}
