/**
 * Looks for work again and again: at once, at one place, when it hears that there is some; and every few seconds everywhere, for what
 * a replica took that died. One sweep at a time; however long they take, sweeps everywhere fill only a small part of the time.
 */
import type { Log } from '#ports/log.ts';

const EVERY_MS = 5000;
/** A pause is at least so many times as long as the sweep before it. */
const PAUSES = 20;

/** `places`: where to look; undefined: everywhere. */
export type Sweep = (places: ReadonlySet<string> | undefined) => Promise<void>;

export class SweepLoop {
  readonly #sweep: Sweep;
  readonly #failed: (error: unknown) => void;
  readonly #retries = new Map<string, NodeJS.Timeout>();
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;
  #places = new Set<string>();
  #isEverywhere = false;
  #isStarted = false;

  constructor(sweep: Sweep, log: Log, failure: string) {
    this.#sweep = sweep;
    this.#failed = (error) => log.warn({ err: error }, failure);
  }

  start(): void {
    this.#isStarted = true;
    this.#pause(EVERY_MS);
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    for (const retry of this.#retries.values()) clearTimeout(retry);
    await this.#sweeping;
  }

  /** One more sweep when something comes up meanwhile: the one under way may have passed it already. */
  look(place: string): void {
    this.#places.add(place);
    this.#begin();
  }

  /** Everywhere, at once: what was passed over may be done now. */
  lookAround(): void {
    this.#isEverywhere = true;
    this.#begin();
  }

  /** Soon, once more: what was found could not be done yet. */
  lookAgain(place: string, afterMs: number): void {
    if (!this.#isStarted) return;
    clearTimeout(this.#retries.get(place));
    const retry = setTimeout(() => {
      this.#retries.delete(place);
      this.look(place);
    }, afterMs);
    this.#retries.set(place, retry);
  }

  #begin(): void {
    if (!this.#isStarted) return;
    this.#sweeping ??= this.#run().finally(() => {
      this.#sweeping = undefined;
    });
  }

  async #run(): Promise<void> {
    while (this.#isStarted && (this.#isEverywhere || this.#places.size > 0)) {
      const places = this.#isEverywhere ? undefined : this.#places;
      this.#places = new Set();
      this.#isEverywhere = false;
      const startedAt = performance.now();
      await this.#sweep(places).catch(this.#failed);
      if (!places) this.#pause(Math.max(EVERY_MS, (performance.now() - startedAt) * PAUSES));
    }
  }

  #pause(ms: number): void {
    if (!this.#isStarted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isEverywhere = true;
      this.#begin();
    }, ms);
  }
}
