/**
 * Long work of the broker, one piece at a time, so that its memory is bounded. Principals take turns: the batches of one client do not queue
 * before those of all others.
 */
/** Of the broker's one thread, for work that does not wait for its turn, until it looks after its sockets again. */
const AT_ONCE_MS = 20;
const WAITING_BYTES = 256 * 1024 * 1024;
const WAITING_BYTES_OF_ONE = 64 * 1024 * 1024;

/** Too much is waiting already. Clients try again. */
export class TooMuchWaiting extends Error {}

interface Line {
  bytes: number;
  readonly waiting: (() => void)[];
}

export class Turns {
  /** In the order of their turns. */
  readonly #lines = new Map<string, Line>();
  #isBusy = false;
  #bytes = 0;
  #spentMs = 0;

  /** Whether there is time left for small pieces of work at once. */
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

  /** `bytes`: what is held in memory while the work waits. */
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

  /** Whoever had a turn goes to the end. */
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
