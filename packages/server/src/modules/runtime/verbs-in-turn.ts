/**
 * Verbs to the runtime, one at a time for each revision, and only so many at once: a slow stop must not hold up the others. Stops, which wait
 * for programs to end, have a lane of their own.
 */

/** What took longer has most likely changed something. */
const QUICK_MS = 50;
const AT_ONCE = { start: 32, stop: 128 } as const;
export type Lane = keyof typeof AT_ONCE;
/** So many verbs wait in a lane. More are left to the next pass. */
const WAITING = 500;

export interface VerbsOptions {
  readonly warn: (error: unknown, about: object, text: string) => void;
  /** There is something to look at again. */
  readonly onChanged: () => void;
}

export class VerbsInTurn {
  readonly #options: VerbsOptions;
  /** In a lane, at work or waiting. */
  readonly #busy = new Set<string>();
  /** Those of them of which something else was wanted meanwhile. */
  readonly #passedOver = new Set<string>();
  readonly #lanes = { start: { running: 0, waiting: new Array<() => void>() }, stop: { running: 0, waiting: new Array<() => void>() } };
  /** Some found no place in a lane. */
  #isLeftOut = false;

  constructor(options: VerbsOptions) {
    this.#options = options;
  }

  act(key: string, lane: Lane, verb: () => Promise<void>): void {
    if (this.#busy.has(key)) {
      this.#passedOver.add(key);
      return;
    }
    const { running, waiting } = this.#lanes[lane];
    if (waiting.length >= WAITING) {
      this.#isLeftOut = true;
      return;
    }
    this.#busy.add(key);
    if (running < AT_ONCE[lane]) this.#run(key, lane, verb);
    else waiting.push(() => this.#run(key, lane, verb));
  }

  #run(key: string, lane: Lane, verb: () => Promise<void>): void {
    this.#lanes[lane].running += 1;
    const startedAt = Date.now();
    void verb()
      .catch((error: unknown) => this.#options.warn(error, { revision: key }, 'The runtime refused; trying again'))
      .finally(() => {
        this.#busy.delete(key);
        this.#next(lane);
        if (this.#passedOver.delete(key) || Date.now() - startedAt > QUICK_MS) this.#options.onChanged();
      });
  }

  #next(lane: Lane): void {
    this.#lanes[lane].running -= 1;
    this.#lanes[lane].waiting.shift()?.();
    if (!this.#isLeftOut || this.#lanes[lane].waiting.length > 0) return;
    this.#isLeftOut = false;
    this.#options.onChanged();
  }
}
