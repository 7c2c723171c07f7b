/** Verbs to the runtime, one at a time for each revision: a slow stop must not hold up the others. */

/** What took longer has most likely changed something. */
const QUICK_MS = 50;

export interface VerbsOptions {
  readonly warn: (error: unknown, about: object, text: string) => void;
  /** There is something to look at again. */
  readonly onChanged: () => void;
}

export class VerbsInTurn {
  readonly #options: VerbsOptions;
  readonly #busy = new Set<string>();
  /** Those of them of which something else was wanted meanwhile. */
  readonly #passedOver = new Set<string>();

  constructor(options: VerbsOptions) {
    this.#options = options;
  }

  act(key: string, verb: () => Promise<void>): void {
    if (this.#busy.has(key)) {
      this.#passedOver.add(key);
      return;
    }
    this.#busy.add(key);
    const startedAt = Date.now();
    void verb()
      .catch((error: unknown) => this.#options.warn(error, { revision: key }, 'The runtime refused; trying again'))
      .finally(() => {
        this.#busy.delete(key);
        if (this.#passedOver.delete(key) || Date.now() - startedAt > QUICK_MS) this.#options.onChanged();
      });
  }
}
