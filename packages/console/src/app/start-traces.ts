/**
 * Records a span for each request of the console, and sends the spans with Faro's payloads. Loaded by start-faro.ts if the platform records
 * traces. The spans continue the trace of the click (record 0103), so the trace id of an error banner finds them.
 */
import type { Faro } from '@grafana/faro-web-sdk';
import { FaroTraceExporter, TracingInstrumentation } from '@grafana/faro-web-tracing';
import { ROOT_CONTEXT, trace, TraceFlags, type Context } from '@opentelemetry/api';
import { BatchSpanProcessor, StackContextManager, type ReadableSpan } from '@opentelemetry/sdk-trace-web';
import { traceHeaders } from '#kit/api/trace.ts';

/** Specification §9. */
const batches = { maxExportBatchSize: 10, scheduledDelayMillis: 5000, maxQueueSize: 2048, exportTimeoutMillis: 30_000 };

/** Requests outside of another span belong to the click. */
class ClickContext extends StackContextManager {
  override active(): Context {
    const context = super.active();
    if (context !== ROOT_CONTEXT) return context;
    const [, traceId = '', spanId = ''] = traceHeaders()['traceparent']?.split('-') ?? [];
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
  }
}

/** Spans name the session, and neither a person nor a query: the collector forwards them as they are. */
class SpanBatches extends BatchSpanProcessor {
  readonly #api: Faro['api'];
  constructor(api: Faro['api']) {
    super(new FaroTraceExporter({ api }), batches);
    this.#api = api;
  }
  override onEnd(span: ReadableSpan): void {
    const { attributes } = span;
    if (typeof attributes['url.full'] === 'string') attributes['url.full'] = attributes['url.full'].replace(/[?#].*/, '');
    attributes['session.id'] = this.#api.getSession()?.id ?? '';
    super.onEnd(span);
  }
}

export const startTraces = (faro: Faro): void =>
  faro.instrumentations.add(new TracingInstrumentation({ spanProcessor: new SpanBatches(faro.api), contextManager: new ClickContext() }));
