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
const MAX_QUEUED_BYTES = 8 * 1024 * 1024;
const MAX_BATCH = 50;
const GATHER_MS = 1000;
const TIMEOUT_MS = 10_000;
const RETRY_MS = [1000, 5000, 15_000, 60_000] as const;
const ANSWER_BYTES = 512;

interface Queued {
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

export interface ForwarderOptions {
  readonly pool: Pool;
  readonly outgoing: Outgoing;
  readonly seals: Seals;
  readonly log: Log;
  readonly retryMs?: readonly number[];
  readonly gatherMs?: number;
}

export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #queues = new Map<string, Queue>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isStopped = false;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** Queues a payload, if its monitor forwards. */
  add(monitor: KnownMonitor, payload: ReadPayload, body: unknown): void {
    if (monitor.forwardUrl === null || this.#isStopped) return;
    const known = this.#queues.get(monitor.id);
    if (!known && this.#queues.size >= MAX_MONITORS) return;
    const queue = known ?? { monitor, items: [], bytes: 0, tries: 0, dropped: 0, isSending: false };
    queue.monitor = monitor;
    this.#queues.set(monitor.id, queue);
    const logs = otlpLogs(monitor, payload);
    const traces = otlpTraces(body);
    const item = { logs, traces, bytes: JSON.stringify([logs, traces]).length };
    queue.items.push(item);
    queue.bytes += item.bytes;
    while (queue.items.length > MAX_QUEUED || queue.bytes > MAX_QUEUED_BYTES) {
      queue.bytes -= queue.items.shift()?.bytes ?? 0;
      queue.dropped += 1;
    }
    if (!queue.isSending) this.#later(queue, this.#options.gatherMs ?? GATHER_MS);
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #later(queue: Queue, ms: number): void {
    queue.isSending = true;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#send(queue).catch((error: unknown) => {
        this.#options.log.warn({ err: error, monitor: queue.monitor.name }, 'Forwarding of a browser monitor failed');
        this.#end(queue);
      });
    }, ms);
    timer.unref();
    this.#timers.add(timer);
  }

  #end(queue: Queue): void {
    queue.isSending = false;
    if (this.#isStopped) return;
    if (queue.items.length > 0) this.#later(queue, this.#options.gatherMs ?? GATHER_MS);
    else this.#queues.delete(queue.monitor.id);
  }

  async #send(queue: Queue): Promise<void> {
    const { retryMs = RETRY_MS } = this.#options;
    const items = queue.items.splice(0, MAX_BATCH);
    queue.bytes -= items.reduce((sum, { bytes }) => sum + bytes, 0);
    const failure = await this.#post(queue.monitor, items);
    const wait = failure === undefined ? undefined : retryMs[queue.tries];
    const isDropped = failure !== undefined && (wait === undefined || failure.isFinal);
    if (failure !== undefined && !isDropped) {
      queue.tries += 1;
      queue.items.unshift(...items);
      queue.bytes += items.reduce((sum, { bytes }) => sum + bytes, 0);
    } else queue.tries = 0;
    if (isDropped) queue.dropped += items.length;
    await this.#note(queue, failure?.code ?? null);
    if (failure !== undefined && !isDropped && !this.#isStopped) this.#later(queue, wait ?? 0);
    else this.#end(queue);
  }

  async #note(queue: Queue, failure: string | null): Promise<void> {
    const { id, forwardUrl } = queue.monitor;
    const { dropped } = queue;
    queue.dropped = 0;
    await this.#options.pool.query(
      `update monitor set forward_failing_since = case when $2::text is null then null else coalesce(forward_failing_since, now()) end,
         forward_failure = $2, forward_dropped = forward_dropped + $3
       where id = $1 and forward_url = $4 and (forward_failure is distinct from $2 or $3 > 0)`,
      [id, failure, dropped, forwardUrl],
    );
  }

  async #post(monitor: KnownMonitor, items: readonly Queued[]): Promise<{ code: string; isFinal: boolean } | undefined> {
    const logs = items.flatMap((item) => item.logs ?? []);
    const spans = items.flatMap(({ traces }) => traces);
    const bodies = [
      ...(logs.length > 0 ? [{ path: '/v1/logs', body: { resourceLogs: logs } }] : []),
      ...(spans.length > 0 ? [{ path: '/v1/traces', body: { resourceSpans: spans } }] : []),
    ];
    const { outgoing, seals } = this.#options;
    const sealed = monitor.forwardAuthorization;
    const authorization = sealed && (await seals.open(monitor.id, 'authorization', sealed));
    for (const { path, body } of bodies) {
      const result = await outgoing.send({
        url: new URL(`${(monitor.forwardUrl ?? '').replace(/\/$/, '')}${path}`),
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
