/** One database: metrics, slow queries, backups, connection, settings and activity. */
import { databaseView, type Database } from '@slipway/contract/database/database.ts';
import { databaseKind } from '@slipway/contract/database/database.kind.ts';
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import { subjectKey } from '@slipway/contract/kernel/kinds.ts';
import { lazy, Suspense } from 'react';
import { useParams, type Params } from 'react-router';
import { ActivityPanel } from '#entities/activity/ActivityPanel.tsx';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths, type DatabaseTab } from '#entities/paths.ts';
import { EntityPage, MissingTab, tabAt, type Tabs } from '#entities/resource/EntityPage.tsx';
import { preloadQuery } from '#kit/api/query.ts';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
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

const tabs: Tabs<DatabaseTab> = [
  ['overview', 'Overview'],
  ['slow-queries', 'Slow queries'],
  ['backups', 'Backups'],
  ['connect', 'Connect'],
  ['settings', 'Settings'],
  ['activity-logs', 'Activity logs'],
];

/** Prefetches the page's data while the pointer is over a link to it. */
export const preload = ({ app = '', env: segment = '', database = '' }: Params): void => {
  const env = environmentOf(segment);
  if (env !== undefined) preloadQuery(databaseView, { params: { app, env, database } });
};

export function Component() {
  const { database: name = '', tab: word } = useParams();
  const { at, place, query, database } = useDatabase();
  const tab = tabAt(tabs, word);
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
  if (tab === undefined) return <MissingTab noun="Database" name={name} segment={word} href={paths.database(place)} />;
  return <DatabaseScreen key={`${place.env}/${name}`} place={place} tab={tab} database={database} team={at.team} noRight={at.noRight} />;
}

interface ScreenProps {
  place: DatabasePlace;
  tab: DatabaseTab;
  database: Database | undefined;
  team: string;
  noRight: string;
}

function DatabaseScreen(props: ScreenProps) {
  const { place, tab, database, team } = props;
  const isThere = database === undefined || database.state === 'ACTIVE';
  return (
    <EntityPage
      noun="Database"
      title={[database?.displayName ?? place.database, place.app, place.env]}
      tabs={tabs}
      tab={tab}
      hrefOf={(name) => paths.database(place, name)}
      counts={database ? { backups: { count: database.backups.count } } : {}}
      header={<DatabaseHeader place={place} database={database} team={team} isEditing={tab === 'settings'} />}
      bar={<DatabaseWaterline place={place} database={database} tab={tab} />}
    >
      {database && <DatabaseNotices place={place} database={database} team={team} />}
      {isThere || tab === 'activity-logs' || tab === 'backups' ? <Content {...props} /> : null}
    </EntityPage>
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
