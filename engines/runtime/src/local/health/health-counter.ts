/** Turns single probes of a health check into verdicts. */
import type { ProbeFailure } from '@slipway/contract/service/instance-event.ts';

export type HealthVerdict = 'ready' | 'unready' | 'dead' | undefined;

export interface HealthThresholds {
  readonly successThreshold: number;
  readonly failureThreshold: number;
  /** Consecutive failures, as a multiple of the failure threshold, after which a previously healthy program counts as dead. */
  readonly livenessFactor: number;
}

const wayOf = (failure: ProbeFailure): string => (failure.probe === 'Status' ? `${failure.probe} ${failure.status}` : failure.probe);

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
  /** The way of failing that was reported last. */
  #reported: string | undefined;

  constructor(thresholds: HealthThresholds) {
    this.#thresholds = thresholds;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Answers `unready` again when a program that is not ready starts to fail in another way. */
  record(failure: ProbeFailure | undefined): HealthVerdict {
    const { failureThreshold, livenessFactor, successThreshold } = this.#thresholds;
    this.#successes = failure ? 0 : this.#successes + 1;
    this.#failures = failure ? this.#failures + 1 : 0;
    if (!failure) {
      if (this.#isReady || this.#successes < successThreshold) return undefined;
      this.#isReady = true;
      this.#wasReady = true;
      return 'ready';
    }
    if (!this.#wasReady || this.#failures < failureThreshold) return undefined;
    if (this.#failures >= failureThreshold * livenessFactor) return 'dead';
    const way = wayOf(failure);
    if (!this.#isReady && way === this.#reported) return undefined;
    this.#isReady = false;
    this.#reported = way;
    return 'unready';
  }
}
