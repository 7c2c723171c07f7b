/** What was measured of a service over time: CPU, memory, requests, errors; and what its own metrics endpoint said. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';

export const metricRanges = ['1h', '6h', '24h', '14d'] as const;
export type MetricRange = (typeof metricRanges)[number];
const number = z.nullable(z.number());
export const MetricPoint = z.object({
  /** The beginning of the step. A value that nobody measured is null: a gap, not a zero. */
  at: Instant,
  /** Sums over the instances, and the largest of one instance. */
  cpuMillicores: number,
  memoryMegabytes: number,
  maxMemoryMegabytes: number,
  instances: number,
  /** Counted at the edge in this step. */
  requests: number,
  errors: number,
  p95Ms: number,
});
export type MetricPoint = z.infer<typeof MetricPoint>;
export const MetricMarker = z.object({ at: Instant, revision: z.string(), type: z.string(), text: z.nullable(z.string()) });
export const ScrapeSample = z.object({
  name: z.string(),
  type: z.string(),
  help: z.nullable(z.string()),
  labels: z.record(z.string(), z.string()),
  value: z.number(),
});
export const MetricSeries = z.object({
  range: z.enum(metricRanges),
  from: Instant,
  to: Instant,
  stepSeconds: z.number(),
  points: z.array(MetricPoint),
  /** Of one instance; null where the revision has none any more. */
  limits: z.object({ cpuMillicores: number, memoryMegabytes: number }),
  /** Deploys, settings changes, rollbacks in the range. */
  markers: z.array(MetricMarker),
  /** The last look at the metrics endpoint; null where it is not switched on. */
  scrape: z.nullable(
    z.object({ at: z.nullable(Instant), isUp: z.boolean(), error: z.nullable(z.string()), samples: z.array(ScrapeSample) }),
  ),
});
export type MetricSeries = z.infer<typeof MetricSeries>;

const tag = 'Metrics';
const one = '/api/v1/apps/{app}/{env}/services/{service}';
const query = z.object({ range: z._default(z.enum(metricRanges), '1h') });
const codes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'ServiceDoesNotExist', 'InvalidValue'] as const;
export const serviceMetrics = route({
  id: 'serviceMetrics',
  method: 'GET',
  path: `${one}/metrics`,
  summary: 'A service over time, all revisions together',
  tag,
  access: 'signedIn',
  query,
  response: MetricSeries,
  codes,
});
export const revisionMetrics = route({
  id: 'revisionMetrics',
  method: 'GET',
  path: `${one}/revisions/{revision}/metrics`,
  summary: "A revision's instances over time, with the service's requests",
  tag,
  access: 'signedIn',
  query,
  response: MetricSeries,
  codes: [...codes, 'RevisionDoesNotExist'],
});
export const serviceScrape = route({
  id: 'serviceScrape',
  method: 'GET',
  path: `${one}/metrics/scrape`,
  summary: "What the service's metrics endpoint said last, in the Prometheus text format with labels of the platform",
  tag,
  access: 'appMemberHidden',
  stream: 'text',
  codes: ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'ServiceDoesNotExist'],
});
