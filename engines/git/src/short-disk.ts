/**
 * Rejects a push that would leave the disk short. Git shows no body of a rejected HTTP request (and calls such a push up to date), so the
 * response is a git report that the pack was rejected. Pushes that only delete bring no pack and are always accepted.
 */
import type { Floor } from '@slipway/foundation/disk-floor.ts';
import { isNoSpace } from '@slipway/foundation/no-space.ts';
import type { ByteReader } from './pkt-line.ts';
import { encodeReport, frameReport } from './push-report.ts';
import type { PushRequest } from './push-request.ts';

const REASON = 'the disk of the platform is nearly full: nothing is taken until operators free some space';

export const isShort = async (floor: Floor): Promise<boolean> => {
  try {
    await floor.require();
    return false;
  } catch (error) {
    if (isNoSpace(error)) return true;
    throw error;
  }
};

/** Reads the pack to its end. Otherwise git would not show the reason. */
export async function* refusePush(request: PushRequest, reader: ByteReader): AsyncGenerator<Buffer> {
  for await (const _ of reader.rest());
  // Version 2 only adds lines for accepted refs.
  if (!['report-status', 'report-status-v2'].some((name) => request.capabilities.has(name))) return;
  const refs = new Map(request.changes.map(({ ref }) => [ref, 'the disk is nearly full'] as const));
  yield frameReport(encodeReport({ unpack: REASON, refs }), request.capabilities.has('side-band-64k'), []);
}
