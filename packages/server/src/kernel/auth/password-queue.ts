/**
 * Lets few passwords be hashed at a time. Each takes a thread that files and DNS need too, so a flood of guesses must not take them all;
 * and addresses take turns, so that a flood from one does not keep the others out.
 */

const AT_A_TIME = 2;

/** So many are waiting already that one more would wait for seconds. */
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
  /** By address; the first address is the next whose turn it is. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(limits: PasswordQueueLimits) {
    this.#limits = limits;
  }

  /** `address` is the client's, as `clientOf` says it. Throws TooBusy. */
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

  /** Full, and somebody comes who has nobody waiting yet: the last of the longest line makes room. */
  #makeRoom(): void {
    const longest = [...this.#waiting].toSorted(([, a], [, b]) => b.length - a.length)[0];
    if (!longest || longest[1].length < 2) throw new TooBusy();
    longest[1].pop()?.turnAway();
  }

  /** Whoever is done hands the place on, so that the number of those running stays as it is. */
  #handOn(): void {
    const [address, line] = this.#waiting.entries().next().value ?? [];
    const next = line?.shift();
    if (address === undefined || !line || !next) return void (this.#running -= 1);
    this.#waiting.delete(address);
    if (line.length > 0) this.#waiting.set(address, line);
    next.go();
  }
}
