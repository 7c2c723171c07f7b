/** Open streams by client key. A stream holds at most one unsent payload: a slow reader gets the newest one when it has read the last. */
import type { ServerResponse } from 'node:http';
import type { Payload } from './payloads.ts';

/** Interval of comments, which keep proxies from closing idle streams. */
const PING_MS = 20_000;
/** A reader that takes nothing for this long is disconnected. */
const STUCK_MS = 60_000;
/** Streams written in one turn of the event loop. */
const AT_ONCE = 250;
/** Clients of remote keys call the server after an event, so the event is spread over this time. */
const REMOTE_SPREAD_MS = 600;
const RECONNECT_MS = { least: 1000, spread: 9000 };
const PING = Buffer.from(': ping\n\n');

interface Stream {
  readonly response: ServerResponse;
  /** Sent when the reader has taken what it was sent. */
  behind: Payload | undefined;
  stuckSince: number | undefined;
}

const isFull = ({ response }: Stream): boolean => response.writableNeedDrain;

export class FlagStreams {
  readonly #byKey = new Map<string, Set<Stream>>();
  #ping: NodeJS.Timeout | undefined;
  #size = 0;

  start(): void {
    this.#ping = setInterval(() => void this.#keepAlive(), PING_MS).unref();
  }

  open(
    clientKey: string,
    response: ServerResponse,
    isRemote: boolean,
    { payload, lastEventId }: { payload: Payload; lastEventId: string | undefined },
  ): void {
    const stream: Stream = { response, behind: undefined, stuckSince: undefined };
    const streams = this.#byKey.get(clientKey) ?? new Set();
    this.#byKey.set(clientKey, streams.add(stream));
    this.#size += 1;
    response.on('drain', () => {
      const { behind } = stream;
      stream.behind = undefined;
      stream.stuckSince = undefined;
      if (behind) response.write(behind.event);
    });
    response.once('close', () => {
      this.#size -= 1;
      streams.delete(stream);
      if (streams.size === 0 && this.#byKey.get(clientKey) === streams) this.#byKey.delete(clientKey);
    });
    // Browsers wait this long before they connect again. Each waits for another time.
    response.write(`retry: ${RECONNECT_MS.least + Math.floor(Math.random() * RECONNECT_MS.spread)}\n\n`);
    // The payload may have changed between the client's request and its stream, or while it was disconnected.
    if (lastEventId === payload.etag.slice(1, -1)) return;
    if (isRemote) setTimeout(() => this.#send(stream, payload), Math.random() * RECONNECT_MS.least).unref();
    else this.#send(stream, payload);
  }

  /** Sends the payload to all streams of the key, in turns, so that other requests are answered in between. */
  async publish(clientKey: string, newest: () => Payload | undefined, isRemote: boolean): Promise<void> {
    const streams = [...(this.#byKey.get(clientKey) ?? [])];
    const pauseMs = isRemote ? REMOTE_SPREAD_MS / Math.max(1, streams.length / AT_ONCE) : 0;
    for (const [at, stream] of streams.entries()) {
      // Read again for each stream: a newer payload may be published before this one has reached everybody.
      const payload = newest();
      if (payload) this.#send(stream, payload);
      if (at % AT_ONCE === AT_ONCE - 1)
        await new Promise((resolve) => (pauseMs > 0 ? setTimeout(resolve, pauseMs) : setImmediate(resolve)));
    }
  }

  /** Ends the streams of a key that no longer works. */
  end(clientKey: string): void {
    for (const { response } of this.#byKey.get(clientKey) ?? []) response.end();
  }

  keys(): string[] {
    return [...this.#byKey.keys()];
  }
  get size(): number {
    return this.#size;
  }

  close(): void {
    clearInterval(this.#ping);
    for (const key of this.keys()) this.end(key);
  }

  #send(stream: Stream, payload: Payload): void {
    if (stream.response.writableEnded || stream.response.destroyed) return;
    if (isFull(stream)) {
      stream.behind = payload;
      stream.stuckSince ??= Date.now();
    } else stream.response.write(payload.event);
  }

  async #keepAlive(): Promise<void> {
    const all = [...this.#byKey.values()].flatMap((streams) => [...streams]);
    for (const [at, stream] of all.entries()) {
      if (isFull(stream)) {
        stream.stuckSince ??= Date.now();
        if (Date.now() - stream.stuckSince > STUCK_MS) stream.response.destroy();
      } else if (!stream.response.writableEnded) stream.response.write(PING);
      if (at % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
