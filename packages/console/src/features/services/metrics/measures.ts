/** The six measures of a service: what each takes of a point, its unit, and the limit it is seen against. */
import type { MetricPoint, MetricSeries } from '@slipway/contract/service/metrics.ts';
import { frameOf, type Frame, secondsOf } from '#kit/chart/chart-frame.ts';
import type { ChartMarker } from '#kit/chart/TimeChart.tsx';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { reasonName } from '#features/services/service-labels.ts';

type Limits = MetricSeries['limits'];

export interface Measure {
  readonly key: 'requests' | 'errors' | 'p95' | 'cpu' | 'memory' | 'instances';
  readonly title: string;
  /** Beside the title, and after the value where it is a word of its own. */
  readonly unit: string;
  readonly read: (point: MetricPoint, stepSeconds: number) => number | null;
  /** Of the same unit; null where there is none. */
  readonly limit?: (point: MetricPoint, limits: Limits) => number | null;
  /** What the limit is, for the list of marks. */
  readonly limitName?: string;
  /** Lowest top of the scale. */
  readonly atLeast: number;
}

const perMinute = (count: number | null, stepSeconds: number): number | null =>
  count === null || stepSeconds <= 0 ? null : (count * 60) / stepSeconds;
const times = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a * b);

export const measures: readonly Measure[] = [
  { key: 'requests', title: 'Requests', unit: 'per min', read: ({ requests }, step) => perMinute(requests, step), atLeast: 4 },
  { key: 'errors', title: 'Errors, 5xx', unit: 'per min', read: ({ errors }, step) => perMinute(errors, step), atLeast: 4 },
  { key: 'p95', title: 'p95', unit: 'ms', read: ({ p95Ms }) => p95Ms, atLeast: 10 },
  {
    key: 'cpu',
    title: 'CPU, all instances',
    unit: 'm',
    read: ({ cpuMillicores }) => cpuMillicores,
    limit: ({ instances }, limits) => (instances === 0 ? null : times(limits.cpuMillicores, instances)),
    limitName: 'limit of all instances together',
    atLeast: 10,
  },
  {
    key: 'memory',
    title: 'Memory, the fullest',
    unit: 'MB',
    read: ({ maxMemoryMegabytes }) => maxMemoryMegabytes,
    limit: ({ instances }, limits) => (instances === null || instances === 0 ? null : limits.memoryMegabytes),
    limitName: 'limit of one instance',
    atLeast: 10,
  },
  { key: 'instances', title: 'Instances', unit: 'ready', read: ({ instances }) => instances, atLeast: 2 },
];

/** Three digits are enough for eyes: 0.25, 4.1, 412, 12.4k. */
export const short = (value: number): string => {
  if (value >= 10_000) return `${(value / 1000).toLocaleString('en', { maximumFractionDigits: 1 })}k`;
  return value.toLocaleString('en', { maximumFractionDigits: value < 1 ? 2 : value < 10 ? 1 : 0 });
};
export const withUnit = ({ unit }: Pick<Measure, 'unit'>, value: number | null): string =>
  value === null ? 'not measured' : `${short(value)} ${unit}`;

export interface MeasuredRow {
  readonly values: readonly (number | null)[];
  readonly limit: readonly (number | null)[] | undefined;
}
export interface Measured {
  readonly frame: Frame<MetricPoint>;
  readonly rows: Readonly<Record<Measure['key'], MeasuredRow>>;
  /** Whether anything was measured at all. */
  readonly isAny: boolean;
}

export const measuredOf = ({ points, stepSeconds, limits }: Pick<MetricSeries, 'points' | 'stepSeconds' | 'limits'>): Measured => {
  const frame = frameOf(points, stepSeconds);
  const rows = measures.map(({ key, read, limit }): [Measure['key'], MeasuredRow] => [
    key,
    {
      values: frame.points.map((point) => (point ? read(point, stepSeconds) : null)),
      limit: limit && frame.points.map((point) => (point ? limit(point, limits) : null)),
    },
  ]);
  return {
    frame,
    rows: Object.fromEntries(rows) as Measured['rows'],
    isAny: rows.some(([, { values }]) => values.some((value) => value !== null)),
  };
};

/** The newest value that was measured. */
export const newest = (values: readonly (number | null)[]): number | null => values.findLast((value) => value !== null) ?? null;

/** Marks on the time axis: which revision came, and by what. */
export const markersOf = (place: ServiceRef, markers: MetricSeries['markers']): ChartMarker[] =>
  markers.map(({ at, revision, type, text }) => ({
    at: secondsOf(at),
    label: `${revision}, ${reasonName(type).toLowerCase()}${text ? `: ${text.split('\n')[0]}` : ''}`,
    href: paths.revision({ ...place, revision }),
  }));
