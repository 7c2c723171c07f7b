/** One database: metrics, slow queries, backups, connection, settings and activity. */
import { databaseKind } from '@slipway/contract/kinds/database.kind.ts';
import { databaseList, databaseView, type Database } from '@slipway/contract/database/database.ts';
import { subjectKey } from '@slipway/contract/kinds.ts';
import { lazy, Suspense } from 'react';
import { ActivityPanel } from '#entities/activity/ActivityPanel.tsx';
import { paths, type DatabaseTab } from '#entities/paths.ts';
import { PlaceBar } from '#entities/resource/EntityBar.tsx';
import { EntityPage, type Tabs } from '#entities/resource/EntityPage.tsx';
import { entityRoute, type EntityScreenProps } from '#entities/resource/entity-route.tsx';
import { BackupsPanel } from '#features/databases/backups/BackupsPanel.tsx';
import { Overview } from '#features/databases/overview/Overview.tsx';
import { SlowQueriesPanel } from '#features/databases/queries/SlowQueriesPanel.tsx';
import type { DatabasePlace } from '#features/databases/database-place.ts';
import { DatabaseHeader } from './DatabaseHeader.tsx';
import { DatabaseNotices } from './DatabaseNotices.tsx';

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

type ScreenProps = EntityScreenProps<DatabasePlace, Database, DatabaseTab>;

/** Polls, because size and connections change without a change event. */
export const { Component, preload } = entityRoute({
  kind: databaseKind,
  route: databaseView,
  query: { pollMs: 5000, isAlwaysPolled: true },
  isMembersOnly: true,
  tabs,
  Screen: DatabaseScreen,
});

function DatabaseScreen(props: ScreenProps) {
  const { place, tab, entity: database, at } = props;
  const { team } = at;
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
      bar={
        <PlaceBar
          kind={databaseKind}
          list={databaseList}
          place={place}
          tail={tab === 'overview' ? '' : `/${tab}`}
          pipelineId={database?.status.pipelineId ?? null}
        />
      }
    >
      {database && <DatabaseNotices place={place} database={database} team={team} />}
      {isThere || tab === 'activity-logs' || tab === 'backups' ? <Content {...props} /> : null}
    </EntityPage>
  );
}

function Content({ place, tab, entity: database, at: { team, noRight } }: ScreenProps) {
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
      return (
        <ActivityPanel
          scope={{ app: place.app, env: place.env, subject: subjectKey({ kind: databaseKind.kind, names: place }) }}
          noRight={noRight}
        />
      );
  }
}
