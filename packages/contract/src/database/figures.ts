/** Metrics of a database over time, and its most expensive statements. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';

export const databaseRanges = ['1h', '24h', '7d', '30d'] as const;
export type DatabaseRange = (typeof databaseRanges)[number];
const number = z.nullable(z.number());
export const DatabasePoint = z.object({
  /** Start of the step. Values without a measurement are null: a gap, not a zero. */
  at: Instant,
  sizeBytes: number,
  /** Mean of the step, and the maximum minute in it. */
  connections: number,
  maxConnections: number,
  /** Share of blocks found in memory, 0 to 1. Null if no block was read. */
  cacheHitRatio: number,
  transactionsPerSecond: number,
  /** Counts within this step. */
  rollbacks: number,
  deadlocks: number,
  tempBytes: number,
});
export type DatabasePoint = z.infer<typeof DatabasePoint>;
/** Start of a revision of a service that reads the database's secret group. */
export const DatabaseMarker = z.object({ at: Instant, service: z.string(), revision: z.string(), type: z.string() });
export const DatabaseFigures = z.object({
  range: z.enum(databaseRanges),
  from: Instant,
  to: Instant,
  stepSeconds: z.number(),
  points: z.array(DatabasePoint),
  markers: z.array(DatabaseMarker),
  /** Latest measurement. Null before the first. */
  now: z.nullable(
    z.object({
      at: Instant,
      sizeBytes: z.number(),
      connections: z.number(),
      /** Sessions by application name, which is the name of the service by default. */
      connectionsBy: z.array(z.object({ application: z.string(), connections: z.number() })),
    }),
  ),
  limits: z.object({ storageBytes: z.number(), maxConnections: z.number() }),
  /** Growth of the size over the range, by linear fit. Null if less than a tenth of the range was measured. */
  growthBytesPerDay: number,
});
export type DatabaseFigures = z.infer<typeof DatabaseFigures>;

export const SlowQuery = z.object({
  /** The server's id of the statement: independent of the values. */
  id: z.string(),
  /** Contains `$1`, `$2` … instead of values. At most 2,000 characters. */
  text: z.string(),
  calls: z.number(),
  meanMs: z.number(),
  maxMs: z.number(),
  /** Null, because pg_stat_statements does not report percentiles. */
  p95Ms: number,
  totalMs: z.number(),
  /** Share of the time of all statements of the database, 0 to 1. */
  share: z.number(),
  rows: number,
});
export type SlowQuery = z.infer<typeof SlowQuery>;
export const SlowQueries = z.object({
  /** STATEMENTS: the server counts every statement (pg_stat_statements). NONE: it does not, and there is no data. */
  source: z.enum(['STATEMENTS', 'NONE']),
  /** Start of the counting. */
  since: z.nullable(Instant),
  statements: z.array(SlowQuery),
});
export type SlowQueries = z.infer<typeof SlowQueries>;

const tag = 'Databases';
const one = '/api/v1/apps/{app}/{env}/databases/{database}';
const access = 'appMemberHidden';
const codes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'DatabaseDoesNotExist'] as const;
export const databaseMetrics = route('databaseMetrics', `GET ${one}/metrics`, {
  summary: 'A database over time, with the deploys of the services that read its secret group',
  tag,
  access,
  query: z.object({ range: z._default(z.enum(databaseRanges), '1h') }),
  response: DatabaseFigures,
  codes: [...codes, 'InvalidValue'],
});
export const databaseSlowQueries = route('databaseSlowQueries', `GET ${one}/slow-queries`, {
  summary: 'The statements that took most of the time, without values',
  tag,
  access,
  response: SlowQueries,
  codes: [...codes, 'EngineUnavailable'],
});
