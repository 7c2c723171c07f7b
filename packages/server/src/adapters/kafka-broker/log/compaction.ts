/**
 * Keeps the newest record of each key, and forgets keys whose newest record has no value. It works on closed segments alone, one after the
 * other, each of which is replaced by a smaller file under the same name; offsets stay what they were. Batches that cannot be opened (snappy,
 * lz4) are kept whole.
 */
import { open, rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isSound, rebuilt, type BatchHead } from './batch.ts';
import type { PartitionLog } from './partition-log.ts';
import { openBatch, type LogRecord } from './records.ts';
import type { Segment } from './segment.ts';

/** More keys than this are looked at in the next round. */
const KEYS_AT_MOST = 1_000_000;
/** After so many bytes others get their turn. */
const TURN_BYTES = 256 * 1024;

interface Newest {
  readonly byKey: ReadonlyMap<string, number>;
  /** The first segment that was not looked at. */
  readonly to: number;
}

/** Answers whether anything was rewritten. */
export const compact = async (log: PartitionLog): Promise<boolean> => {
  if (log.isClosed || !log.settings.isCompacted) return false;
  const closed = log.segments.slice(0, -1).filter((segment) => isOldEnough(log, segment));
  const dirty = closed.filter(({ base }) => base >= log.cleanedTo);
  if (!isDirtyEnough(log, closed, dirty)) return false;
  const newest = await newestOffsets(log, dirty);
  for (const segment of closed) if (segment.base < newest.to) await rewrite(log, segment, newest.byKey);
  if (log.isClosed) return false;
  log.cleanedTo = newest.to;
  log.checkpoint();
  return true;
};

const isOldEnough = (log: PartitionLog, { maxTimestamp }: Segment): boolean =>
  log.settings.minCompactionLagMs === 0 || log.tools.now() - maxTimestamp > log.settings.minCompactionLagMs;

const isDirtyEnough = (log: PartitionLog, closed: readonly Segment[], dirty: readonly Segment[]): boolean => {
  const [first] = dirty;
  if (first === undefined) return false;
  const sum = (segments: readonly Segment[]) => segments.reduce((total, { bytes }) => total + bytes, 0);
  if (log.tools.now() - first.firstTimestamp > log.settings.maxCompactionLagMs) return true;
  return sum(dirty) >= sum(closed) * log.settings.minCleanableRatio;
};

const newestOffsets = async (log: PartitionLog, dirty: readonly Segment[]): Promise<Newest> => {
  const byKey = new Map<string, number>();
  let to = 0;
  for (const segment of dirty) {
    if (byKey.size >= KEYS_AT_MOST) break;
    for await (const { batch, head } of batchesOf(log, segment))
      for (const { key, offset } of recordsOf(batch, head) ?? []) if (key) byKey.set(key.toString('latin1'), offset);
    to = log.segments[log.segments.indexOf(segment) + 1]?.base ?? segment.base;
  }
  return { byKey, to };
};

async function* batchesOf(log: PartitionLog, segment: Segment): AsyncGenerator<{ batch: Buffer; head: BatchHead }> {
  let sinceTurn = 0;
  for (const { head, position } of segment.walkWhole(0)) {
    // Retention or the end of the topic may take the file away in any turn.
    if (log.isClosed || !log.segments.includes(segment)) return;
    yield { batch: segment.read(position, head.bytes), head };
    sinceTurn += head.bytes;
    if (sinceTurn >= TURN_BYTES) {
      sinceTurn = 0;
      await nextTurn();
    }
  }
}

/** What the disk has changed stays as it is: written anew it would look whole. */
const recordsOf = (batch: Buffer, head: BatchHead): LogRecord[] | undefined => (isSound(batch) ? openBatch(batch, head) : undefined);

/** Writes beside the segment, off the turns of the others, and takes its place in one turn. */
const rewrite = async (log: PartitionLog, segment: Segment, newest: ReadonlyMap<string, number>): Promise<void> => {
  const file = `${segment.file}.new`;
  const handle = await open(file, 'w', 0o600);
  let kept = 0;
  try {
    for await (const { batch, head } of batchesOf(log, segment)) {
      const left = withoutOld(log, batch, head, newest);
      if (left) kept += (await handle.write(left)).bytesWritten;
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
  const isHere = !log.isClosed && log.segments.includes(segment);
  if (!isHere || kept === segment.bytes) {
    await rm(file, { force: true });
    return;
  }
  segment.replaceBy(file);
  log.forgetHints();
};

/** The batch as it is, a smaller one, or nothing. */
const withoutOld = (log: PartitionLog, batch: Buffer, head: BatchHead, newest: ReadonlyMap<string, number>): Buffer | undefined => {
  const records = recordsOf(batch, head);
  if (records === undefined) return batch;
  const horizon = log.tools.now() - log.settings.deleteRetentionMs;
  const left = records.filter((record) => isKept(record, newest, horizon));
  if (left.length === records.length) return batch;
  if (left.length === 0) return undefined;
  return rebuilt(
    batch,
    left.map(({ raw }) => raw),
    Math.max(...left.map(({ timestamp }) => timestamp)),
  );
};

/** A record without a key is never taken for another's older one. */
const isKept = ({ key, offset, hasValue, timestamp }: LogRecord, newest: ReadonlyMap<string, number>, horizon: number): boolean => {
  if (key === null) return true;
  if ((newest.get(key.toString('latin1')) ?? offset) > offset) return false;
  return hasValue || timestamp > horizon;
};
