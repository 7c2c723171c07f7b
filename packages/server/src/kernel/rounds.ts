/** Runs work periodically, one round after the other, while the platform runs. Logs an outage once. */
import { isDatabaseOutage } from '#db/outage.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';

export interface RoundsOptions {
  /** Delay before the first round, and between two rounds. */
  readonly everyMs: number;
  /** Returns true if the next round should follow at once. When `signal` aborts, the round should end; the next start continues. */
  readonly round: (signal: AbortSignal) => Promise<unknown>;
  readonly log: Log;
  /** Log message for a failed round. */
  readonly warning: string;
}

export class Rounds {
  readonly #options: RoundsOptions;
  #stopping: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | undefined;
  #isAway = false;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stopping = new AbortController();
    this.#next(this.#options.everyMs);
  }

  async stop(): Promise<void> {
    this.#stopping?.abort();
    this.#stopping = undefined;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  /** Begins a round now, unless one is running. */
  wake(): void {
    if (!this.#stopping || this.#underWay) return;
    clearTimeout(this.#timer);
    this.#underWay = this.#round(this.#stopping.signal).then((isMore) => {
      this.#underWay = undefined;
      this.#next(isMore ? 0 : this.#options.everyMs);
    });
  }

  #next(afterMs: number): void {
    if (this.#stopping) this.#timer = setTimeout(() => this.wake(), afterMs);
  }

  async #round(signal: AbortSignal): Promise<boolean> {
    const { round, log, warning } = this.#options;
    try {
      const isMore = await round(signal);
      this.#isAway = false;
      return isMore === true;
    } catch (error) {
      const isAway = isPortFailure(error, 'unavailable') || isDatabaseOutage(error);
      // Logged once per outage. Readiness reports it, too.
      if (!signal.aborted && (!this.#isAway || !isAway)) log.warn({ err: error }, warning);
      this.#isAway = isAway;
      return false;
    }
  }
}
