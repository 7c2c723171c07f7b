/** Keeps an expensive reading for some seconds, so that requests of strangers cannot multiply its cost. */

export interface Reading<T> {
  readonly value: T;
  readonly ageSeconds: number;
}
interface Kept<T> {
  readonly value: T;
  readonly beganAtMs: number;
}

/** Returns a function that runs `read` once at a time. Callers who come meanwhile share its result, and so do those of the next `keptMs`. Errors are not kept. */
export const keptReading = <Input, T>(keptMs: number, read: (input: Input) => Promise<T>): ((input: Input) => Promise<Reading<T>>) => {
  let kept: Kept<T> | undefined;
  let running: Promise<Kept<T>> | undefined;
  const begin = async (input: Input): Promise<Kept<T>> => {
    const beganAtMs = performance.now();
    return (kept = { value: await read(input), beganAtMs });
  };
  return async (input) => {
    const isFresh = kept && performance.now() - kept.beganAtMs < keptMs;
    const { value, beganAtMs } = kept && isFresh ? kept : await (running ??= begin(input).finally(() => (running = undefined)));
    return { value, ageSeconds: (performance.now() - beganAtMs) / 1000 };
  };
};
