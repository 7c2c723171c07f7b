/** Lets only so many requests work at once; a few more wait, the others are asked to come back. */

export class Gate {
  readonly #places: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(places: number, maxWaiting: number) {
    this.#places = places;
    this.#maxWaiting = maxWaiting;
  }

  /** Answers the function that gives the place back, or undefined when too many wait already. */
  async enter(): Promise<(() => void) | undefined> {
    if (this.#busy < this.#places) this.#busy += 1;
    else if (this.#waiting.length >= this.#maxWaiting) return undefined;
    // A place is handed over while it stays counted, so that nobody slips in between.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#busy -= 1;
      else next();
    };
  }
}
