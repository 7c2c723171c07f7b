/** How long a crashed instance waits before it starts again. */
import type { Timings } from './timings.ts';

export class RestartBackoff {
  readonly #timings: Timings;
  #failures = 0;

  constructor(timings: Timings) {
    this.#timings = timings;
  }

  /** Milliseconds to wait after a run of `ranMs`. */
  next(ranMs: number): number {
    const { backoffMs, backoffMaxMs, backoffResetMs, firstRestartMs } = this.#timings;
    if (ranMs >= backoffResetMs) this.#failures = 0;
    const failures = this.#failures++;
    return failures === 0 ? firstRestartMs : Math.min(backoffMs * 2 ** (failures - 1), backoffMaxMs);
  }
}
