/** The overview of a database: metrics, slow queries, newest backups, connections and settings. */
import type { Database } from '@slipway/contract/database/database.ts';
import { BackupsPanel } from '#features/databases/backups/BackupsPanel.tsx';
import { SlowQueriesPanel } from '#features/databases/queries/SlowQueriesPanel.tsx';
import type { DatabasePlace } from '#features/databases/database-place.ts';
import { ConnectionPanel } from './ConnectionPanel.tsx';
import { DatabaseNow } from './DatabaseNow.tsx';
import { FiguresOverTime, useFigures } from './FiguresOverTime.tsx';
import { FullNotices } from './FullNotices.tsx';
import { SettingsSummary } from './SettingsSummary.tsx';

export interface OverviewProps {
  place: DatabasePlace;
  database: Database | undefined;
  team: string;
}

export function Overview({ place, database, team }: OverviewProps) {
  const figures = useFigures(place);
  return (
    <>
      <DatabaseNow place={place} database={database} />
      {database && <FullNotices place={place} database={database} figures={figures.data} />}
      <div className="split split-side">
        <div className="stack stack-24">
          <FiguresOverTime place={place} query={figures} />
          <SlowQueriesPanel place={place} isShort />
          <BackupsPanel place={place} database={database} team={team} isShort />
        </div>
        <aside className="stack" aria-label="About this database">
          <ConnectionPanel place={place} database={database} />
          {database && <SettingsSummary place={place} database={database} />}
        </aside>
      </div>
    </>
  );
}
