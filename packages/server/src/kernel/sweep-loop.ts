/**
 * Polls for work: immediately at one place after a notification, and every few seconds everywhere, to resume work of dead replicas. Runs
 * one sweep at a time. Full sweeps take only a small part of the time, however slow they are.
 */
import type { Log } from '#ports/log.ts';

const EVERY_MS = 5000;
/** A pause is at least this many times as long as the sweep before it. */
const PAUSES = 20;

/** `places`: where to look; undefined for everywhere. */
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

  /** Adds another sweep if one is running, because that one may have passed the place already. */
  look(place: string): void {
    this.#places.add(place);
    this.#begin();
  }

  /** Sweeps everywhere immediately: work that was skipped may be possible now. */
  lookAround(): void {
    this.#isEverywhere = true;
    this.#begin();
  }

  /** Sweeps the place again soon: its work could not be done yet. */
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
