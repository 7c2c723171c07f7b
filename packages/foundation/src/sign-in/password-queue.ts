/**
 * Limits how many passwords are hashed in parallel. Each hash occupies a thread that file and DNS access also need, so a flood of guesses
 * must not take all threads. Addresses take turns, so that a flood from one address does not block the others.
 */

const AT_A_TIME = 2;

/** Thrown when the queue is full: another caller would wait for seconds. */
export class TooBusy extends Error {
  override readonly name = 'TooBusy';
}

export interface PasswordQueueLimits {
  readonly waiting: number;
  readonly waitingOfOne: number;
}
interface Waiter {
  readonly go: () => void;
  readonly turnAway: () => void;
}

export class PasswordQueue {
  readonly #limits: PasswordQueueLimits;
  #running = 0;
  /** Waiters by address. The first address is next. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(limits: PasswordQueueLimits) {
    this.#limits = limits;
  }

  /** Runs `work` when it is the caller's turn. `address` is the client's, as returned by `clientOf`. Throws TooBusy. */
  async inTurn<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running < AT_A_TIME) this.#running += 1;
    else await this.#turn(address);
    try {
      return await work();
    } finally {
      this.#handOn();
    }
  }

  #turn(address: string): Promise<void> {
    const line = this.#waiting.get(address) ?? [];
    if (line.length >= this.#limits.waitingOfOne) throw new TooBusy();
    const count = [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0);
    if (count >= this.#limits.waiting) {
      if (line.length > 0) throw new TooBusy();
      this.#makeRoom();
    }
    this.#waiting.set(address, line);
    return new Promise((resolve, reject) => line.push({ go: resolve, turnAway: () => reject(new TooBusy()) }));
  }

  /** Makes room in a full queue for an address without waiters: drops the last waiter of the longest line. */
  #makeRoom(): void {
    const longest = [...this.#waiting].toSorted(([, a], [, b]) => b.length - a.length)[0];
    if (!longest || longest[1].length < 2) throw new TooBusy();
    longest[1].pop()?.turnAway();
  }

  /** Passes the slot to the next waiter, so that the number of running hashes stays the same. */
  #handOn(): void {
    const [address, line] = this.#waiting.entries().next().value ?? [];
    const next = line?.shift();
    if (address === undefined || !line || !next) return void (this.#running -= 1);
    this.#waiting.delete(address);
    if (line.length > 0) this.#waiting.set(address, line);
    next.go();
  }
}
