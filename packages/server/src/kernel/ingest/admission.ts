/**
 * Decides how many payloads are taken, per source and in all. A source is a browser monitor, or a team whose services send traces. A source
 * beyond its share is asked to wait (429), so that it can neither use up the memory nor delay the payloads of others.
 */

export interface IngestLimits {
  /** Bytes of a request body as sent. */
  readonly bodyBytes: number;
  /** Bytes of a payload after decompression. */
  readonly payloadBytes: number;
  /** Milliseconds in which a request body must have arrived. */
  readonly bodyMs: number;
  /** Sustained payloads per second of one source on one replica. */
  readonly perSecond: number;
  /** Payloads that one source may send at once. */
  readonly burst: number;
  /** Sustained bytes per second of one source on one replica, after decompression. */
  readonly bytesPerSecond: number;
  /** Bytes that one source may send at once, after decompression. */
  readonly burstBytes: number;
  /** Requests of one source whose bodies are being read. There is no limit for all, so that slow bodies cannot keep others out. */
  readonly readingPerSource: number;
  /** Bytes of bodies that are being read. */
  readonly readingBytes: { readonly perSource: number; readonly inAll: number };
  /** Payloads that wait for the database. */
  readonly waiting: { readonly perSource: number; readonly inAll: number };
  /** Bytes of payloads that wait for the database. */
  readonly waitingBytes: { readonly perSource: number; readonly inAll: number };
}

const MEGABYTE = 1024 * 1024;
/** Limits of browser payloads. */
export const collectorLimits: IngestLimits = {
  bodyBytes: MEGABYTE,
  payloadBytes: 2 * MEGABYTE,
  bodyMs: 10_000,
  perSecond: 2000,
  burst: 4000,
  bytesPerSecond: 8 * MEGABYTE,
  burstBytes: 32 * MEGABYTE,
  readingPerSource: 512,
  readingBytes: { perSource: 8 * MEGABYTE, inAll: 128 * MEGABYTE },
  waiting: { perSource: 1024, inAll: 4096 },
  waitingBytes: { perSource: 16 * MEGABYTE, inAll: 64 * MEGABYTE },
};

const BUSY_SECONDS = 1;
const MAX_SOURCES = 10_000;

/** Counts of bodies in one phase, of a monitor or of all. */
interface Held {
  count: number;
  bytes: number;
}
interface Share {
  tokens: number;
  /** Negative after a payload that was larger than what was left. */
  byteTokens: number;
  at: number;
  readonly reading: Held;
  readonly waiting: Held;
}
/** A request first reads its body, and then waits for the database. */
export interface Ticket {
  /** Counts bytes of the body. Returns false if the memory for bodies is used up. */
  grow(bytes: number): boolean;
  /** Counts bytes after decompression against the rate. Returns false if the source has used its rate up. */
  spend(bytes: number): boolean;
  /** Ends the reading. Returns false if too many payloads wait for the database. */
  wait(bytes: number): boolean;
  release(): void;
}

const add = (held: Held, count: number, bytes: number): void => {
  held.count += count;
  held.bytes += bytes;
};

export class Admission {
  readonly #limits: IngestLimits;
  readonly #shares = new Map<string, Share>();
  readonly #reading: Held = { count: 0, bytes: 0 };
  readonly #waiting: Held = { count: 0, bytes: 0 };

  constructor(limits: IngestLimits) {
    this.#limits = limits;
  }

  get waitingBytes(): number {
    return this.#waiting.bytes;
  }

  /** Returns a ticket, or the seconds after which the source may try again. */
  enter(sourceId: string, now = performance.now()): Ticket | number {
    const { perSecond, burst, bytesPerSecond, burstBytes, readingPerSource } = this.#limits;
    const share = this.#share(sourceId, now);
    const seconds = (now - share.at) / 1000;
    share.tokens = Math.min(burst, share.tokens + seconds * perSecond);
    share.byteTokens = Math.min(burstBytes, share.byteTokens + seconds * bytesPerSecond);
    share.at = now;
    if (share.tokens < 1) return Math.max(1, Math.ceil((burst / 4 - share.tokens) / perSecond));
    if (share.byteTokens <= 0) return Math.max(1, Math.ceil((burstBytes / 4 - share.byteTokens) / bytesPerSecond));
    if (share.reading.count >= readingPerSource) return BUSY_SECONDS;
    share.tokens -= 1;
    add(share.reading, 1, 0);
    add(this.#reading, 1, 0);
    return this.#ticket(share);
  }

  #ticket(share: Share): Ticket {
    const { readingBytes, waiting, waitingBytes } = this.#limits;
    let phase: 'reading' | 'waiting' | 'over' = 'reading';
    let held = 0;
    const leave = (): void => {
      if (phase === 'over') return;
      for (const counted of [share[phase], phase === 'reading' ? this.#reading : this.#waiting]) add(counted, -1, -held);
      phase = 'over';
    };
    return {
      grow: (bytes) => {
        // A body that still arrives after its request was answered is not kept.
        if (phase !== 'reading') return false;
        held += bytes;
        add(share.reading, 0, bytes);
        add(this.#reading, 0, bytes);
        return share.reading.bytes <= readingBytes.perSource && this.#reading.bytes <= readingBytes.inAll;
      },
      spend: (bytes) => {
        if (share.byteTokens <= 0) return false;
        share.byteTokens -= bytes;
        return true;
      },
      wait: (bytes) => {
        leave();
        if (share.waiting.count >= waiting.perSource || this.#waiting.count >= waiting.inAll) return false;
        if (share.waiting.bytes + bytes > waitingBytes.perSource || this.#waiting.bytes + bytes > waitingBytes.inAll) return false;
        [phase, held] = ['waiting', bytes];
        add(share.waiting, 1, bytes);
        add(this.#waiting, 1, bytes);
        return true;
      },
      release: leave,
    };
  }

  #share(sourceId: string, now: number): Share {
    const known = this.#shares.get(sourceId);
    if (known) return known;
    if (this.#shares.size >= MAX_SOURCES)
      for (const [id, { reading, waiting }] of this.#shares) if (reading.count + waiting.count === 0) this.#shares.delete(id);
    const { burst, burstBytes } = this.#limits;
    const empty = { count: 0, bytes: 0 };
    const share = { tokens: burst, byteTokens: burstBytes, at: now, reading: { ...empty }, waiting: { ...empty } };
    this.#shares.set(sourceId, share);
    return share;
  }
}
