/** Turns used processor time into a rate. */

/** Readings that follow each other more closely tell nothing but noise. */
const MIN_INTERVAL_MS = 500;

export class CpuMeter {
  #cpuMs = 0;
  #at = performance.now();
  #rate = 0;

  /** A new program starts from zero. */
  reset(): void {
    this.#cpuMs = 0;
    this.#at = performance.now();
    this.#rate = 0;
  }

  /** Millicores since the last reading: 1000 is one core fully used. */
  millicores(cpuMs: number): number {
    const elapsedMs = performance.now() - this.#at;
    if (elapsedMs < MIN_INTERVAL_MS) return this.#rate;
    this.#rate = Math.max(0, Math.round(((cpuMs - this.#cpuMs) / elapsedMs) * 1000));
    this.#cpuMs = cpuMs;
    this.#at = performance.now();
    return this.#rate;
  }
}
