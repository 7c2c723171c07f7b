/**
 * Decides how many payloads the collector takes, per monitor and in all. A monitor beyond its share is asked to wait (429), so that it can
 * neither use up the memory nor delay the payloads of others.
 */

export interface CollectorLimits {
  /** Bytes of a request body as sent. */
  readonly bodyBytes: number;
  /** Bytes of a payload after decompression. */
  readonly payloadBytes: number;
  /** Sustained payloads per second of one monitor on one replica. */
  readonly perSecond: number;
  /** Payloads that one monitor may send at once. */
  readonly burst: number;
  /** Payloads that wait for the database. */
  readonly waiting: { readonly perMonitor: number; readonly inAll: number };
  /** Bytes of payloads that wait for the database. */
  readonly waitingBytes: { readonly perMonitor: number; readonly inAll: number };
}

const MEGABYTE = 1024 * 1024;
export const collectorLimits: CollectorLimits = {
  bodyBytes: MEGABYTE,
  payloadBytes: 2 * MEGABYTE,
  perSecond: 2000,
  burst: 4000,
  waiting: { perMonitor: 128, inAll: 512 },
  waitingBytes: { perMonitor: 16 * MEGABYTE, inAll: 64 * MEGABYTE },
};

const BUSY_SECONDS = 1;
const MAX_MONITORS = 10_000;

interface Share {
  tokens: number;
  at: number;
  waiting: number;
  bytes: number;
}
export interface Ticket {
  /** Counts bytes of the payload. Returns false if the memory for payloads is used up. */
  grow(bytes: number): boolean;
  release(): void;
}

export class Admission {
  readonly #limits: CollectorLimits;
  readonly #shares = new Map<string, Share>();
  #waiting = 0;
  #bytes = 0;

  constructor(limits: CollectorLimits) {
    this.#limits = limits;
  }

  get waitingBytes(): number {
    return this.#bytes;
  }

  /** Returns a ticket, or the seconds after which the monitor may try again. */
  enter(monitorId: string, now = performance.now()): Ticket | number {
    const { perSecond, burst, waiting } = this.#limits;
    const share = this.#share(monitorId, now);
    share.tokens = Math.min(burst, share.tokens + ((now - share.at) / 1000) * perSecond);
    share.at = now;
    if (share.tokens < 1) return Math.max(1, Math.ceil((burst / 4 - share.tokens) / perSecond));
    if (share.waiting >= waiting.perMonitor || this.#waiting >= waiting.inAll) return BUSY_SECONDS;
    share.tokens -= 1;
    share.waiting += 1;
    this.#waiting += 1;
    return this.#ticket(share);
  }

  #ticket(share: Share): Ticket {
    const { waitingBytes } = this.#limits;
    let held = 0;
    let isOpen = true;
    return {
      grow: (bytes) => {
        held += bytes;
        share.bytes += bytes;
        this.#bytes += bytes;
        return share.bytes <= waitingBytes.perMonitor && this.#bytes <= waitingBytes.inAll;
      },
      release: () => {
        if (!isOpen) return;
        isOpen = false;
        share.waiting -= 1;
        share.bytes -= held;
        this.#waiting -= 1;
        this.#bytes -= held;
      },
    };
  }

  #share(monitorId: string, now: number): Share {
    const known = this.#shares.get(monitorId);
    if (known) return known;
    if (this.#shares.size >= MAX_MONITORS) for (const [id, { waiting }] of this.#shares) if (waiting === 0) this.#shares.delete(id);
    const share = { tokens: this.#limits.burst, at: now, waiting: 0, bytes: 0 };
    this.#shares.set(monitorId, share);
    return share;
  }
}
