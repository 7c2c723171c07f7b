/**
 * Compacts a log: keeps the newest record of each key, and drops keys whose newest record is a tombstone. Works only on closed segments,
 * one at a time, and replaces each by a smaller file with the same name. Offsets do not change. Batches that cannot be opened are kept
 * whole. Producers control this data, so neither the keys nor the records of one batch may fill the memory.
 */
import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip, zstdCompress } from 'node:zlib';
import { compressionOf, compressions, isSound, rebuilt, type BatchHead } from './batch.ts';
import type { PartitionLog } from './partition-log.ts';
import { GrowingBuffer } from './records/growing-buffer.ts';
import { visitAtOnce, visitInTurns } from './records/read-records.ts';
import { InvalidRecords, RecordsTooLarge, type RecordView, type Visit } from './records/walk.ts';
import type { Segment } from './segment.ts';

/** Maximum keys per round. The next round continues from there. */
const KEYS_AT_MOST = 500_000;
/** Longer keys are identified by their hash, which has this length. */
const KEY_BYTES = 32;
/** Yields to other requests after this many bytes. */
const TURN_BYTES = 256 * 1024;

interface Newest {
  readonly byKey: ReadonlyMap<string, number>;
  /** First offset that was not examined. */
  readonly to: number;
}

/** Returns true if anything was rewritten. */
export const compact = async (log: PartitionLog, keysAtMost = KEYS_AT_MOST): Promise<boolean> => {
  if (log.isClosed || !log.settings.isCompacted) return false;
  const closed = log.segments.slice(0, -1).filter((segment) => isOldEnough(log, segment));
  const dirty = closed.filter((segment) => endOf(log, segment) > log.cleanedTo);
  if (!isDirtyEnough(log, closed, dirty)) return false;
  const newest = await newestOffsets(log, dirty, keysAtMost);
  for (const segment of closed) if (segment.base < newest.to) await rewrite(log, segment, newest);
  if (log.isClosed) return false;
  log.cleanedTo = newest.to;
  log.checkpoint();
  return true;
};

/** Returns the offset after the segment's last one. */
const endOf = (log: PartitionLog, segment: Segment): number => log.segments[log.segments.indexOf(segment) + 1]?.base ?? log.endOffset;

const isOldEnough = (log: PartitionLog, { maxTimestamp }: Segment): boolean =>
  log.settings.minCompactionLagMs === 0 || log.tools.now() - maxTimestamp > log.settings.minCompactionLagMs;

const isDirtyEnough = (log: PartitionLog, closed: readonly Segment[], dirty: readonly Segment[]): boolean => {
  const [first] = dirty;
  if (first === undefined) return false;
  const sum = (segments: readonly Segment[]) => segments.reduce((total, { bytes }) => total + bytes, 0);
  if (log.tools.now() - first.firstTimestamp > log.settings.maxCompactionLagMs) return true;
  return sum(dirty) >= sum(closed) * log.settings.minCleanableRatio;
};

const newestOffsets = async (log: PartitionLog, dirty: readonly Segment[], keysAtMost: number): Promise<Newest> => {
  const byKey = new Map<string, number>();
  let to = log.cleanedTo;
  for (const segment of dirty) {
    for await (const { batch, head } of batchesOf(log, segment)) {
      if (head.lastOffset < log.cleanedTo) continue;
      let isFull = false;
      await visit(log, batch, head, (record) => {
        if (!record.hasKey || record.offset < log.cleanedTo) return false;
        const key = keyOf(record);
        isFull = byKey.size >= keysAtMost && !byKey.has(key);
        if (isFull) to = record.offset;
        else byKey.set(key, record.offset);
        return isFull;
      });
      if (isFull) return { byKey, to };
    }
    to = endOf(log, segment);
  }
  return { byKey, to };
};

const keyOf = (record: RecordView): string => {
  const key = record.key();
  return key.length < KEY_BYTES ? key.toString('latin1') : createHash('sha256').update(key).digest().toString('latin1');
};

async function* batchesOf(log: PartitionLog, segment: Segment): AsyncGenerator<{ batch: Buffer; head: BatchHead }> {
  let sinceTurn = 0;
  for (const { head, position } of segment.walkWhole(0)) {
    // Retention or the topic's deletion may remove the file in any turn.
    if (log.isClosed || !log.segments.includes(segment)) return;
    yield { batch: segment.read(position, head.bytes), head };
    sinceTurn += head.bytes;
    if (sinceTurn >= TURN_BYTES) {
      sinceTurn = 0;
      await nextTurn();
    }
  }
}

/**
 * Returns false for batches that cannot be opened. Damaged batches are not rewritten, because a new checksum would make them look valid.
 */
const visit = async (log: PartitionLog, batch: Buffer, head: BatchHead, visitor: Visit): Promise<boolean> => {
  if (!isSound(batch)) return false;
  try {
    if (!visitAtOnce(batch, head, log.tools.turns, visitor)) await visitInTurns(batch, head, visitor);
    return true;
  } catch (error) {
    if (error instanceof InvalidRecords || error instanceof RecordsTooLarge) return false;
    throw error;
  }
};

/** Writes a new file beside the segment, yielding to other requests, then replaces the segment in one turn. */
const rewrite = async (log: PartitionLog, segment: Segment, newest: Newest): Promise<void> => {
  const file = `${segment.file}.new`;
  const handle = await open(file, 'w', 0o600);
  let kept = 0;
  try {
    for await (const { batch, head } of batchesOf(log, segment)) {
      const left = await withoutOld(log, batch, head, newest);
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

/** Returns the batch unchanged, a smaller batch, or undefined if nothing is left. */
const withoutOld = async (log: PartitionLog, batch: Buffer, head: BatchHead, newest: Newest): Promise<Buffer | undefined> => {
  const horizon = log.tools.now() - log.settings.deleteRetentionMs;
  const left = new GrowingBuffer();
  let [count, seen, maxTimestamp] = [0, 0, -1];
  const isOpened = await visit(log, batch, head, (record) => {
    seen += 1;
    if (!isKept(record, newest, horizon)) return;
    count += 1;
    maxTimestamp = Math.max(maxTimestamp, record.timestamp);
    left.append(record.raw());
  });
  if (!isOpened || count === seen) return batch;
  if (count === 0) return undefined;
  return rebuilt(batch, { count, maxTimestamp, ...(await packed(left.bytes, head)) });
};

const toGzip = promisify(gzip);
const toZstd = promisify(zstdCompress);
/**
 * Compresses the records again, since a batch may be a thousand times as large unpacked. Keeps the codec if it is none or zstd. Otherwise
 * uses gzip, which every client reads.
 */
const packed = async (records: Buffer, { attributes }: BatchHead): Promise<{ records: Buffer; compression: number }> => {
  switch (compressions[compressionOf(attributes)]) {
    case 'none':
      return { records, compression: compressions.indexOf('none') };
    case 'zstd':
      return { records: await toZstd(records), compression: compressions.indexOf('zstd') };
    default:
      return { records: await toGzip(records), compression: compressions.indexOf('gzip') };
  }
};

/** Records without a key are always kept. */
const isKept = (record: RecordView, { byKey, to }: Newest, horizon: number): boolean => {
  if (!record.hasKey || record.offset >= to) return true;
  if ((byKey.get(keyOf(record)) ?? record.offset) > record.offset) return false;
  return record.hasValue || record.timestamp > horizon;
};
