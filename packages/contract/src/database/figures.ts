/** What was measured of a database over time, and the statements that take its time. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';

export const databaseRanges = ['1h', '24h', '7d', '30d'] as const;
export type DatabaseRange = (typeof databaseRanges)[number];
const number = z.nullable(z.number());
export const DatabasePoint = z.object({
  /** The beginning of the step. A value that nobody measured is null: a gap, not a zero. */
  at: Instant,
  sizeBytes: number,
  /** The mean of the step, and the largest minute of it. */
  connections: number,
  maxConnections: number,
  /** 0 to 1: blocks that were found in memory. Null where none was read. */
  cacheHitRatio: number,
  transactionsPerSecond: number,
  /** Counted in this step. */
  rollbacks: number,
  deadlocks: number,
  tempBytes: number,
});
export type DatabasePoint = z.infer<typeof DatabasePoint>;
/** A revision of a service that reads the database's secret group began here. */
export const DatabaseMarker = z.object({ at: Instant, service: z.string(), revision: z.string(), type: z.string() });
export const DatabaseFigures = z.object({
  range: z.enum(databaseRanges),
  from: Instant,
  to: Instant,
  stepSeconds: z.number(),
  points: z.array(DatabasePoint),
  markers: z.array(DatabaseMarker),
  /** As it was measured last; null where nothing has been measured yet. */
  now: z.nullable(
    z.object({
      at: Instant,
      sizeBytes: z.number(),
      connections: z.number(),
      /** Sessions by the name that they give themselves; services are called by their name. */
      connectionsBy: z.array(z.object({ application: z.string(), connections: z.number() })),
    }),
  ),
  limits: z.object({ storageBytes: z.number(), maxConnections: z.number() }),
  /** Growth of the size over the range, by a line through it; null where less than a tenth of the range was measured. */
  growthBytesPerDay: number,
});
export type DatabaseFigures = z.infer<typeof DatabaseFigures>;

export const SlowQuery = z.object({
  /** Known to the server: the same statement with other values has the same id. */
  id: z.string(),
  /** Values are `$1`, `$2` …: nothing that was sent along. At most 2,000 characters. */
  text: z.string(),
  calls: z.number(),
  meanMs: z.number(),
  maxMs: z.number(),
  /** Null: pg_stat_statements does not know it. */
  p95Ms: number,
  totalMs: z.number(),
  /** 0 to 1, of the time of all statements of the database. */
  share: z.number(),
  rows: number,
});
export type SlowQuery = z.infer<typeof SlowQuery>;
export const SlowQueries = z.object({
  /** STATEMENTS: the server counts every statement (pg_stat_statements). NONE: it does not, and there is nothing to show. */
  source: z.enum(['STATEMENTS', 'NONE']),
  /** Since when it counts. */
  since: z.nullable(Instant),
  statements: z.array(SlowQuery),
});
export type SlowQueries = z.infer<typeof SlowQueries>;

const tag = 'Databases';
const one = '/api/v1/apps/{app}/{env}/databases/{database}';
const access = 'appMemberHidden';
const codes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'DatabaseDoesNotExist'] as const;
export const databaseMetrics = route({
  id: 'databaseMetrics',
  method: 'GET',
  path: `${one}/metrics`,
  summary: 'A database over time, with the deploys of the services that read its secret group',
  tag,
  access,
  query: z.object({ range: z._default(z.enum(databaseRanges), '1h') }),
  response: DatabaseFigures,
  codes: [...codes, 'InvalidValue'],
});
export const databaseSlowQueries = route({
  id: 'databaseSlowQueries',
  method: 'GET',
  path: `${one}/slow-queries`,
  summary: 'The statements that took most of the time, without values',
  tag,
  access,
  response: SlowQueries,
  codes: [...codes, 'EngineUnavailable'],
});
