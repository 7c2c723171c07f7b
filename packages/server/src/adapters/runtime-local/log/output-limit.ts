/**
 * How much of an instance's output is read in a second. What comes faster waits in the pipe, and its program with it: a program that
 * floods its log slows down itself, and nobody else.
 */
export interface OutputLimits {
  readonly bytes: number;
  readonly lines: number;
}
/** More than programs that serve say, and little enough that many of them keep the disk and this process free for others. */
export const OUTPUT_LIMITS: OutputLimits = { bytes: 1024 * 1024, lines: 4000 };
const SLICE_MS = 1000;
const TELL_EVERY_MS = 60_000;

/** Tests turn it by hand. */
export interface SliceClock {
  now(): number;
  /** Answers how to call it off. */
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
  /** Logged seldom enough to be read. */
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

  /** False when there is no room in this second: then ask again after `over`. */
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

  /** The program has ended: what it left in its pipes is little, and waits no more. */
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
