/** The service's current metrics with context. Shows only measured values, never estimates. */
import type { Service } from '@slipway/contract/service/service.ts';
import { InstanceDots, type Berth } from '@slipway/ui/figures/InstanceDots.tsx';
import { MetricRow, type MetricReading } from '@slipway/ui/figures/MetricRow.tsx';
import { Spark } from '@slipway/ui/figures/Spark.tsx';
import { megabytes } from '@slipway/ui/format/bytes.ts';
import { serviceMetrics } from '@slipway/contract/service/metrics.ts';
import { useMemo } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { secondsOf, shareOf } from '#kit/chart/chart-frame.ts';
import { withUnit } from '#kit/chart/figures.ts';
import { timeText } from '#kit/chart/time-ticks.ts';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { measuredOf, measures, type ServiceMeasure } from '#features/services/metrics/measures.ts';
import css from './ServiceCurrentMetrics.module.css';

const none = '–';
const berthsShown = 10;

const berthsOf = (ready: number, wanted: number): Berth[] =>
  Array.from({ length: Math.min(berthsShown, Math.max(wanted, ready)) }, (_, index) => (index < ready ? 'ready' : 'starting'));

const number = (value: number | null): string => (value === null ? none : value.toLocaleString('en', { maximumFractionDigits: 1 }));

const instances = ({ active, status: { replicasReady, replicasWanted } }: Service): MetricReading => ({
  label: 'Instances',
  note: `wanted ${active ? replicasWanted : 0}`,
  value: `${replicasReady} of ${replicasWanted}`,
  unit: 'ready',
  chart: (
    <span className={css.chart}>
      <InstanceDots berths={berthsOf(replicasReady, replicasWanted)} />
    </span>
  ),
});

const memory = ({ status: { memoryMegabytes }, spec: { resources } }: Service): MetricReading => ({
  label: 'Memory',
  note: `of ${megabytes(resources.memoryMegabytes)}`,
  value: memoryMegabytes === null ? none : Math.round(memoryMegabytes),
  unit: memoryMegabytes === null ? undefined : 'MB, the fullest',
});

/** Without requests there is no latency, even if the last minute reports zero. */
const p95 = ({ p95Ms: ms, requestsPerMinute }: Service['status']): Pick<MetricReading, 'value' | 'unit'> => {
  if (ms === null || !requestsPerMinute) return { value: none, ...(requestsPerMinute === 0 ? { unit: 'no requests' } : {}) };
  return ms < 1000 ? { value: Math.round(ms), unit: 'ms' } : { value: (ms / 1000).toFixed(2), unit: 's' };
};

const errorUnit = ({ errorsPerMinute: errors, requestsPerMinute: requests }: Service['status']): string | undefined => {
  if (errors === null) return undefined;
  return requests ? `per min, ${((errors / requests) * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %` : 'per min';
};

/** As high as a sparkline, to avoid a layout shift when the sparkline loads. */
const room = <span className={css.room} />;
const waiting: MetricReading[] = [
  { label: 'Instances', value: none, chart: room },
  { label: 'Requests', note: '1 h', value: none, chart: room },
  { label: 'Errors', note: '5xx', value: none, chart: room },
  { label: 'p95', note: 'response time', value: none, chart: room },
  { label: 'Memory', value: none, chart: room },
];

const sparkMs = 15_000;
const hourSeconds = 3600;
type Sparks = (key: ServiceMeasure['key']) => Pick<MetricReading, 'chart' | 'isEdge' | 'href'>;

/** The last hour of each metric, with a link to the full chart. */
const useSparks = ({ app, env, service }: ServiceRef): Sparks => {
  const { data } = useQuery(
    serviceMetrics,
    { params: { app, env, service }, query: { range: '1h' } },
    { pollMs: sparkMs, isAlwaysPolled: true },
  );
  const measured = useMemo(() => data && measuredOf(data), [data]);
  const href = paths.service({ app, env, service }, 'metrics');
  return (key) => {
    const measure = measures.find((item) => item.key === key);
    if (!data || !measured?.isAny || !measure) return { chart: room, href };
    const { times } = measured.frame;
    const span = { from: times[0] ?? 0, to: times.at(-1) ?? 1 };
    return {
      href,
      isEdge: true,
      chart: (
        <Spark
          label={`${measure.title}, the last hour`}
          values={[...measured.rows[key].values]}
          format={(value) => withUnit(measure, value)}
          timeOf={(index) => timeText(times[index] ?? 0, hourSeconds + 1)}
          markers={data.markers.flatMap(({ at }) => shareOf(secondsOf(at), span) ?? [])}
          atLeast={measure.atLeast}
        />
      ),
    };
  };
};

/** Without a service, reserves the space of the metrics. */
export function ServiceCurrentMetrics({ place, service }: { place: ServiceRef; service: Service | undefined }) {
  const sparks = useSparks(place);
  if (!service) return <MetricRow label="Now" readings={waiting} />;
  const { requestsPerMinute, errorsPerMinute } = service.status;
  return (
    <MetricRow
      label="Now"
      readings={[
        instances(service),
        {
          label: 'Requests',
          note: '1 h',
          value: number(requestsPerMinute),
          unit: requestsPerMinute === null ? undefined : 'per min',
          ...sparks('requests'),
        },
        { label: 'Errors', note: '5xx', value: number(errorsPerMinute), unit: errorUnit(service.status), ...sparks('errors') },
        { label: 'p95', note: 'response time', ...p95(service.status), ...sparks('p95') },
        { ...memory(service), ...sparks('memory') },
      ]}
    />
  );
}
