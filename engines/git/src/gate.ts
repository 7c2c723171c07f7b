/** Limits concurrent requests. A few more are queued; others are asked to retry. */

export class Gate {
  readonly #places: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(places: number, maxWaiting: number) {
    this.#places = places;
    this.#maxWaiting = maxWaiting;
  }

  /** Returns a function that frees the place, or undefined if the queue is full. */
  async enter(): Promise<(() => void) | undefined> {
    if (this.#busy < this.#places) this.#busy += 1;
    else if (this.#waiting.length >= this.#maxWaiting) return undefined;
    // The place stays counted while it is handed over, so that no other request can take it.
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
