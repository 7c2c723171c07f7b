/** Trace contexts in the format of W3C Trace Context: `00-{trace id}-{span id}-{flags}`. */
import { isSpanContextValid, ROOT_CONTEXT, trace, type Context, type SpanContext } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';

export const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

/**
 * Returns the context of a `traceparent`, or the root context if there is none. A remote context names the trace, but does not decide
 * whether the trace is sampled: any client may send one.
 */
export const contextOf = (traceparent: string | null | undefined, isRemote: boolean): Context => {
  const parsed = traceparent ? parseTraceParent(traceparent) : null;
  return parsed && isSpanContextValid(parsed) ? trace.setSpanContext(ROOT_CONTEXT, { ...parsed, isRemote }) : ROOT_CONTEXT;
};
