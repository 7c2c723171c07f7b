/** Seeded random choices, so that a failing pair can be reproduced. */
export class RandomSource {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 to below `count`. Mulberry32. */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }

  isOneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  one<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.below(values.length)] ?? values[0];
  }

  some<Value>(values: readonly Value[], most: number): Value[] {
    const left = [...values];
    return Array.from({ length: this.below(Math.min(most, left.length) + 1) }, () => left.splice(this.below(left.length), 1)).flat();
  }
}
