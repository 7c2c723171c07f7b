/**
 * Forwards payloads to the OTLP/HTTP endpoint of their monitor. The queue is in memory and bounded: what waits when the process ends is
 * lost, and a monitor whose endpoint is down loses its oldest payloads first. Record 0099 says why.
 */
import type { Pool } from 'pg';
import type { Outgoing } from '#kernel/outgoing/outgoing.ts';
import { deliveryFailureOf, type Seals } from '#modules/deliveries/index.ts';
import type { Log } from '#ports/log.ts';
import type { KnownMonitor } from './known-monitors.ts';
import { otlpLogs, otlpTraces } from './otlp.ts';
import type { ReadPayload } from './payload.ts';

const MAX_QUEUED = 500;
const MAX_MONITORS = 200;
const MEGABYTE = 1024 * 1024;
const MAX_QUEUED_BYTES = 8 * MEGABYTE;
/** Limit of all queues together, with payloads that are being sent. */
const MAX_BYTES = 64 * MEGABYTE;
const MAX_BATCH = 50;
const GATHER_MS = 1000;
const TIMEOUT_MS = 10_000;
const RETRY_MS = [1000, 5000, 15_000, 60_000] as const;
const ANSWER_BYTES = 512;

interface Queued {
  /** Target of the payload. It is not sent if the monitor has another URL by then. */
  readonly url: string;
  readonly logs: object | undefined;
  readonly traces: readonly unknown[];
  readonly bytes: number;
}
interface Queue {
  monitor: KnownMonitor;
  items: Queued[];
  bytes: number;
  tries: number;
  dropped: number;
  isSending: boolean;
}
interface Target {
  readonly url: string;
  readonly sealed: Buffer | null;
}
interface Refused {
  readonly id: string;
  readonly url: string;
  count: number;
}

export interface ForwarderOptions {
  readonly pool: Pool;
  readonly outgoing: Outgoing;
  readonly seals: Seals;
  readonly log: Log;
  readonly retryMs?: readonly number[];
  readonly gatherMs?: number;
  /** Lower in tests. */
  readonly limits?: { readonly monitors?: number; readonly bytes?: number };
}

export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #queues = new Map<string, Queue>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Payloads of monitors that got no queue. */
  readonly #refused = new Map<string, Refused>();
  #bytes = 0;
  #isStopped = false;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** Queues a payload, if its monitor forwards. */
  add(monitor: KnownMonitor, payload: ReadPayload, body: unknown): void {
    const { forwardUrl: url } = monitor;
    if (url === null || this.#isStopped) return;
    const { gatherMs = GATHER_MS, limits: { monitors = MAX_MONITORS, bytes: most = MAX_BYTES } = {} } = this.#options;
    const known = this.#queues.get(monitor.id);
    if (!known && this.#queues.size >= monitors) {
      this.#refuse(monitor.id, url);
      return;
    }
    const queue = known ?? { monitor, items: [], bytes: 0, tries: 0, dropped: 0, isSending: false };
    queue.monitor = monitor;
    this.#queues.set(monitor.id, queue);
    const logs = otlpLogs(monitor, payload);
    const traces = otlpTraces(body);
    const item = { url, logs, traces, bytes: JSON.stringify([logs, traces]).length };
    queue.items.push(item);
    this.#count(queue, item.bytes);
    while (queue.items.length > MAX_QUEUED || (queue.items.length > 0 && (queue.bytes > MAX_QUEUED_BYTES || this.#bytes > most))) {
      this.#count(queue, -(queue.items.shift()?.bytes ?? 0));
      queue.dropped += 1;
    }
    if (!queue.isSending) this.#later(queue, gatherMs);
  }

  #count(queue: Queue, bytes: number): void {
    queue.bytes += bytes;
    this.#bytes += bytes;
  }

  /** Adds what was refused to the count that the page shows, some of it at a time. */
  #refuse(id: string, url: string): void {
    const key = `${id} ${url}`;
    const refused = this.#refused.get(key) ?? { id, url, count: 0 };
    refused.count += 1;
    this.#refused.set(key, refused);
    if (this.#refused.size > 1 || refused.count > 1) return;
    this.#after(this.#options.gatherMs ?? GATHER_MS, async () => {
      const all = [...this.#refused.values()];
      this.#refused.clear();
      for (const { id: monitorId, url: to, count } of all) await this.#addDropped(monitorId, to, count);
    });
  }

  async #addDropped(id: string, url: string | null, count: number): Promise<void> {
    if (count === 0) return;
    await this.#options.pool.query('update monitor set forward_dropped = forward_dropped + $3 where id = $1 and forward_url = $2', [
      id,
      url,
      count,
    ]);
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #after(ms: number, work: () => Promise<void>, failed?: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void work().catch((error: unknown) => {
        this.#options.log.warn({ err: error }, 'Forwarding of browser monitors failed');
        failed?.();
      });
    }, ms);
    timer.unref();
    this.#timers.add(timer);
  }

  #later(queue: Queue, ms: number): void {
    queue.isSending = true;
    this.#after(
      ms,
      () => this.#send(queue),
      () => this.#end(queue),
    );
  }

  #end(queue: Queue): void {
    queue.isSending = false;
    if (this.#isStopped) return;
    if (queue.items.length > 0) this.#later(queue, this.#options.gatherMs ?? GATHER_MS);
    else this.#queues.delete(queue.monitor.id);
  }

  async #send(queue: Queue): Promise<void> {
    const { retryMs = RETRY_MS } = this.#options;
    const target = await this.#targetOf(queue.monitor.id);
    // What was collected for a URL that was removed or replaced since goes nowhere.
    const items = queue.items.splice(0, MAX_BATCH).filter((item) => {
      if (item.url === target?.url) return true;
      this.#count(queue, -item.bytes);
      return false;
    });
    if (!target || items.length === 0) {
      queue.tries = 0;
      await this.#noteDropped(queue);
      this.#end(queue);
      return;
    }
    const failure = await this.#post(queue.monitor.id, target, items).catch((error: unknown) => {
      for (const { bytes } of items) this.#count(queue, -bytes);
      queue.dropped += items.length;
      throw error;
    });
    const wait = failure === undefined ? undefined : retryMs[queue.tries];
    const isDropped = failure !== undefined && (wait === undefined || failure.isFinal);
    if (failure !== undefined && !isDropped) {
      queue.tries += 1;
      queue.items.unshift(...items);
    } else {
      queue.tries = 0;
      for (const { bytes } of items) this.#count(queue, -bytes);
    }
    if (isDropped) queue.dropped += items.length;
    await this.#noteDropped(queue);
    await this.#noteFailure(queue.monitor.id, target.url, failure?.code ?? null);
    if (failure !== undefined && !isDropped && !this.#isStopped) this.#later(queue, wait ?? 0);
    else this.#end(queue);
  }

  /** Reads where the monitor forwards now. Returns undefined if it does not, or no longer exists. */
  async #targetOf(id: string): Promise<Target | undefined> {
    const { rows } = await this.#options.pool.query<Target>(
      'select forward_url as url, forward_authorization_sealed as sealed from monitor where id = $1 and forward_url is not null',
      [id],
    );
    return rows[0];
  }

  async #noteDropped(queue: Queue): Promise<void> {
    const { dropped } = queue;
    await this.#addDropped(queue.monitor.id, queue.monitor.forwardUrl, dropped);
    queue.dropped -= dropped;
  }

  async #noteFailure(id: string, url: string, failure: string | null): Promise<void> {
    await this.#options.pool.query(
      `update monitor set forward_failing_since = case when $2::text is null then null else coalesce(forward_failing_since, now()) end,
         forward_failure = $2
       where id = $1 and forward_url = $3 and forward_failure is distinct from $2`,
      [id, failure, url],
    );
  }

  async #post(id: string, { url, sealed }: Target, items: readonly Queued[]): Promise<{ code: string; isFinal: boolean } | undefined> {
    const logs = items.flatMap((item) => item.logs ?? []);
    const spans = items.flatMap(({ traces }) => traces);
    const bodies = [
      ...(logs.length > 0 ? [{ path: '/v1/logs', body: { resourceLogs: logs } }] : []),
      ...(spans.length > 0 ? [{ path: '/v1/traces', body: { resourceSpans: spans } }] : []),
    ];
    const { outgoing, seals } = this.#options;
    const authorization = sealed && (await seals.open(id, 'authorization', sealed));
    for (const { path, body } of bodies) {
      const result = await outgoing.send({
        url: new URL(`${url.replace(/\/$/, '')}${path}`),
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'Slipway-Collector/1', ...(authorization ? { authorization } : {}) },
        body: JSON.stringify(body),
        skipCertificateVerification: false,
        timeoutMs: TIMEOUT_MS,
        bodyBytes: ANSWER_BYTES,
      });
      const code = deliveryFailureOf(result);
      if (code !== undefined) {
        const { status = 0 } = result.answer ?? {};
        return { code, isFinal: status >= 400 && status < 500 && status !== 429 && status !== 408 };
      }
    }
    return undefined;
  }
}
