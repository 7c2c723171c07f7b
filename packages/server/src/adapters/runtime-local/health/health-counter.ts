/** Turns single tries of a health check into verdicts. */
export type HealthVerdict = 'ready' | 'unready' | 'dead' | undefined;

export interface HealthThresholds {
  readonly successThreshold: number;
  readonly failureThreshold: number;
  /** Failures in a row, as multiples of the threshold, after which a program that was once healthy counts as dead. */
  readonly livenessFactor: number;
}

/**
 * Readiness follows both thresholds. Liveness counts on from the same tries, and only once the program was healthy: slow starts are
 * given time (see `startupMs`).
 */
export class HealthCounter {
  readonly #thresholds: HealthThresholds;
  #successes = 0;
  #failures = 0;
  #isReady = false;
  #wasReady = false;

  constructor(thresholds: HealthThresholds) {
    this.#thresholds = thresholds;
  }

  get failures(): number {
    return this.#failures;
  }

  record(isSuccess: boolean): HealthVerdict {
    const { failureThreshold, livenessFactor, successThreshold } = this.#thresholds;
    this.#successes = isSuccess ? this.#successes + 1 : 0;
    this.#failures = isSuccess ? 0 : this.#failures + 1;
    if (isSuccess) {
      if (this.#isReady || this.#successes < successThreshold) return undefined;
      this.#isReady = true;
      this.#wasReady = true;
      return 'ready';
    }
    if (this.#wasReady && this.#failures >= failureThreshold * livenessFactor) return 'dead';
    if (!this.#isReady || this.#failures < failureThreshold) return undefined;
    this.#isReady = false;
    return 'unready';
  }
}
