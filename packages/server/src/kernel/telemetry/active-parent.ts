/** The active context, if its span is still open and sampled. */
import { context, trace, type Context } from '@opentelemetry/api';
import { isTracingSuppressed } from '@opentelemetry/core';

/** Timers and connections that a request created keep its context after its end. They must not add spans to it. */
export const activeParent = (): Context | undefined => {
  const active = context.active();
  return trace.getSpan(active)?.isRecording() && !isTracingSuppressed(active) ? active : undefined;
};
