/**
 * Sends the console's telemetry. Faro's transport queues, retries and waits (specification §9). This class adds compression of large
 * payloads, beacons when the page is left or the network fails, and a notice when payloads are dropped.
 */
import { FetchTransport, getTransportBody, type Patterns, type TransportItem } from '@grafana/faro-web-sdk';

const COMPRESS_ABOVE = 40_000;
const NOTICE_EVERY = 5;
const BACK_OFF_MS = 5000;
/** Large payloads that are sent at once, and the time limit of each. */
const [MOST_LARGE, LARGE_MS] = [5, 10_000];
/** Responses that last until the page is left: their spans would never end, and they are no slow calls. */
const STREAMS = [/\/api\/v1\/events$/, /\/sub\//, /[?&]follow=/];
const QUEUE_FULL = 'Reliable delivery queue is full';

export interface Collector {
  readonly url: string;
  readonly apiKey: string;
  /** Name of the app, as the collector knows it. */
  readonly name: string;
}

const base64 = async (stream: ReadableStream): Promise<string> => {
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''));
};
const compressed = (text: string): Promise<string> => base64(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip')));

export class ReportTransport extends FetchTransport {
  /** Beacons and compressed payloads carry the app and its key in the query, as beacons have no headers. */
  readonly #address: string;
  #isLeaving = false;
  #resumeAt = 0;
  #full = 0;
  #large = 0;

  constructor({ url, apiKey, name }: Collector) {
    super({ url, apiKey, bufferSize: 30, concurrency: 5, retry: { initialBackoffMs: BACK_OFF_MS } });
    this.#address = `${url}?${new URLSearchParams({ app: name, key: apiKey })}`;
    addEventListener('pagehide', () => (this.#isLeaving = true));
    addEventListener('pageshow', () => (this.#isLeaving = false));
  }

  override getIgnoreUrls(): Patterns {
    return [...super.getIgnoreUrls(), /\/collect\//, ...STREAMS];
  }

  override async send(items: TransportItem[]): Promise<void> {
    const text = JSON.stringify(getTransportBody(items));
    // A page that is left has no time to compress, nor to wait for an answer.
    if (this.#isLeaving && this.#beacon(text)) return;
    // A beacon holds some 64 KB.
    if (this.#isLeaving && items.length > 1) {
      const half = items.length >> 1;
      await Promise.all([this.send(items.slice(0, half)), this.send(items.slice(half))]);
      return;
    }
    if (text.length > COMPRESS_ABOVE) return this.#sendLarge(text);
    // Faro's transport only logs a failure. Each call gets its own log, so that the payload of the failure is known.
    const logError = (_message: string, failure: { error?: unknown; status?: number }): void => {
      if (failure.error === QUEUE_FULL) this.#noteFull();
      // After a timeout the collector may have the payload. Only a failure of the network is a TypeError.
      else if (failure.error instanceof TypeError) this.#beacon(text);
    };
    await super.send.call(Object.create(this, { logError: { value: logError } }), items);
  }

  #beacon(body: string): boolean {
    return navigator.sendBeacon(this.#address, body);
  }

  #noteFull(): void {
    this.#full += 1;
    if (this.#full % NOTICE_EVERY === 0) this.unpatchedConsole.warn(`Monitoring dropped ${this.#full} payloads: its buffer is full`);
  }

  async #sendLarge(text: string): Promise<void> {
    if (Date.now() < this.#resumeAt || this.#large >= MOST_LARGE) return this.#noteFull();
    this.#large += 1;
    let body = '';
    try {
      body = await compressed(text);
      const { status, headers } = await fetch(this.#address, { method: 'POST', body, signal: AbortSignal.timeout(LARGE_MS) });
      if (status === 429 || status === 503) this.#resumeAt = Date.now() + (Number(headers.get('retry-after')) * 1000 || BACK_OFF_MS);
    } catch (error) {
      if (body !== '' && error instanceof TypeError) this.#beacon(body);
    } finally {
      this.#large -= 1;
    }
  }
}
