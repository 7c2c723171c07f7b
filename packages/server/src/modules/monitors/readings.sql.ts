/** Reads vitals and calls of monitors. Vitals and calls are read from counts, so their cost does not grow with the number of events. */
import { sql } from 'kysely';
import type { MonitorCall, MonitorRange, MonitorVitals, VitalsPerName } from '@slipway/contract/monitoring/readings.ts';
import { vitals, type Vital } from '@slipway/contract/monitoring/vitals.ts';
import type { Db } from '#db/database.ts';
import { percentile, type BinCount } from './histogram.ts';

const SHARE = 0.75;
const MAX_NAMES = 20;
const MAX_CALLS = 50;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Span {
  readonly step: 'HOUR' | 'DAY';
  readonly stepMs: number;
  readonly steps: number;
}
/** The current hour or day is the last step. */
const spans: Readonly<Record<MonitorRange, Span>> = {
  '24h': { step: 'HOUR', stepMs: HOUR_MS, steps: 24 },
  '7d': { step: 'HOUR', stepMs: HOUR_MS, steps: 7 * 24 },
  '30d': { step: 'DAY', stepMs: DAY_MS, steps: 30 },
};
interface Bounds extends Span {
  readonly from: Date;
  readonly before: Date;
}
const boundsOf = (range: MonitorRange, now: Date): Bounds => {
  const span = spans[range];
  const end = Math.floor(now.getTime() / span.stepMs + 1) * span.stepMs;
  return { ...span, from: new Date(end - span.steps * span.stepMs), before: new Date(end - 2 * span.steps * span.stepMs) };
};

const isVital = (metric: string): metric is Vital => vitals.some((vital) => vital === metric);
/** CLS is counted in thousandths. Two digits are enough for it, and none for milliseconds. */
const shown = (metric: string, value: number | null): number | null => {
  if (value === null) return null;
  return metric === 'CLS' ? Math.round(value / 10) / 100 : Math.round(value);
};
const p75 = (metric: string, bins: readonly BinCount[]): number | null => shown(metric, percentile(bins, SHARE));
const p75s = (rows: readonly { readonly metric: string; readonly bin: number; readonly n: number }[]): Partial<Record<Vital, number>> =>
  Object.fromEntries(
    vitals.flatMap((vital) => {
      const value = p75(
        vital,
        rows.filter(({ metric }) => metric === vital),
      );
      return value === null ? [] : [[vital, value]];
    }),
  );
const sumOf = (rows: readonly { readonly n: number }[]): number => rows.reduce((sum, { n }) => sum + n, 0);

interface Count extends BinCount {
  readonly metric: string;
  readonly rating: number;
}
type At = Count & { readonly at: Date };

const wholeCounts = async (db: Db, monitor: string, { step, before }: Bounds): Promise<At[]> => {
  const { rows } = await sql<At>`select metric, at, bin, rating, n from monitor_count
    where monitor_id = ${monitor} and step = ${step} and dimension = '' and name = '' and metric <> 'CALL' and at >= ${before}`.execute(db);
  return rows;
};

const grouped = <Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> => {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
};

/** The most viewed names of a dimension. Days are enough for ranges of several days. */
const perName = async (
  db: Db,
  monitor: string,
  dimension: 'page' | 'release',
  range: MonitorRange,
  now: Date,
): Promise<VitalsPerName[]> => {
  const { step, from } = boundsOf(range, now);
  const isDays = range !== '24h';
  const since = isDays ? new Date(Math.floor(from.getTime() / DAY_MS + 1) * DAY_MS) : from;
  const of = sql`monitor_id = ${monitor} and step = ${isDays ? 'DAY' : step} and dimension = ${dimension}`;
  const { rows } = await sql<Count & { name: string }>`with busiest as (
      select name, sum(n) as views from monitor_count where ${of} and metric in ('VIEW', 'LCP') and at >= ${since}
      group by name order by views desc, name limit ${MAX_NAMES})
    select name, metric, bin, 0 as rating, sum(n)::integer as n from monitor_count join busiest using (name)
    where ${of} and at >= ${since} group by name, metric, bin`.execute(db);
  return [...grouped(rows, ({ name }) => name)]
    .map(([name, counts]) => ({
      name,
      views: sumOf(counts.filter(({ metric }) => metric === 'VIEW')),
      errors: sumOf(counts.filter(({ metric }) => metric === 'ERROR')),
      p75: p75s(counts),
    }))
    .toSorted((a, b) => b.views - a.views || (a.name < b.name ? -1 : 1));
};

export const readVitals = async (db: Db, monitor: string, range: MonitorRange, now = new Date()): Promise<MonitorVitals> => {
  const bounds = boundsOf(range, now);
  const all = await wholeCounts(db, monitor, bounds);
  const current = all.filter(({ at }) => at >= bounds.from);
  const before = all.filter(({ at }) => at < bounds.from);
  const of = (rows: readonly At[], metric: string): At[] => rows.filter((row) => row.metric === metric);
  const rated = (metric: string, rating: number): number => sumOf(of(current, metric).filter((row) => row.rating === rating));
  const byTime = grouped(
    current.filter(({ metric }) => isVital(metric)),
    ({ at }) => at.toISOString(),
  );
  const times = Array.from({ length: bounds.steps }, (_, index) => new Date(bounds.from.getTime() + index * bounds.stepMs).toISOString());
  return {
    range,
    stepSeconds: bounds.stepMs / 1000,
    vitals: vitals.map((vital) => ({
      vital,
      p75: p75(vital, of(current, vital)),
      before: p75(vital, of(before, vital)),
      good: rated(vital, 0),
      needsImprovement: rated(vital, 1),
      poor: rated(vital, 2),
    })),
    views: sumOf(of(current, 'VIEW')),
    errors: sumOf(of(current, 'ERROR')),
    sessions: sumOf(of(current, 'SESSION')),
    points: times.map((at) => ({ at, p75: p75s(byTime.get(at) ?? []) })),
    pages: await perName(db, monitor, 'page', range, now),
    releases: await perName(db, monitor, 'release', range, now),
  };
};

export const readCalls = async (db: Db, monitor: string, range: MonitorRange, now = new Date()): Promise<MonitorCall[]> => {
  const { step, from } = boundsOf(range, now);
  const isDays = range !== '24h';
  const { rows } = await sql<Count & { name: string }>`select name, metric, bin, rating, sum(n)::integer as n from monitor_count
    where monitor_id = ${monitor} and step = ${isDays ? 'DAY' : step} and dimension = 'call' and metric = 'CALL'
      and at >= ${isDays ? new Date(Math.floor(from.getTime() / DAY_MS + 1) * DAY_MS) : from}
    group by name, metric, bin, rating`.execute(db);
  return [...grouped(rows, ({ name }) => name)]
    .map(([name, counts]) => ({
      name,
      count: sumOf(counts),
      failed: sumOf(counts.filter(({ rating }) => rating === 2)),
      p75: p75('CALL', counts) ?? 0,
    }))
    .toSorted((a, b) => b.p75 - a.p75)
    .slice(0, MAX_CALLS);
};
