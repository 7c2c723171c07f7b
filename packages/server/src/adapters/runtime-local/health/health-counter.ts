/** Turns single probes of a health check into verdicts. */
export type HealthVerdict = 'ready' | 'unready' | 'dead' | undefined;

export interface HealthThresholds {
  readonly successThreshold: number;
  readonly failureThreshold: number;
  /** Consecutive failures, as a multiple of the failure threshold, after which a previously healthy program counts as dead. */
  readonly livenessFactor: number;
}

/**
 * Readiness uses both thresholds. Liveness counts the same probes, but only after the program was healthy once, so slow starts have time
 * (see `startupMs`).
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
