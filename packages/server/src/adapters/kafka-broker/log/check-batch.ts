/** Looks at what a producer sent before it goes into a log: one whole batch of format 2, unchanged on its way, within the topic's limits. */
import { errors } from '../protocol/errors.ts';
import {
  batchBytes,
  compressionOf,
  compressions,
  HEAD_BYTES,
  isSound,
  isTransactional,
  magicOf,
  readHead,
  type BatchHead,
} from './batch.ts';
import type { LogSettings } from './log-settings.ts';
import { openBatch } from './records.ts';

const MAGIC_BYTES = 17;

export interface Refusal {
  readonly errorCode: number;
  readonly message: string;
}

/** Undefined where it may be written. */
export const checkBatch = (bytes: Buffer | null, settings: LogSettings, now: number): Refusal | undefined => {
  if (bytes === null || bytes.length < MAGIC_BYTES) return { errorCode: errors.INVALID_RECORD, message: 'There is no record batch.' };
  if (magicOf(bytes) !== 2)
    return { errorCode: errors.UNSUPPORTED_FOR_MESSAGE_FORMAT, message: 'Only record batches of format 2 are kept.' };
  if (bytes.length > settings.maxMessageBytes) {
    const message = `The batch has ${bytes.length} bytes; the topic's max.message.bytes is ${settings.maxMessageBytes}.`;
    return { errorCode: errors.MESSAGE_TOO_LARGE, message };
  }
  if (bytes.length > settings.segmentBytes)
    return { errorCode: errors.RECORD_LIST_TOO_LARGE, message: "The batch is larger than the topic's segment.bytes." };
  if (bytes.length < HEAD_BYTES || !isSound(bytes))
    return { errorCode: errors.CORRUPT_MESSAGE, message: 'The CRC of the batch does not match.' };
  if (batchBytes(bytes) !== bytes.length)
    return { errorCode: errors.INVALID_RECORD, message: 'A partition takes one record batch at a time.' };
  const head = readHead(bytes);
  return checkHead(head) ?? checkTime(head, settings, now) ?? checkKeys(bytes, head, settings);
};

const checkHead = (head: BatchHead): Refusal | undefined => {
  const invalid = (message: string): Refusal => ({ errorCode: errors.INVALID_RECORD, message });
  if (isTransactional(head.attributes)) return invalid('This broker has no transactions.');
  if (head.count <= 0 || head.lastOffset - head.baseOffset !== head.count - 1)
    return invalid('The count of records does not match their offsets.');
  if (compressions[compressionOf(head.attributes)] === undefined)
    return { errorCode: errors.UNSUPPORTED_COMPRESSION_TYPE, message: 'There is no such compression.' };
  if (head.producerId >= 0 && (head.producerEpoch < 0 || head.baseSequence < 0))
    return invalid('An idempotent producer gives epoch and sequence.');
  return undefined;
};

const checkTime = ({ maxTimestamp }: BatchHead, settings: LogSettings, now: number): Refusal | undefined => {
  if (settings.hasAppendTime || maxTimestamp < 0) return undefined;
  if (maxTimestamp - now <= settings.timestampAfterMaxMs && now - maxTimestamp <= settings.timestampBeforeMaxMs) return undefined;
  return { errorCode: errors.INVALID_TIMESTAMP, message: 'The time of a message is further from now than the topic allows.' };
};

/** Compaction goes by key. What is packed with snappy or lz4 is not looked into; compaction keeps it. */
const checkKeys = (bytes: Buffer, head: BatchHead, { isCompacted }: LogSettings): Refusal | undefined => {
  if (!isCompacted || !openBatch(bytes, head)?.some(({ key }) => key === null)) return undefined;
  return { errorCode: errors.INVALID_RECORD, message: 'Every message of a compacted topic needs a key.' };
};
