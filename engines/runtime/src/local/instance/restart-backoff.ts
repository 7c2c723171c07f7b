/** Computes how long a crashed instance or node agent waits before it restarts. */
import type { Timings } from '../timings.ts';

type BackoffTimings = Pick<Timings, 'firstRestartMs' | 'backoffMs' | 'backoffMaxMs' | 'backoffResetMs'>;

export class RestartBackoff {
  readonly #timings: BackoffTimings;
  #failures = 0;

  constructor(timings: BackoffTimings) {
    this.#timings = timings;
  }

  /** Returns the milliseconds to wait after a run of `ranMs`. */
  next(ranMs: number): number {
    const { backoffMs, backoffMaxMs, backoffResetMs, firstRestartMs } = this.#timings;
    if (ranMs >= backoffResetMs) this.#failures = 0;
    const failures = this.#failures++;
    return failures === 0 ? firstRestartMs : Math.min(backoffMs * 2 ** (failures - 1), backoffMaxMs);
  }
}
