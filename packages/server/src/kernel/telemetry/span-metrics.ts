/** Counts of the platform's own traces. */
import type { Metric } from './metric.ts';
import type { SpanCounts } from './span-gate.ts';

export const spanMetrics = ({ exported, full, failed }: SpanCounts): readonly Metric[] => [
  {
    name: 'slipway_trace_spans_exported_total',
    help: 'Spans that the trace collector accepted.',
    type: 'counter',
    samples: [[{}, exported]],
  },
  {
    name: 'slipway_trace_spans_dropped_total',
    help: 'Spans that were lost: the queue was full, or the collector did not accept them.',
    type: 'counter',
    samples: [
      [{ reason: 'queue_full' }, full],
      [{ reason: 'not_accepted' }, failed],
    ],
  },
];
