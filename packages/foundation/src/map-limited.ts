/** Runs work on many items with a limit on the calls in flight. A lint rule rejects `Promise.all` over a list. */

/** Enough to hide the latency of the database or the disk, with few file descriptors. */
export const AT_ONCE = 16;

/**
 * Maps `items` like `Promise.all(items.map(work))`, with at most `limit` calls in flight. Results keep the order of the items. After a
 * failure, no further item is started. The first error is thrown once the calls in flight have ended.
 */
export const mapLimited = async <Item, Result>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => Promise<Result>,
  limit: number = AT_ONCE,
): Promise<Result[]> => {
  const results: Result[] = [];
  const errors: unknown[] = [];
  const waiting = [...items].entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      try {
        results[index] = await work(item, index);
      } catch (error) {
        errors.push(error);
      }
      if (errors.length > 0) return;
    }
  };
  // oxlint-disable-next-line slipway/fan-out -- this is the limit
  await Promise.all(Array.from({ length: limit }, worker));
  if (errors.length > 0) throw errors[0];
  return results;
};
