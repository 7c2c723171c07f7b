/**
 * Runs long work of the broker one piece at a time, so that its memory is bounded. Principals take turns, so that one client's batches do
 * not block all others.
 */
/** Milliseconds of immediate work per turn of the event loop, before the broker returns to its sockets. */
const AT_ONCE_MS = 20;
const WAITING_BYTES = 256 * 1024 * 1024;
const WAITING_BYTES_OF_ONE = 64 * 1024 * 1024;

/** Thrown if too much work is queued. Clients retry. */
export class TooMuchWaiting extends Error {}

interface Line {
  bytes: number;
  readonly waiting: (() => void)[];
}

export class Turns {
  /** Queues by principal, in the order of their turns. */
  readonly #lines = new Map<string, Line>();
  #isBusy = false;
  #bytes = 0;
  #spentMs = 0;

  /** True if there is time left in this turn for small pieces of work. */
  get hasTime(): boolean {
    return this.#spentMs < AT_ONCE_MS;
  }
  atOnce<Result>(work: () => Result): Result {
    if (this.#spentMs === 0) setImmediate(() => (this.#spentMs = 0));
    const since = performance.now();
    try {
      return work();
    } finally {
      this.#spentMs += performance.now() - since;
    }
  }

  /** `bytes`: memory held while the work waits. */
  async run<Result>(who: string, bytes: number, work: () => Promise<Result>): Promise<Result> {
    if (this.#isBusy) await this.#wait(who, bytes);
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  async #wait(who: string, bytes: number): Promise<void> {
    const line = this.#lines.get(who) ?? { bytes: 0, waiting: [] };
    if (this.#bytes + bytes > WAITING_BYTES || line.bytes + bytes > WAITING_BYTES_OF_ONE) throw new TooMuchWaiting();
    line.bytes += bytes;
    this.#bytes += bytes;
    this.#lines.set(who, line);
    await new Promise<void>((resolve) => line.waiting.push(resolve));
    line.bytes -= bytes;
    this.#bytes -= bytes;
  }

  /** Starts the next work. A principal that had its turn moves to the end. */
  #next(): void {
    const [first] = this.#lines;
    if (first === undefined) {
      this.#isBusy = false;
      return;
    }
    const [who, line] = first;
    this.#lines.delete(who);
    const start = line.waiting.shift();
    if (line.waiting.length > 0) this.#lines.set(who, line);
    start?.();
  }
}
