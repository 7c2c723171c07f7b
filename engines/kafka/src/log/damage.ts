/**
 * Handles a damaged end of a log. As in Apache Kafka, a log ends where its first invalid batch begins. After a crash, nothing follows that
 * place. If whole batches follow, the disk has lost something: this is logged, and they are kept in a separate file.
 */
import fs from 'node:fs';
import { HEAD_BYTES, isSound, magicOf, readHead } from './batch.ts';
import type { PartitionLog } from './partition-log.ts';
import { damagedFile, type Segment } from './segment.ts';

/** How far to search for whole batches. Larger than the distance between two checkpoints. */
const LOOK_BYTES = 32 * 1024 * 1024;
const COPY_BYTES = 1024 * 1024;

export const cutOff = (log: PartitionLog, end: number): void => {
  const { active, tools } = log;
  const { file, bytes } = active;
  const lost = wholeBehind(active, end, log.endOffset);
  if (lost) {
    const kept = setAside(log, end);
    tools.log('error', 'a log is damaged: it ends there, and whole messages behind the damage are lost', {
      file,
      position: end,
      ...lost,
      kept,
    });
  } else tools.log('warn', 'the end of a log was torn and is cut off', { file, bytes: bytes - end });
  active.cut(end);
};

interface Lost {
  readonly messages: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
}

/**
 * Finds whole batches after the damage. Their offsets must continue those before the damage: batch-like bytes inside a message are not part
 * of this log.
 */
const wholeBehind = (segment: Segment, from: number, endOffset: number): Lost | undefined => {
  const bytes = segment.read(from, LOOK_BYTES);
  let found: Lost | undefined;
  for (let at = 1; at + HEAD_BYTES <= bytes.length;) {
    const head = magicOf(bytes, at) === 2 && isSound(bytes, at) ? readHead(bytes, at) : undefined;
    if (head && head.baseOffset >= (found?.lastOffset ?? endOffset)) {
      const { baseOffset, lastOffset, count } = head;
      found = { messages: (found?.messages ?? 0) + count, firstOffset: found?.firstOffset ?? baseOffset, lastOffset };
      at += head.bytes;
    } else at += 1;
  }
  return found;
};

/** Returns the file, or undefined if the disk has no space for it. */
const setAside = ({ active, tools }: PartitionLog, from: number): string | undefined => {
  const kept = damagedFile(active.file);
  try {
    const descriptor = fs.openSync(kept, 'w', 0o600);
    try {
      for (let at = from; at < active.bytes; at += COPY_BYTES) fs.writeSync(descriptor, active.read(at, COPY_BYTES));
    } finally {
      fs.closeSync(descriptor);
    }
    return kept;
  } catch (error) {
    tools.log('warn', 'what is cut off a damaged log could not be kept', { file: kept, error: String(error) });
    return undefined;
  }
};
