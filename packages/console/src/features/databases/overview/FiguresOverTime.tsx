/** Database metrics over four ranges, with deploys of the services that read the database, and when its storage will be full. */
import { databaseMetrics, databaseRanges, type DatabaseFigures, type DatabaseRange } from '@slipway/contract/database/figures.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { useMemo } from 'react';
import { FiguresPanel, useFigureRange } from '#kit/chart/FiguresPanel.tsx';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { dayLabel, fullOn } from '#features/databases/database-labels.ts';
import type { DatabasePlace } from '#features/databases/database-place.ts';
import { measuresOf, shownOf } from './figures.ts';

const rangeNames: Readonly<Record<DatabaseRange, string>> = { '1h': '1 h', '24h': '24 h', '7d': '7 d', '30d': '30 d' };
/** The server adds a point every minute. */
const pollMs = 30_000;
const unmeasured = measuresOf({ points: [], limits: { storageBytes: 0, maxConnections: 0 } });

export const useFigures = (place: DatabasePlace): QueryResult<typeof databaseMetrics> => {
  const range = useFigureRange(databaseRanges);
  return useQuery(databaseMetrics, { params: { ...place }, query: { range } }, { pollMs, isAlwaysPolled: true, keepPreviousData: true });
};

/** Growth below one megabyte per day is not worth a note. */
const leastGrowth = 1024 ** 2;
const noteOf = ({ now, growthBytesPerDay, limits: { storageBytes } }: DatabaseFigures): string | undefined => {
  if (now === null || growthBytesPerDay === null || growthBytesPerDay < leastGrowth) return undefined;
  const grows = `+ ${bytes(growthBytesPerDay)} a day`;
  const full = fullOn({ sizeBytes: now.sizeBytes, storageBytes, growthBytesPerDay }, new Date(now.at));
  return full ? `${grows}, full about ${dayLabel(full)} at this pace` : grows;
};

export function FiguresOverTime({ place, query }: { place: DatabasePlace; query: QueryResult<typeof databaseMetrics> }) {
  const range = useFigureRange(databaseRanges);
  const { data } = query;
  const { app, env } = place;
  const shown = useMemo(() => data && shownOf({ app, env }, data), [data, app, env]);
  return (
    <FiguresPanel
      title="Figures"
      isNarrow
      measures={shown?.measures ?? unmeasured}
      ranges={databaseRanges.map((name) => ({ range: name, label: rangeNames[name] }))}
      range={range}
      shown={shown}
      query={query}
      note={data && noteOf(data)}
      empty={
        <EmptyState
          kind="first-use"
          isCompact
          title={range === '1h' ? 'No figures yet: they are taken every minute' : 'No figures for this range yet'}
        >
          Size, connections and what the server does are shown here, with the deploys of the services that use it.
        </EmptyState>
      }
    />
  );
}
