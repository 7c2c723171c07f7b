/** Finds the next readable offset after damage on a broker. The length of the damage is unknown, so this probes. */
import type { Connection } from '@platformatic/kafka';
import { fetchMessages, type FetchPosition } from './fetch.ts';

/** One batch, regardless of its size. */
const LEAST = { maxBytes: 1, maxWaitMs: 0 };

/**
 * Returns the first offset after the damage from which the broker returns messages again, or `end` if there is none. Doubles the step, then
 * bisects: forty requests for a million messages. May skip readable messages between nearby damaged ranges.
 */
export async function readableAfter(connection: Connection, { offset, ...place }: FetchPosition, end: bigint): Promise<bigint> {
  const isReadable = async (at: bigint): Promise<boolean> => {
    const [fetched] = await fetchMessages(connection, [{ ...place, offset: at }], LEAST);
    return fetched !== undefined && fetched.continueAt > at;
  };
  let damaged = offset;
  let readable = end;
  for (let step = 1n; damaged + step < end; step *= 2n) {
    if (await isReadable(damaged + step)) {
      readable = damaged + step;
      break;
    }
    damaged += step;
  }
  while (readable - damaged > 1n) {
    const middle = (damaged + readable) / 2n;
    if (await isReadable(middle)) readable = middle;
    else damaged = middle;
  }
  return readable > offset ? readable : offset + 1n;
}
