/** Metrics of this replica's process, with the names that Prometheus clients use. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metric } from './metric.ts';

const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;

type LoopDelays = ReturnType<typeof monitorEventLoopDelay>;
let delays: LoopDelays | undefined;

/** The timer that measures the event loop starts with the first scrape. */
const loopDelays = (): LoopDelays => {
  if (!delays) {
    delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delays.enable();
  }
  return delays;
};

/** Returns how late the event loop was, without the timer's own interval. */
const lateSeconds = (nanoseconds: number): number => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000) || 0;

const gauge = (name: string, help: string, value: number): Metric => ({ name, help, type: 'gauge', samples: [[{}, value]] });

export const processMetrics = (): readonly Metric[] => {
  const loop = loopDelays();
  const { user, system } = process.cpuUsage();
  const { heapTotal, heapUsed, rss } = process.memoryUsage();
  const metrics: Metric[] = [
    gauge('process_resident_memory_bytes', 'Resident memory of this replica.', rss),
    gauge('nodejs_heap_size_used_bytes', 'Heap in use.', heapUsed),
    gauge('nodejs_heap_size_total_bytes', 'Heap that is reserved.', heapTotal),
    gauge('process_uptime_seconds', 'Time since the start.', process.uptime()),
    gauge('process_start_time_seconds', 'Start of the process, in seconds since 1970.', Math.round(performance.timeOrigin) / 1000),
    { name: 'process_cpu_seconds_total', help: 'CPU time of the process.', type: 'counter', samples: [[{}, (user + system) / 1e6]] },
    gauge('nodejs_eventloop_lag_mean_seconds', 'Mean delay of the event loop since the last scrape.', lateSeconds(loop.mean)),
    gauge(
      'nodejs_eventloop_lag_p99_seconds',
      '99th percentile of the delay of the event loop since the last scrape.',
      lateSeconds(loop.percentile(99)),
    ),
    gauge('nodejs_eventloop_lag_max_seconds', 'Longest delay of the event loop since the last scrape.', lateSeconds(loop.max)),
  ];
  loop.reset();
  return metrics;
};
