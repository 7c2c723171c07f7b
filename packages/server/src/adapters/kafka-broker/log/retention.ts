/** Removes segments that are too old or too much, and what somebody asked to delete. The rules are Apache Kafka's (UnifiedLog). */
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
/** Messages without a time are as old as their file. */
const timeOf = ({ maxTimestamp, file }: Segment): number =>
  maxTimestamp >= 0 ? maxTimestamp : (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);

/** A topic in which nothing is written any more ends empty, too. */
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
  // Said before the files go: nobody reads below it after a kill in between.
  log.checkpoint();
  for (const segment of gone) segment.remove();
};

/** DeleteRecords: everything below `offset` is gone at once for readers, and from the disk where whole segments are. */
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
