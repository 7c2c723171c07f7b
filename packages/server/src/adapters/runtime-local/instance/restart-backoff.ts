/** How long what has crashed, an instance or the node agent, waits before it starts again. */
import type { Timings } from '../timings.ts';

type BackoffTimings = Pick<Timings, 'firstRestartMs' | 'backoffMs' | 'backoffMaxMs' | 'backoffResetMs'>;

export class RestartBackoff {
  readonly #timings: BackoffTimings;
  #failures = 0;

  constructor(timings: BackoffTimings) {
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
