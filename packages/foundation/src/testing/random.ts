/** Random numbers that a seed repeats (mulberry32). */
export interface Random {
  /** From 0 to below `bound`. */
  below(bound: number): number;
  of<Item>(items: readonly Item[]): Item | undefined;
}

export const randomOf = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return { below, of: (items) => items[below(items.length)] };
};
