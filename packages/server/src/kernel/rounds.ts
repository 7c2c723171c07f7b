/** Runs work periodically, one round after the other, while the platform runs. Logs an outage once. */
import { isDatabaseOutage } from '#db/outage.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';

export interface RoundsOptions {
  /** Delay before the first round, and between two rounds. */
  readonly everyMs: number;
  /** Returns true if the next round should follow at once. When `isStopping` returns true, the round should end; the next start continues. */
  readonly round: (isStopping: () => boolean) => Promise<unknown>;
  readonly log: Log;
  /** Log message for a failed round. */
  readonly warning: string;
}

export class Rounds {
  readonly #options: RoundsOptions;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #isStopped = true;
  #isAway = false;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.#next(this.#options.everyMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  #next(afterMs: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#underWay = this.#round().then((isMore) => this.#next(isMore ? 0 : this.#options.everyMs));
    }, afterMs);
  }

  async #round(): Promise<boolean> {
    const { round, log, warning } = this.#options;
    try {
      const isMore = await round(() => this.#isStopped);
      this.#isAway = false;
      return isMore === true;
    } catch (error) {
      const isAway = isPortFailure(error, 'unavailable') || isDatabaseOutage(error);
      // Logged once per outage. Readiness reports it, too.
      if (!this.#isAway || !isAway) log.warn({ err: error }, warning);
      this.#isAway = isAway;
      return false;
    }
  }
}
