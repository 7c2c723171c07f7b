/** Visits the records of a batch, to check it, to find a timestamp in it, or to compact it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { batchBytes, HEAD_BYTES, type BatchHead } from '../batch.ts';
import type { Turns } from './turns.ts';
import { unpackAtOnce, unpackPieces } from './unpack.ts';
import { RecordWalk, type Visit } from './walk.ts';

const bodyOf = (batch: Buffer): Buffer => batch.subarray(HEAD_BYTES, batchBytes(batch));

/** Returns false, without visiting anything, if that would take too long. Use visitInTurns then. Throws InvalidRecords. */
export const visitAtOnce = (batch: Buffer, head: BatchHead, turns: Turns, visit: Visit): boolean => {
  if (!turns.hasTime) return false;
  return turns.atOnce(() => {
    const records = unpackAtOnce(bodyOf(batch), head.attributes);
    if (records === undefined) return false;
    const walk = new RecordWalk(head, visit);
    walk.push(records);
    walk.end();
    return true;
  });
};

/** Visits records piece by piece and yields to other requests in between. Throws InvalidRecords and RecordsTooLarge. */
export const visitInTurns = async (batch: Buffer, head: BatchHead, visit: Visit): Promise<void> => {
  const walk = new RecordWalk(head, visit);
  for await (const piece of unpackPieces(bodyOf(batch), head.attributes)) {
    walk.push(piece);
    if (walk.isEnough) return;
    await nextTurn();
  }
  walk.end();
};
