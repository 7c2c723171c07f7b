/** The six metrics of a service: how each is read from a point, its unit, and its limit. */
import type { MetricPoint, MetricSeries } from '@slipway/contract/service/metrics.ts';
import { secondsOf } from '#kit/chart/chart-frame.ts';
import { measuredBy, type Measure, type Measured } from '#kit/chart/figures.ts';
import type { ChartMarker } from '#kit/chart/TimeChart.tsx';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { reasonName } from '#features/services/service-labels.ts';

type Limits = MetricSeries['limits'];

type Key = 'requests' | 'errors' | 'p95' | 'cpu' | 'memory' | 'instances';
export type ServiceMeasure = Measure<Key, MetricPoint, Limits>;

const perMinute = (count: number | null, stepSeconds: number): number | null =>
  count === null || stepSeconds <= 0 ? null : (count * 60) / stepSeconds;
const times = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a * b);

export const measures: readonly ServiceMeasure[] = [
  { key: 'requests', title: 'Requests', unit: 'per min', read: ({ requests }, step) => perMinute(requests, step), atLeast: 4 },
  { key: 'errors', title: 'Errors, 5xx', unit: 'per min', read: ({ errors }, step) => perMinute(errors, step), atLeast: 4 },
  { key: 'p95', title: 'p95', unit: 'ms', read: ({ p95Ms }) => p95Ms, atLeast: 10 },
  {
    key: 'cpu',
    title: 'CPU, all instances',
    unit: 'm',
    read: ({ cpuMillicores }) => cpuMillicores,
    limit: ({ instances }, limits) => (instances === 0 ? null : times(limits.cpuMillicores, instances)),
    atLeast: 10,
  },
  {
    key: 'memory',
    title: 'Memory, the fullest',
    unit: 'MB',
    read: ({ maxMemoryMegabytes }) => maxMemoryMegabytes,
    limit: ({ instances }, limits) => (instances === null || instances === 0 ? null : limits.memoryMegabytes),
    atLeast: 10,
  },
  { key: 'instances', title: 'Instances', unit: 'ready', read: ({ instances }) => instances, atLeast: 2 },
];

export const measuredOf = ({ points, stepSeconds, limits }: Pick<MetricSeries, 'points' | 'stepSeconds' | 'limits'>): Measured<Key> =>
  measuredBy(measures, { points, stepSeconds, limits });

/** Marks on the time axis: each new revision, and its reason. */
export const markersOf = (place: ServiceRef, markers: MetricSeries['markers']): ChartMarker[] =>
  markers.map(({ at, revision, type, text }) => ({
    at: secondsOf(at),
    label: `${revision}, ${reasonName(type).toLowerCase()}${text ? `: ${text.split('\n')[0]}` : ''}`,
    href: paths.revision({ ...place, revision }),
  }));
