/** Adds a span to each SQL statement of a traced request or step. Intercepts queries, so that nothing is added while tracing is off. */
import { SpanKind, SpanStatusCode, trace, type Attributes, type SpanContext, type SpanStatus } from '@opentelemetry/api';
import { millisToHrTime, type InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import { RandomIdGenerator, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { interceptQueries } from '#db/connections.ts';
import { errorCode } from '#kernel/caught.ts';
import { activeParent } from './active-parent.ts';
import { statementText } from './statement-text.ts';

const textOf = (first: unknown): string | undefined => {
  if (typeof first === 'string') return first;
  if (typeof first !== 'object' || first === null) return undefined;
  // Streams such as COPY and cursors return before the statement has ended.
  return 'text' in first && typeof first.text === 'string' && !('submit' in first) ? first.text : undefined;
};

const rowsOf = (result: unknown): number =>
  typeof result === 'object' && result !== null && 'rowCount' in result && typeof result.rowCount === 'number' ? result.rowCount : 0;

/** Receives finished spans of this process. */
export interface SpanSink {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  readonly onEnd: (span: ReadableSpan) => void;
}

/** A statement that is under way. */
interface Begun {
  readonly parent: SpanContext;
  readonly operation: string;
  readonly text: string;
  readonly database: string;
  readonly atMs: number;
  readonly startedAtMs: number;
}

const UNSET = { code: SpanStatusCode.UNSET };
const NONE: never[] = [];
const ids = new RandomIdGenerator();

/**
 * Makes the span of a statement that has ended. Most spans are of statements, and none of them has children or changes while it is open.
 * So it needs no tracer, which prepares for both.
 */
const spanOf = (begun: Begun, attributes: Attributes, status: SpanStatus, { resource, scope }: SpanSink): ReadableSpan => {
  const { parent, operation, atMs, startedAtMs } = begun;
  const durationMs = performance.now() - startedAtMs;
  const spanContext = { traceId: parent.traceId, spanId: ids.generateSpanId(), traceFlags: parent.traceFlags };
  return {
    name: operation,
    kind: SpanKind.CLIENT,
    spanContext: () => spanContext,
    parentSpanContext: parent,
    startTime: millisToHrTime(atMs),
    endTime: millisToHrTime(atMs + durationMs),
    duration: millisToHrTime(durationMs),
    ended: true,
    status,
    attributes,
    links: NONE,
    events: NONE,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
};

const end = (begun: Begun, error: unknown, result: unknown, sink: SpanSink): void => {
  const attributes: Attributes = { 'db.system.name': 'postgresql', 'db.namespace': begun.database, 'db.query.text': begun.text };
  if (error === undefined || error === null) {
    attributes['db.response.returned_rows'] = rowsOf(result);
    return sink.onEnd(spanOf(begun, attributes, UNSET, sink));
  }
  const code = errorCode(error) ?? 'error';
  attributes['error.type'] = code;
  sink.onEnd(spanOf(begun, attributes, { code: SpanStatusCode.ERROR, message: code }, sink));
};

/** Returns a function that removes the spans again. */
export const traceStatements = (sink: SpanSink): (() => void) =>
  interceptQueries(
    (original) =>
      function (...args) {
        const active = activeParent();
        const parent = active && trace.getSpanContext(active);
        const sql = parent && textOf(args[0]);
        // The start of a transaction says nothing. Its commit may take long.
        if (!parent || sql === undefined || sql === 'begin') return original.apply(this, args);
        const { text, operation } = statementText(sql);
        const begun = { parent, operation, text, database: this.database ?? '', atMs: Date.now(), startedAtMs: performance.now() };
        const done = args.at(-1);
        if (typeof done === 'function') {
          args[args.length - 1] = (error: unknown, result: unknown): void => {
            end(begun, error, result, sink);
            done(error, result);
          };
          return original.apply(this, args);
        }
        const answer = original.apply(this, args);
        if (answer instanceof Promise)
          answer.then(
            (result) => end(begun, undefined, result, sink),
            (error: unknown) => end(begun, error, undefined, sink),
          );
        return answer;
      },
  );
