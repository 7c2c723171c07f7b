/** Traces that instances of a service sent within the last day. Texts come from the service: show them as text only. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';

export const SlowCall = z.object({
  name: z.string(),
  slowestMs: z.number(),
  medianMs: z.number(),
  /** Stored calls. Sampling keeps failed calls, the slowest calls, and a tenth of the others. */
  stored: z.number(),
  failed: z.number(),
  /** Trace of the slowest call. */
  traceId: z.string(),
});
export type SlowCall = z.infer<typeof SlowCall>;
export const FailedCall = z.object({
  name: z.string(),
  message: z.string(),
  at: Instant,
  durationMs: z.number(),
  traceId: z.string(),
});
export type FailedCall = z.infer<typeof FailedCall>;
export const ServiceTraces = z.object({
  /** One entry per name, at most 20, the slowest first. */
  slowest: z.array(SlowCall),
  /** At most 20, the newest first. */
  failed: z.array(FailedCall),
  /** True if the team has stored its spans of today, so that further spans are refused. */
  isFull: z.boolean(),
});
export type ServiceTraces = z.infer<typeof ServiceTraces>;

export const TraceSpan = z.object({
  id: z.string(),
  parent: z.nullable(z.string()),
  service: z.string(),
  revision: z.string(),
  name: z.string(),
  /** SpanKind of OpenTelemetry, 0 to 5. */
  kind: z.number(),
  /** Milliseconds after the start of the trace. */
  offsetMs: z.number(),
  durationMs: z.number(),
  isError: z.boolean(),
  message: z.string(),
  attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
export type TraceSpan = z.infer<typeof TraceSpan>;
/** Most spans of a trace that are shown. */
export const maxTraceSpans = 500;
export const ServiceTrace = z.object({ traceId: z.string(), startedAt: Instant, spans: z.array(TraceSpan), isCut: z.boolean() });
export type ServiceTrace = z.infer<typeof ServiceTrace>;

const one = '/api/v1/apps/{app}/{env}/services/{service}';
const codes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'ServiceDoesNotExist'] as const;
const route = routesIn({ tag: 'Traces', access: 'appMemberHidden' });
export const serviceTraceList = route('serviceTraceList', `GET ${one}/traces`, {
  summary: 'The slowest and the failed calls of the last day',
  response: ServiceTraces,
  codes,
});
export const serviceTraceView = route('serviceTraceView', `GET ${one}/traces/{traceId}`, {
  summary: "One trace: the spans that services of the app sent, this service's first",
  response: ServiceTrace,
  codes: [...codes, 'TraceDoesNotExist'],
});
