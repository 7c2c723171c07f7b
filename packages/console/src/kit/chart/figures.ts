/** Describes a set of charts: the value, unit and limit of each metric, and how values are formatted. */
import { frameOf, type Frame, type Timed } from './chart-frame.ts';

export interface MeasureLook<Key extends string = string> {
  readonly key: Key;
  readonly title: string;
  /** Shown beside the title, and after the value if it is a word. */
  readonly unit: string;
  /** Lowest top of the scale. */
  readonly atLeast: number;
  /** Highest top of the scale, for bounded metrics. */
  readonly atMost?: number;
}
export interface Measure<Key extends string, Point, Limits> extends MeasureLook<Key> {
  readonly read: (point: Point, stepSeconds: number) => number | null;
  /** The limit in the same unit; null if there is none. */
  readonly limit?: (point: Point, limits: Limits) => number | null;
}

/** Formats with about three digits: 0.25, 4.1, 412, 12.4k. */
export const short = (value: number): string => {
  if (value >= 10_000) return `${(value / 1000).toLocaleString('en', { maximumFractionDigits: 1 })}k`;
  return value.toLocaleString('en', { maximumFractionDigits: value < 1 ? 2 : value < 10 ? 1 : 0 });
};
export const withUnit = ({ unit }: Pick<MeasureLook, 'unit'>, value: number | null): string =>
  value === null ? 'not measured' : `${short(value)} ${unit}`;

/** Returns the newest value that is not null. */
export const newest = (values: readonly (number | null)[]): number | null => values.findLast((value) => value !== null) ?? null;

export interface MeasuredRow {
  readonly values: readonly (number | null)[];
  readonly limit: readonly (number | null)[] | undefined;
}
export interface Measured<Key extends string = string> {
  readonly frame: Frame<Timed>;
  readonly rows: Readonly<Record<Key, MeasuredRow>>;
  /** True if there are any samples. */
  readonly isAny: boolean;
}

export const measuredBy = <Key extends string, Point extends Timed, Limits>(
  measures: readonly Measure<Key, Point, Limits>[],
  { points, stepSeconds, limits }: { readonly points: readonly Point[]; readonly stepSeconds: number; readonly limits: Limits },
): Measured<Key> => {
  const frame = frameOf(points, stepSeconds);
  const rows = measures.map(({ key, read, limit }): [Key, MeasuredRow] => [
    key,
    {
      values: frame.points.map((point) => (point ? read(point, stepSeconds) : null)),
      limit: limit && frame.points.map((point) => (point ? limit(point, limits) : null)),
    },
  ]);
  return {
    frame,
    rows: Object.fromEntries(rows) as Measured<Key>['rows'],
    isAny: rows.some(([, { values }]) => values.some((value) => value !== null)),
  };
};
