/** Work that is done again and again for as long as the platform runs, one round after the other. That a cluster is away is said once. */
import { environments, type Environment } from '@slipway/contract/kernel/fields.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';

/** Where the engines of one environment are away, those of the other are looked at all the same. What failed first is thrown afterwards. */
export const inEachEnvironment = async (work: (environment: Environment) => Promise<void>): Promise<void> => {
  const failures: unknown[] = [];
  for (const environment of environments) await work(environment).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
};

export interface RoundsOptions {
  /** Between the end of a round and the next. */
  readonly tickMs: number;
  /** `isStopping`: what is left is for the next start. */
  readonly round: (isStopping: () => boolean) => Promise<void>;
  readonly log: Log;
  /** What is written down when a round fails. */
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
      // Once, for as long as it lasts: readiness says it, too.
      if (!this.#isAway || !isAway) this.#options.log.warn({ err: error }, this.#options.warning);
      this.#isAway = isAway;
    }
  }
}
