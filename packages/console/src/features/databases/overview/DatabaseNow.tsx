/** The database's current metrics, each with its limit or last hour. Shows only measured values, never estimates. */
import type { Database } from '@slipway/contract/database/database.ts';
import { databaseMetrics, type DatabaseFigures } from '@slipway/contract/database/figures.ts';
import { Gauge } from '@slipway/ui/figures/Gauge.tsx';
import { MetricRow, type MetricReading } from '@slipway/ui/figures/MetricRow.tsx';
import { Spark } from '@slipway/ui/figures/Spark.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { useMemo } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { secondsOf, shareOf } from '#kit/chart/chart-frame.ts';
import { newest, short, withUnit } from '#kit/chart/figures.ts';
import { timeText } from '#kit/chart/time-ticks.ts';
import { gigabyte, hotShare, percentLabel, storageLabel } from '#features/databases/database-labels.ts';
import type { DatabasePlace } from '#features/databases/database-place.ts';
import css from './DatabaseNow.module.css';
import { shownOf, type MeasureKey } from './figures.ts';

const none = '–';
const pollMs = 30_000;
const hourSeconds = 3600;
/** As high as a sparkline, to avoid a layout shift when the sparkline loads. */
const room = <span className={css.room} />;

const gauge = (label: string, value: number, of: number) => (
  <span className={css.gauge}>
    <Gauge label={label} value={value} of={of} hotFrom={hotShare} />
  </span>
);

const size = ({ storageGb, status: { sizeBytes } }: Database): MetricReading => {
  const note = `of ${storageLabel(storageGb)}`;
  if (sizeBytes === null) return { label: 'Size', note, value: none, chart: room };
  const [value = none, unit = ''] = bytes(sizeBytes).split(' ');
  const share = sizeBytes / (storageGb * gigabyte);
  return {
    label: 'Size',
    note,
    value,
    unit: `${unit}, ${percentLabel(share)}`,
    chart: gauge(`${bytes(sizeBytes)} ${note}, ${percentLabel(share)}`, share, 1),
  };
};

const connections = ({ maxConnections, status }: Database, hour: DatabaseFigures | undefined): MetricReading => {
  const note = `of ${maxConnections.toLocaleString('en')}`;
  const { connections: now } = status;
  if (now === null) return { label: 'Connections', note, value: none, chart: room };
  const peak = Math.max(now, ...(hour?.points ?? []).map((point) => point.maxConnections ?? 0));
  return {
    label: 'Connections',
    note,
    value: now,
    unit: `peak ${peak.toLocaleString('en')} in 1 h`,
    chart: gauge(`${now} ${note} connections, peak of the last hour ${peak}`, now, maxConnections),
  };
};

type Sparks = (key: MeasureKey, label: string) => Pick<MetricReading, 'label' | 'value' | 'unit' | 'chart' | 'isEdge'>;
const sparksOf = (place: DatabasePlace, hour: DatabaseFigures | undefined): Sparks => {
  const shown = hour && shownOf(place, hour);
  return (key, label) => {
    const measure = shown?.measures.find((item) => item.key === key);
    if (!hour || !shown || !measure) return { label, value: none, chart: room };
    const { values } = shown.measured.rows[key];
    const value = newest(values);
    if (value === null) return { label, value: none, chart: room };
    const { times } = shown.measured.frame;
    return {
      label,
      value: short(value),
      unit: measure.unit,
      isEdge: true,
      chart: (
        <Spark
          label={`${measure.title}, the last hour`}
          values={[...values]}
          format={(of) => withUnit(measure, of)}
          timeOf={(index) => timeText(times[index] ?? 0, hourSeconds + 1)}
          markers={hour.markers.flatMap(({ at }) => shareOf(secondsOf(at), { from: times[0] ?? 0, to: times.at(-1) ?? 1 }) ?? [])}
          atLeast={measure.atLeast}
        />
      ),
    };
  };
};

const waiting: MetricReading[] = ['Size', 'Connections', 'Cache hits', 'Transactions', 'Rollbacks'].map((label) => ({
  label,
  value: none,
  chart: room,
}));

const deadlocks = (hour: DatabaseFigures | undefined): string => {
  const sum = (hour?.points ?? []).reduce((total, point) => total + (point.deadlocks ?? 0), 0);
  return sum === 0 ? 'no deadlocks' : `${sum} ${sum === 1 ? 'deadlock' : 'deadlocks'} in 1 h`;
};

/** Without a database, reserves the space of the metrics. */
export function DatabaseNow({ place, database }: { place: DatabasePlace; database: Database | undefined }) {
  const { app, env, database: name } = place;
  const params = useMemo(() => ({ app, env, database: name }), [app, env, name]);
  const { data: hour } = useQuery(databaseMetrics, { params, query: { range: '1h' } }, { pollMs, isAlwaysPolled: true });
  const spark = useMemo(() => sparksOf(params, hour), [params, hour]);
  if (!database) return <MetricRow label="Now" readings={waiting} />;
  return (
    <MetricRow
      label="Now"
      readings={[
        size(database),
        connections(database, hour),
        { ...spark('hits', 'Cache hits'), note: '1 h' },
        { ...spark('transactions', 'Transactions'), note: '1 h' },
        { ...spark('rollbacks', 'Rollbacks'), note: deadlocks(hour) },
      ]}
    />
  );
}
