/** Finds where reading goes on behind what is damaged on a broker: nobody says how far that is, so that it is tried. */
import type { Connection } from '@platformatic/kafka';
import { fetchMessages, type FetchPosition } from './fetch.ts';

/** One batch, whatever its size. */
const LEAST = { maxBytes: 1, maxWaitMs: 0 };

/**
 * The first offset behind the damage from which the broker gives messages again; `end` where there is none. In steps that double, then in
 * halves: forty requests for a million messages. Of several damaged places that lie close together, what is between them may be passed over.
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
