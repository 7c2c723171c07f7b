/**
 * Sends verbs to the runtime, one at a time for each revision and with limited concurrency, so that a slow stop does not delay the others.
 * Stops wait for programs to end, so they have their own lane.
 */

/** Milliseconds after which a verb has most likely changed something, so that another pass is needed. */
const QUICK_MS = 50;
const CONCURRENCY = { start: 32, stop: 128 } as const;
export type Lane = keyof typeof CONCURRENCY;
/** Maximum number of verbs that wait in a lane. The next pass sends the others. */
const WAITING = 500;

export interface VerbsOptions {
  readonly warn: (error: unknown, about: object, text: string) => void;
  /** Called when another pass is needed. */
  readonly onChanged: () => void;
}

export class VerbsInTurn {
  readonly #options: VerbsOptions;
  /** Keys with a verb that runs or waits in a lane. */
  readonly #busy = new Set<string>();
  /** Busy keys for which another verb was requested meanwhile. */
  readonly #passedOver = new Set<string>();
  readonly #lanes = { start: { running: 0, waiting: new Array<() => void>() }, stop: { running: 0, waiting: new Array<() => void>() } };
  /** Whether a full lane turned verbs away. */
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
    if (running < CONCURRENCY[lane]) this.#run(key, lane, verb);
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
