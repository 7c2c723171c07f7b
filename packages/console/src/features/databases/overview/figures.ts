/** Database metrics with units that fit the size. Each shows its limit only if the value is near enough. */
import type { DatabaseFigures, DatabasePoint } from '@slipway/contract/database/figures.ts';
import { secondsOf } from '#kit/chart/chart-frame.ts';
import type { ShownFigures } from '#kit/chart/FiguresPanel.tsx';
import { measuredBy, type Measure } from '#kit/chart/figures.ts';
import { paths, type AppRef } from '#entities/paths.ts';
import { gigabyte } from '#features/databases/database-labels.ts';

export type MeasureKey = 'size' | 'connections' | 'hits' | 'transactions' | 'rollbacks' | 'temp';
type Limits = DatabaseFigures['limits'];
export type DatabaseMeasure = Measure<MeasureKey, DatabasePoint, Limits>;

const megabyte = 1024 ** 2;
/** Below a quarter of the limit, drawing the limit line would flatten the curve. The gauge above shows the share. */
const nearShare = 0.25;

const highest = (values: readonly (number | null)[]): number => Math.max(0, ...values.filter((value) => value !== null));
const scaled = (value: number | null, factor: number): number | null => (value === null ? null : value * factor);

export const measuresOf = ({ points, limits }: Pick<DatabaseFigures, 'points' | 'limits'>): readonly DatabaseMeasure[] => {
  const size = highest(points.map(({ sizeBytes }) => sizeBytes));
  const connections = highest(points.map(({ maxConnections }) => maxConnections));
  const isLarge = size >= gigabyte;
  const unit = isLarge ? gigabyte : megabyte;
  return [
    {
      key: 'size',
      title: 'Size',
      unit: isLarge ? 'GB' : 'MB',
      read: ({ sizeBytes }) => scaled(sizeBytes, 1 / unit),
      ...(size >= limits.storageBytes * nearShare ? { limit: (_, { storageBytes }) => storageBytes / unit } : {}),
      atLeast: isLarge ? 1 : 10,
    },
    {
      key: 'connections',
      title: 'Connections',
      unit: 'peak',
      read: ({ maxConnections }) => maxConnections,
      ...(connections >= limits.maxConnections * nearShare ? { limit: (_, { maxConnections }) => maxConnections } : {}),
      atLeast: 4,
    },
    { key: 'hits', title: 'Cache hits', unit: '%', read: ({ cacheHitRatio }) => scaled(cacheHitRatio, 100), atLeast: 100, atMost: 100 },
    { key: 'transactions', title: 'Transactions', unit: 'per s', read: ({ transactionsPerSecond }) => transactionsPerSecond, atLeast: 1 },
    {
      key: 'rollbacks',
      title: 'Rollbacks',
      unit: 'per min',
      read: ({ rollbacks }, step) => scaled(rollbacks, 60 / step),
      atLeast: 4,
    },
    { key: 'temp', title: 'Temporary files', unit: 'MB', read: ({ tempBytes }) => scaled(tempBytes, 1 / megabyte), atLeast: 10 },
  ];
};

/** Deploys of the services that read the database's group. */
const markersOf = ({ app, env }: AppRef, markers: DatabaseFigures['markers']): ShownFigures<MeasureKey>['markers'] =>
  markers.map(({ at, service, revision }) => ({
    at: secondsOf(at),
    label: `${revision} was deployed`,
    href: paths.revision({ app, env, service, revision }),
  }));

export interface DatabaseShown extends ShownFigures<MeasureKey> {
  readonly measures: readonly DatabaseMeasure[];
}
export const shownOf = (place: AppRef, figures: DatabaseFigures): DatabaseShown => {
  const measures = measuresOf(figures);
  return {
    measures,
    measured: measuredBy(measures, figures),
    whole: { from: secondsOf(figures.from), to: secondsOf(figures.to) },
    markers: markersOf(place, figures.markers),
  };
};
