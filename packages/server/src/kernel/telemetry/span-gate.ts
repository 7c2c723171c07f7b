/** Limits the spans that wait for the collector, and counts the spans that were sent and dropped. */
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Log } from '#ports/log.ts';
import { collectorLog } from './collector-log.ts';

export interface SpanCounts {
  exported: number;
  /** The queue was full. */
  full: number;
  /** The collector did not accept the span. */
  failed: number;
}

const SUCCESS = 0;

export class SpanGate {
  readonly counts: SpanCounts = { exported: 0, full: 0, failed: 0 };
  readonly #maxWaiting: number;
  readonly #logOutcome: ReturnType<typeof collectorLog>;
  #waiting = 0;

  constructor(maxWaiting: number, log: Log) {
    this.#maxWaiting = maxWaiting;
    this.#logOutcome = collectorLog(log, 'spans');
  }

  /** Passes spans on while fewer than the limit wait. The limit includes the batch that is being sent. */
  processor(next: SpanProcessor): SpanProcessor {
    return {
      onStart: (span, context) => next.onStart(span, context),
      onEnd: (span) => {
        if (this.#waiting >= this.#maxWaiting) {
          this.counts.full += 1;
          return;
        }
        this.#waiting += 1;
        next.onEnd(span);
      },
      forceFlush: () => next.forceFlush(),
      shutdown: () => next.shutdown(),
    };
  }

  exporter(next: SpanExporter): SpanExporter {
    return {
      export: (spans, done) =>
        next.export(spans, (result) => {
          this.#settled(spans, result.code === SUCCESS ? undefined : (result.error ?? new Error('The collector refused the spans')));
          // The batch processor would report each failure to a global handler. The gate has reported it.
          done({ code: SUCCESS });
        }),
      shutdown: () => next.shutdown(),
    };
  }

  #settled({ length }: readonly ReadableSpan[], error: Error | undefined): void {
    this.#waiting -= length;
    this.counts[error ? 'failed' : 'exported'] += length;
    this.#logOutcome(error);
  }
}
