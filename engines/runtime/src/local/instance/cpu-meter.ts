/** Converts used CPU time into a rate. */

/** Readings at shorter intervals are only noise. */
const MIN_INTERVAL_MS = 500;

export class CpuMeter {
  #cpuMs = 0;
  #at = performance.now();
  #rate = 0;

  /** Restarts from zero for a new program. */
  reset(): void {
    this.#cpuMs = 0;
    this.#at = performance.now();
    this.#rate = 0;
  }

  /** Returns millicores since the last reading: 1000 is one core fully used. */
  millicores(cpuMs: number): number {
    const elapsedMs = performance.now() - this.#at;
    if (elapsedMs < MIN_INTERVAL_MS) return this.#rate;
    this.#rate = Math.max(0, Math.round(((cpuMs - this.#cpuMs) / elapsedMs) * 1000));
    this.#cpuMs = cpuMs;
    this.#at = performance.now();
    return this.#rate;
  }
}
