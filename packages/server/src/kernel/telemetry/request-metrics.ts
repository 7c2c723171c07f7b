/** Counts requests and their durations by route and status class. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metric, Sample } from './metric.ts';

/** Upper bounds of the buckets. */
const SECONDS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10];

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  count: number;
  sum: number;
  /** Observations by bucket, not cumulative. */
  readonly buckets: number[];
}

interface NamedRoute {
  readonly id: string;
  readonly stream?: unknown;
}

/** Requests that ended before a route was found: files of the console, unknown paths, refused hosts and floods. */
const NO_ROUTE = 'other';

export class RequestMetrics {
  readonly #series = new Map<string, Series>();
  readonly #routes = new WeakMap<IncomingMessage, NamedRoute>();

  /** `prefix` names requests of engines that are served below it. */
  watch(request: IncomingMessage, response: ServerResponse, prefix: string | undefined): void {
    const startedAt = performance.now();
    response.once('close', () => {
      const { id, stream } = this.#routes.get(request) ?? { id: prefix ?? NO_ROUTE, stream: undefined };
      const status = response.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : 'aborted';
      this.#add(id, status, stream === undefined ? (performance.now() - startedAt) / 1000 : undefined);
    });
  }

  named(request: IncomingMessage, route: NamedRoute): void {
    this.#routes.set(request, route);
  }

  /** How long a stream stays open says nothing about the server, so streams have no duration. */
  #add(route: string, status: string, seconds: number | undefined): void {
    const key = `${route} ${status}`;
    const series = this.#series.get(key) ?? { labels: { route, status }, count: 0, sum: 0, buckets: SECONDS.map(() => 0) };
    this.#series.set(key, series);
    series.count += 1;
    if (seconds === undefined) return;
    series.sum += seconds;
    const bucket = SECONDS.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
  }

  metrics(): readonly Metric[] {
    const all = [...this.#series.values()];
    return [
      {
        name: 'slipway_http_requests_total',
        help: 'Requests to this replica by route and status class. The route of an engine is its path.',
        type: 'counter',
        samples: all.map(({ labels, count }) => [labels, count]),
      },
      {
        name: 'slipway_http_request_duration_seconds',
        help: 'Time from the head of a request to the end of its response. Without streams.',
        type: 'histogram',
        samples: all.filter(({ sum }) => sum > 0).flatMap(histogramOf),
      },
    ];
  }
}

const histogramOf = ({ labels, count, sum, buckets }: Series): Sample[] => {
  let below = 0;
  const bounded = SECONDS.map((bound, index): Sample => {
    below += buckets[index] ?? 0;
    return [{ ...labels, le: String(bound) }, below, '_bucket'];
  });
  return [...bounded, [{ ...labels, le: '+Inf' }, count, '_bucket'], [labels, sum, '_sum'], [labels, count, '_count']];
};
