/** Counts a service's requests over the last minute, second by second. */

const SECONDS = 60;
/** Response times are counted in steps of about 9%, from 0.1 ms up: precise enough for a percentile and small enough to keep per second. */
const STEPS = 160;
const STEPS_PER_DOUBLING = 8;
const SMALLEST_MS = 0.1;

interface Second {
  at: number;
  requests: number;
  errors: number;
  readonly times: Uint32Array;
}

export interface EdgeReading {
  readonly requests: number;
  readonly errors5xx: number;
  readonly p95Ms: number;
}

export class EdgeMeter {
  readonly #seconds: Second[] = Array.from({ length: SECONDS }, () => ({ at: -1, requests: 0, errors: 0, times: new Uint32Array(STEPS) }));
  readonly total = { requests: 0, errors5xx: 0 };
  lastRequestAt: Date | undefined;

  record(status: number, durationMs: number, now: number = Date.now()): void {
    const second = this.#second(Math.floor(now / 1000));
    second.requests++;
    this.total.requests++;
    if (status >= 500) {
      second.errors++;
      this.total.errors5xx++;
    }
    const step = Math.floor(Math.log2(Math.max(durationMs, SMALLEST_MS) / SMALLEST_MS) * STEPS_PER_DOUBLING);
    second.times[Math.min(STEPS - 1, step)]!++;
    this.lastRequestAt = new Date(now);
  }

  /** Returns the metrics of the last `seconds`, at most 60. */
  read(now: number = Date.now(), seconds = SECONDS): EdgeReading {
    const current = Math.floor(now / 1000);
    const recent = this.#seconds.filter(({ at }) => at > current - seconds && at <= current);
    const requests = recent.reduce((sum, second) => sum + second.requests, 0);
    const errors5xx = recent.reduce((sum, second) => sum + second.errors, 0);
    return { requests, errors5xx, p95Ms: percentile(recent, Math.ceil(requests * 0.95)) };
  }

  #second(at: number): Second {
    const second = this.#seconds[at % SECONDS]!;
    if (second.at !== at) {
      Object.assign(second, { at, requests: 0, errors: 0 });
      second.times.fill(0);
    }
    return second;
  }
}

/** Returns the time within which `wanted` requests were answered, or 0 without requests. */
function percentile(seconds: readonly Second[], wanted: number): number {
  let counted = 0;
  for (let step = 0; wanted > 0 && step < STEPS; step++) {
    for (const second of seconds) counted += second.times[step]!;
    if (counted >= wanted) return Math.round(SMALLEST_MS * 2 ** ((step + 1) / STEPS_PER_DOUBLING) * 10) / 10;
  }
  return 0;
}
