/** Sends spans to an OTLP collector. Loaded only if a collector is configured. */
import { hostname } from 'node:os';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import { errorMessage } from '#kernel/caught.ts';
import type { Log } from '#ports/log.ts';
import { activeParent } from './active-parent.ts';
import { traceCalls } from './client-spans.ts';
import { samplerOf } from './sampler.ts';
import { SpanGate, type SpanCounts } from './span-gate.ts';
import { traceStatements } from './sql-spans.ts';
import type { TelemetryConfig } from './telemetry-config.ts';
import { contextOf, traceparentOf } from './traceparent.ts';
import { setTracing, type RouteName, type SpanDetails, type Tracing } from './tracing.ts';

/** Spans that may wait for the collector, some 2 MB. */
const MAX_WAITING = 4096;
const BATCH = 512;
/** Short, because spans that survive a few garbage collections are expensive to free. */
const EVERY_MS = 500;
const SHUTDOWN_MS = 2000;
const FIRST_SERVER_ERROR = 500;

const failSpan = (span: Span, reason: string): void => void span.setStatus({ code: SpanStatusCode.ERROR, message: reason });

interface Traced {
  readonly active: Context;
  readonly response: ServerResponse;
  readonly end: () => void;
}

class OpenTelemetry implements Tracing {
  readonly #tracer: Tracer;
  readonly #requests = new WeakMap<IncomingMessage, Traced>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  inSpan<T>(name: string, { kind, parent, attributes }: SpanDetails, work: () => Promise<T>): Promise<T> {
    const from = parent ? contextOf(parent, false) : (activeParent() ?? (parent === null ? ROOT_CONTEXT : undefined));
    if (!from) return work();
    const options = { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, ...(attributes && { attributes }) };
    const span = this.#tracer.startSpan(name, options, from);
    return context.with(trace.setSpan(from, span), async () => {
      try {
        return await work();
      } catch (error) {
        failSpan(span, errorMessage(error));
        throw error;
      } finally {
        span.end();
      }
    });
  }

  request(request: IncomingMessage, response: ServerResponse, next: () => void): void {
    const header = request.headers['traceparent'];
    const from = contextOf(typeof header === 'string' ? header : undefined, true);
    const attributes = { 'http.request.method': request.method ?? '' };
    const span = this.#tracer.startSpan(request.method ?? 'HTTP', { kind: SpanKind.SERVER, attributes }, from);
    const active = trace.setSpan(from, span);
    const end = (): void => {
      if (!span.isRecording()) return;
      span.setAttribute('http.response.status_code', response.statusCode);
      if (response.statusCode >= FIRST_SERVER_ERROR) failSpan(span, String(response.statusCode));
      span.end();
    };
    this.#requests.set(request, { active, response, end });
    response.once('close', end);
    context.with(active, next);
  }

  resume<T>(request: IncomingMessage, work: () => T): T {
    const traced = this.#requests.get(request);
    return traced ? context.with(traced.active, work) : work();
  }

  named(request: IncomingMessage, { id, path, stream }: RouteName): void {
    const traced = this.#requests.get(request);
    if (!traced) return;
    trace.getSpan(traced.active)?.updateName(`${request.method} ${path}`).setAttributes({ 'http.route': path, 'slipway.route': id });
    if (stream === 'events') traced.response.once('pipe', traced.end);
  }

  failed(reason: string): void {
    const span = trace.getActiveSpan();
    if (span) failSpan(span, reason);
  }

  traceId(): string | undefined {
    return openSpan()?.traceId;
  }

  traceparent(): string | undefined {
    const span = openSpan();
    return span && traceparentOf(span);
  }
}

/** The active span, unless it has ended: timers and connections outlive the request that created them. A span that is not sampled never ends. */
const openSpan = (): SpanContext | undefined => {
  const span = trace.getActiveSpan();
  const active = span?.spanContext();
  return active && (span?.isRecording() || (active.traceFlags & TraceFlags.SAMPLED) === 0) ? active : undefined;
};

export interface Telemetry {
  readonly counts: SpanCounts;
  /** Sends the spans that wait, for at most two seconds. */
  close(): Promise<void>;
}

/** Turns tracing on for this process. `exporter` replaces the collector in tests. */
export const startTelemetry = (
  { url, headers, serviceName, sampler, samplerArg }: TelemetryConfig,
  { version, log, exporter }: { readonly version: string; readonly log: Log; readonly exporter?: SpanExporter },
): Telemetry => {
  const gate = new SpanGate(MAX_WAITING, log);
  const resource = defaultResource()
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(
      resourceFromAttributes({
        'service.name': serviceName,
        'service.version': version,
        'service.instance.id': `${hostname()}:${process.pid}`,
      }),
    );
  const batches = new BatchSpanProcessor({
    exporter: gate.exporter(exporter ?? new OTLPTraceExporter({ url, headers })),
    maxQueueSize: MAX_WAITING,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: EVERY_MS,
  });
  const provider = new TracerProvider({ resource, sampler: samplerOf(sampler, samplerArg), spanProcessors: [gate.processor(batches)] });
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  const tracer = provider.getTracer('slipway', version);
  const stops = [traceStatements(tracer), traceCalls(tracer)];
  setTracing(new OpenTelemetry(tracer));
  return {
    counts: gate.counts,
    close: async () => {
      setTracing(undefined);
      for (const stop of stops) stop();
      await Promise.race([provider.shutdown().catch(() => {}), delay(SHUTDOWN_MS, undefined, { ref: false })]);
      context.disable();
    },
  };
};
