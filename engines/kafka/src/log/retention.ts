/** Removes segments by age and size, and records that a client asked to delete. Follows Apache Kafka's rules (UnifiedLog). */
import fs from 'node:fs';
import type { PartitionLog } from './partition-log.ts';
import type { Segment } from './segment.ts';

export const applyRetention = (log: PartitionLog): void => {
  if (log.isClosed) return;
  const { settings } = log;
  if (settings.isDeleted) {
    if (settings.retentionMs >= 0) rollExpired(log);
    let over = settings.retentionBytes < 0 ? -1 : log.bytes - settings.retentionBytes;
    removeWhile(log, (segment) => {
      const isTooMuch = over >= segment.bytes;
      if (isTooMuch) over -= segment.bytes;
      return isTooMuch || isExpired(log, segment);
    });
  }
  removeWhile(log, (_, next) => next.base <= log.startOffset);
};

const isExpired = (log: PartitionLog, segment: Segment): boolean => {
  const { retentionMs } = log.settings;
  return retentionMs >= 0 && segment.bytes > 0 && log.tools.now() - timeOf(segment) > retentionMs;
};
/** Messages without a timestamp have the age of their file. */
const timeOf = ({ maxTimestamp, file }: Segment): number =>
  maxTimestamp >= 0 ? maxTimestamp : (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);

/** Rolls an expired active segment, so that a topic without writes becomes empty, too. */
const rollExpired = (log: PartitionLog): void => {
  if (isExpired(log, log.active)) log.roll();
};

const removeWhile = (log: PartitionLog, isDue: (segment: Segment, next: Segment) => boolean): void => {
  const gone: Segment[] = [];
  for (const [index, segment] of log.segments.entries()) {
    const next = log.segments[index + 1];
    if (next === undefined || !isDue(segment, next)) break;
    gone.push(segment);
  }
  const first = log.segments[gone.length];
  if (gone.length === 0 || first === undefined) return;
  log.segments.splice(0, gone.length);
  log.forgetHints();
  log.startOffset = Math.max(log.startOffset, first.base);
  // Saved before the files are removed, so that nobody reads below this offset after a kill in between.
  log.checkpoint();
  for (const segment of gone) segment.remove();
};

/** DeleteRecords: hides everything below `offset` from readers immediately, and removes whole segments from disk. */
export const deleteBefore = (log: PartitionLog, offset: number): void => {
  const before = log.startOffset;
  if (offset <= before) return;
  log.startOffset = offset;
  if (offset === log.endOffset) log.roll();
  try {
    log.requireCheckpoint();
  } catch (error) {
    log.startOffset = before;
    throw error;
  }
  removeWhile(log, (_, next) => next.base <= offset);
};
