/**
 * Limits how much of an instance's output is read per second. Excess output waits in the pipe and blocks its program, so a program that
 * floods its log slows down only itself.
 */
export interface OutputLimits {
  readonly bytes: number;
  readonly lines: number;
}
/** More than normal services log, and little enough that many instances leave the disk and this process responsive. */
export const OUTPUT_LIMITS: OutputLimits = { bytes: 1024 * 1024, lines: 4000 };
const SLICE_MS = 1000;
const TELL_EVERY_MS = 60_000;

/** Clock, replaced in tests. */
export interface SliceClock {
  now(): number;
  /** Schedules `then`. Returns a function that cancels it. */
  after(ms: number, then: () => void): () => void;
}
const realClock: SliceClock = {
  now: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms).unref();
    return () => clearTimeout(timer);
  },
};

export class OutputLimit {
  readonly #limits: OutputLimits;
  readonly #clock: SliceClock;
  /** Reports a pause, at most once a minute. */
  readonly #onPaused: (why: string) => void;
  #sliceAt = Number.NEGATIVE_INFINITY;
  #bytes = 0;
  #lines = 0;
  #paused: { readonly over: Promise<void>; readonly end: () => void } | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;
  #isLifted = false;

  constructor(onPaused: (why: string) => void, clock: SliceClock = realClock, limits: OutputLimits = OUTPUT_LIMITS) {
    this.#onPaused = onPaused;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Returns false if this second's limit is reached. The caller retries after `over`. */
  take(bytes: number, lines: number): boolean {
    if (this.#isLifted) return true;
    const now = this.#clock.now();
    if (!this.#paused && now - this.#sliceAt >= SLICE_MS) this.#begin(now);
    if (this.#bytes >= this.#limits.bytes || this.#lines >= this.#limits.lines) {
      this.#pause(now);
      return false;
    }
    this.#bytes += bytes;
    this.#lines += lines;
    return true;
  }

  /** Resolves when the next second begins. */
  async over(): Promise<void> {
    await this.#paused?.over;
  }

  /** Lifts the limit when the program has ended: the rest in its pipes is small. */
  lift(): void {
    this.#isLifted = true;
    this.#paused?.end();
  }

  #begin(now: number): void {
    this.#sliceAt = now;
    this.#bytes = 0;
    this.#lines = 0;
  }

  #pause(now: number): void {
    if (this.#paused) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = (): void => {
      callOff();
      this.#paused = undefined;
      this.#begin(this.#clock.now());
      resolve();
    };
    const callOff = this.#clock.after(Math.max(0, this.#sliceAt + SLICE_MS - now), end);
    this.#paused = { over: promise, end };
    if (now - this.#toldAt >= TELL_EVERY_MS) {
      this.#toldAt = now;
      const { bytes, lines } = this.#limits;
      this.#onPaused(`--- output paused: more than ${lines} lines or ${Math.round(bytes / 1024)} kB in a second; the program waits ---`);
    }
  }
}
