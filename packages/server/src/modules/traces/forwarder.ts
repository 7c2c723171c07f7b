/**
 * Passes payloads on to the company's collector after they were stored, as they arrived. Headers name the sender, because names in a payload
 * may be wrong. The queue is in memory and bounded, so a slow collector slows no service.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#ports/log.ts';
import type { Sender } from './span-writer.ts';

export interface TraceCollector {
  /** URL that accepts spans as OTLP over HTTP. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
export interface Payload {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

const MEGABYTE = 1024 * 1024;
/** Payloads that are being sent, also those that wait for their next attempt. */
const MAX_BYTES = { team: 8 * MEGABYTE, inAll: 32 * MEGABYTE };
const MAX_REQUESTS = { team: 16, inAll: 64 };
const TIMEOUT_MS = 10_000;
const RETRY_MS = [1000, 5000];
const LOG_EVERY_MS = 60_000;

interface Held {
  bytes: number;
  requests: number;
}

export class TraceForwarder {
  readonly #collector: TraceCollector;
  readonly #log: Log;
  readonly #retryMs: readonly number[];
  readonly #teams = new Map<string, Held>();
  readonly #all: Held = { bytes: 0, requests: 0 };
  readonly #stop = new AbortController();
  #loggedAt = -Infinity;
  /** Payloads that the collector did not get. */
  dropped = 0;

  constructor(collector: TraceCollector, log: Log, retryMs: readonly number[] = RETRY_MS) {
    this.#collector = collector;
    this.#log = log;
    this.#retryMs = retryMs;
  }

  add(sender: Sender, payload: Payload): void {
    const team = this.#teams.get(sender.teamId) ?? { bytes: 0, requests: 0 };
    const { byteLength: bytes } = payload.body;
    const isFull =
      team.bytes + bytes > MAX_BYTES.team ||
      this.#all.bytes + bytes > MAX_BYTES.inAll ||
      team.requests >= MAX_REQUESTS.team ||
      this.#all.requests >= MAX_REQUESTS.inAll;
    if (isFull) return this.#drop('The collector is too slow');
    this.#teams.set(sender.teamId, team);
    const count = (by: 1 | -1): void => {
      for (const held of [team, this.#all]) [held.bytes, held.requests] = [held.bytes + by * bytes, held.requests + by];
      if (team.requests === 0) this.#teams.delete(sender.teamId);
    };
    count(1);
    void this.#send(sender, payload)
      .catch((error: unknown) => this.#drop(error))
      .finally(() => count(-1));
  }

  stop(): void {
    this.#stop.abort();
  }

  async #send({ teamId, app, environment, service, revision }: Sender, { body, type }: Payload): Promise<void> {
    const headers = {
      ...this.#collector.headers,
      'content-type': type,
      'x-slipway-team': teamId,
      'x-slipway-app': app,
      'x-slipway-environment': environment,
      'x-slipway-service': service,
      'x-slipway-revision': revision,
    };
    for (const waitMs of [...this.#retryMs, undefined]) {
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const failure = await fetch(this.#collector.url, { method: 'POST', headers, body, signal, redirect: 'error' }).then(
        async (answer) => {
          await answer.body?.cancel();
          if (answer.ok) return undefined;
          return { reason: `It answered ${answer.status}`, isFinal: answer.status < 500 && answer.status !== 429 };
        },
        (error: unknown) => ({ reason: error, isFinal: false }),
      );
      if (!failure) return;
      if (failure.isFinal || waitMs === undefined) return this.#drop(failure.reason);
      await delay(waitMs, undefined, { signal: this.#stop.signal });
    }
  }

  #drop(reason: unknown): void {
    this.dropped += 1;
    if (this.#stop.signal.aborted || performance.now() - this.#loggedAt < LOG_EVERY_MS) return;
    this.#loggedAt = performance.now();
    this.#log.warn({ err: reason, dropped: this.dropped }, 'The collector did not get traces of services');
  }
}
