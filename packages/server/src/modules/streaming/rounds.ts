/** Runs work periodically, one round after the other, while the platform runs. Logs an outage of a cluster once. */
import { environments, type Environment } from '@slipway/contract/kernel/fields.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';

/** Runs the work in both environments, even if one fails, then throws the first error. */
export const inEachEnvironment = async (work: (environment: Environment) => Promise<void>): Promise<void> => {
  const failures: unknown[] = [];
  for (const environment of environments) await work(environment).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
};

export interface RoundsOptions {
  /** Delay between the end of a round and the next round. */
  readonly tickMs: number;
  /** When `isStopping` returns true, the round should end; the next start continues. */
  readonly round: (isStopping: () => boolean) => Promise<void>;
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
    this.#next();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  #next(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#underWay = this.#round().finally(() => this.#next());
    }, this.#options.tickMs);
  }

  async #round(): Promise<void> {
    try {
      await this.#options.round(() => this.#isStopped);
      this.#isAway = false;
    } catch (error) {
      const isAway = isPortFailure(error, 'unavailable');
      // Logged once per outage. Readiness reports it, too.
      if (!this.#isAway || !isAway) this.#options.log.warn({ err: error }, this.#options.warning);
      this.#isAway = isAway;
    }
  }
}
