/** Validates what a producer sent before it is appended to a log: one whole, undamaged batch of format 2, within the topic's limits. */
import { errors } from '../protocol/errors.ts';
import {
  batchBytes,
  compressionOf,
  compressions,
  hasAppendTime,
  HEAD_BYTES,
  isSound,
  isTransactional,
  magicOf,
  readHead,
  stampMaxTimestamp,
  withoutAppendTime,
  type BatchHead,
} from './batch.ts';
import type { LogSettings } from './log-settings.ts';
import { visitAtOnce, visitInTurns } from './records/read-records.ts';
import { TooMuchWaiting, type Turns } from './records/turns.ts';
import { UNPACKED_BYTES } from './records/unpack.ts';
import { InvalidRecords, RecordsTooLarge, type Visit } from './records/walk.ts';

const MAGIC_BYTES = 17;

export interface Refusal {
  readonly errorCode: number;
  readonly message: string;
}

/** Checks the batch as a whole. Returns undefined if its records can be checked. */
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
  return checkHead(head) ?? checkTime(head.maxTimestamp, settings, now);
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

const checkTime = (maxTimestamp: number, settings: LogSettings, now: number): Refusal | undefined => {
  if (settings.hasAppendTime || maxTimestamp < 0) return undefined;
  if (maxTimestamp - now <= settings.timestampAfterMaxMs && now - maxTimestamp <= settings.timestampBeforeMaxMs) return undefined;
  return { errorCode: errors.INVALID_TIMESTAMP, message: 'The time of a message is further from now than the topic allows.' };
};

interface RecordCheck {
  readonly settings: LogSettings;
  readonly now: number;
  readonly turns: Turns;
  readonly principal: string;
}

/**
 * Checks every record of a batch whose header is valid, so that the log only contains records that clients can read. Corrects the header's
 * maximum timestamp, like Apache Kafka. Checks small batches synchronously and larger ones in turns. Returns undefined if the batch may be
 * written.
 */
export const checkRecords = (batch: Buffer, check: RecordCheck): Refusal | undefined | Promise<Refusal | undefined> => {
  const sent = readHead(batch);
  const head = { ...sent, attributes: withoutAppendTime(sent.attributes) };
  const seen = new Seen(head, check);
  try {
    return visitAtOnce(batch, head, check.turns, seen.visit) ? seen.verdict(batch) : checkInTurns(batch, head, seen, check);
  } catch (error) {
    return refusalOf(error);
  }
};

const checkInTurns = async (
  batch: Buffer,
  head: BatchHead,
  seen: Seen,
  { turns, principal }: RecordCheck,
): Promise<Refusal | undefined> => {
  try {
    // The batch is a slice of the request, which is held in memory as a whole.
    await turns.run(principal, batch.buffer.byteLength, () => visitInTurns(batch, head, seen.visit));
    return seen.verdict(batch);
  } catch (error) {
    return refusalOf(error);
  }
};

const refusalOf = (error: unknown): Refusal => {
  if (error instanceof InvalidRecords) return { errorCode: errors.INVALID_RECORD, message: error.message };
  // Kafka's own producer then splits the batch.
  if (error instanceof RecordsTooLarge)
    return { errorCode: errors.MESSAGE_TOO_LARGE, message: `The records of a batch may unpack to ${UNPACKED_BYTES} bytes.` };
  if (error instanceof TooMuchWaiting) return { errorCode: errors.REQUEST_TIMED_OUT, message: 'Too many large batches are being checked.' };
  throw error;
};

class Seen {
  readonly #head: BatchHead;
  readonly #check: RecordCheck;
  #count = 0;
  #maxTimestamp = -1;
  #minTimestamp = Infinity;

  constructor(head: BatchHead, check: RecordCheck) {
    this.#head = head;
    this.#check = check;
  }

  readonly visit: Visit = ({ offset, timestamp, hasKey }) => {
    if (offset !== this.#head.baseOffset + this.#count) throw new InvalidRecords('The offsets of the records do not follow one another.');
    this.#count += 1;
    // Compaction needs keys.
    if (!hasKey && this.#check.settings.isCompacted) throw new InvalidRecords('Every message of a compacted topic needs a key.');
    if (timestamp > this.#maxTimestamp) this.#maxTimestamp = timestamp;
    if (timestamp < this.#minTimestamp) this.#minTimestamp = timestamp;
  };

  verdict(batch: Buffer): Refusal | undefined {
    const { settings, now } = this.#check;
    const refusal = checkTime(this.#maxTimestamp, settings, now) ?? checkTime(this.#minTimestamp, settings, now);
    if (refusal === undefined && this.#isWrong(batch) && !settings.hasAppendTime) stampMaxTimestamp(batch, this.#maxTimestamp);
    return refusal;
  }
  #isWrong(batch: Buffer): boolean {
    const { maxTimestamp, attributes } = readHead(batch);
    return maxTimestamp !== this.#maxTimestamp || hasAppendTime(attributes);
  }
}
