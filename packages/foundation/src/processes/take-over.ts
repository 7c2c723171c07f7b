/** Tries until it stops to take over an engine that another replica runs. Waits longer after each failure, and logs the first of a series. */
import type { Log } from '../ports/log.ts';

const EVERY_MS = 1000;
const LONGEST_MS = 30_000;

export class TakeOver {
  readonly #attempt: () => Promise<void>;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #waitMs = EVERY_MS;
  #isStopped = false;

  /** `attempt` also resolves while another replica runs the engine. */
  constructor(attempt: () => Promise<void>, log: Log, failure: string) {
    this.#attempt = attempt;
    this.#failed = (error) => (this.#waitMs === EVERY_MS ? log.warn({ err: error }, failure) : undefined);
  }

  start(): void {
    if (this.#timer === undefined && !this.#isStopped) this.#next();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #next(): void {
    this.#timer = setTimeout(() => void this.#try(), this.#waitMs).unref();
  }

  async #try(): Promise<void> {
    try {
      await this.#attempt();
      this.#waitMs = EVERY_MS;
    } catch (error) {
      this.#failed(error);
      this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_MS);
    }
    if (!this.#isStopped) this.#next();
  }
}
