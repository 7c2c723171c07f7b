/** Metrics of a service over time: CPU, memory, requests, errors; and the samples of its own metrics endpoint. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';

export const metricRanges = ['1h', '6h', '24h', '14d'] as const;
export type MetricRange = (typeof metricRanges)[number];
const number = z.nullable(z.number());
export const MetricPoint = z.object({
  /** Start of the step. Values without a measurement are null: a gap, not a zero. */
  at: Instant,
  /** Sums over all instances, and the maximum of a single instance. */
  cpuMillicores: number,
  memoryMegabytes: number,
  maxMemoryMegabytes: number,
  instances: number,
  /** Counted at the edge within this step. */
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
  /** Limits per instance. Null if the revision no longer has any. */
  limits: z.object({ cpuMillicores: number, memoryMegabytes: number }),
  /** Deploys, settings changes, rollbacks in the range. */
  markers: z.array(MetricMarker),
  /** The last scrape of the metrics endpoint. Null if scraping is disabled. */
  scrape: z.nullable(
    z.object({ at: z.nullable(Instant), isUp: z.boolean(), error: z.nullable(z.string()), samples: z.array(ScrapeSample) }),
  ),
});
export type MetricSeries = z.infer<typeof MetricSeries>;

const tag = 'Metrics';
const one = '/api/v1/apps/{app}/{env}/services/{service}';
const query = z.object({ range: z._default(z.enum(metricRanges), '1h') });
const codes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'ServiceDoesNotExist', 'InvalidValue'] as const;
const route = routesIn({ tag, access: 'signedIn' });
export const serviceMetrics = route('serviceMetrics', `GET ${one}/metrics`, {
  summary: 'A service over time, all revisions together',
  query,
  response: MetricSeries,
  codes,
});
export const revisionMetrics = route('revisionMetrics', `GET ${one}/revisions/{revision}/metrics`, {
  summary: "A revision's instances over time, with the service's requests",
  query,
  response: MetricSeries,
  codes: [...codes, 'RevisionDoesNotExist'],
});
export const serviceScrape = route('serviceScrape', `GET ${one}/metrics/scrape`, {
  summary: "What the service's metrics endpoint said last, in the Prometheus text format with labels of the platform",
  access: 'appMemberHidden',
  stream: 'text',
  codes: ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'ServiceDoesNotExist'],
});
