/** Reads record batches (message format 2) as a broker stores them. Reports unreadable batches and continues after them. */
import { crc32c, type readRecord } from '@platformatic/kafka';
import { hasCode } from '#kernel/caught.ts';
import type { SkippedMessages, StreamMessage } from '#ports/streaming.ts';
import { openRecords, RecordsTooLarge } from './open-records.ts';
import { pickRecords, type Picked } from './pick-records.ts';

export interface ReadBatch {
  readonly firstOffset: bigint;
  /** Offset of the next batch in this partition. Equal to `firstOffset` if damage makes it unknown. */
  readonly nextOffset: bigint;
  readonly producerId: bigint;
  readonly isTransactional: boolean;
  /** The type of a transaction marker, which is not a message. */
  readonly control: 'abort' | 'commit' | undefined;
  readonly messages: readonly StreamMessage[];
  /** Number of messages examined, whatever their key. */
  readonly scanned: number;
  /** Unpacked bytes. */
  readonly openedBytes: number;
  readonly skipped: SkippedMessages['reason'] | undefined;
}

const HEADER_BYTES = 61;
const CHECKSUM = 17;
/** The checksum covers the bytes from here to the end of the batch. */
const CHECKED = 21;
/** The batch's length field ends here and counts the bytes after it. */
const LENGTH_END = 12;
const FORMAT = 2;
const attribute = { compression: 0b111, isLogAppendTime: 0b1000, isTransactional: 0b1_0000, isControl: 0b10_0000 } as const;

/** Limits on what to read. Producers choose how many messages are in a batch. */
export interface Wanted {
  /** Only messages with this key. */
  readonly key?: Uint8Array | undefined;
  readonly from?: bigint;
  /** Messages per batch. If reached, `nextOffset` follows the last message read. */
  readonly most?: number;
}
const MOST_MESSAGES = 10_000;

export function* readBatches(bytes: Buffer, partition: number, wanted: Wanted = {}): Generator<ReadBatch> {
  for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
    const end = at + LENGTH_END + bytes.readInt32BE(at + 8);
    // The broker truncated this batch. The next request returns it.
    if (end > bytes.length || end < at + HEADER_BYTES) return;
    const following = end + 8 <= bytes.length ? bytes.readBigInt64BE(end) : undefined;
    yield readBatch(bytes.subarray(at, end), { partition, wanted, following });
    at = end;
  }
}

interface Reading {
  readonly partition: number;
  readonly wanted: Wanted;
  /** First offset of the next batch, if the answer contains it. */
  readonly following: bigint | undefined;
}

function readBatch(batch: Buffer, { partition, wanted, following }: Reading): ReadBatch {
  const firstOffset = batch.readBigInt64BE(0);
  const attributes = batch.readInt16BE(21);
  const head = {
    firstOffset,
    nextOffset: firstOffset + BigInt(batch.readInt32BE(23)) + 1n,
    producerId: batch.readBigInt64BE(43),
    isTransactional: (attributes & attribute.isTransactional) !== 0,
    control: undefined,
    messages: [],
    scanned: 0,
    openedBytes: 0,
    skipped: undefined,
  };
  if (batch.readInt8(16) !== FORMAT) return { ...head, nextOffset: endOf(head, following), skipped: 'unreadable' };
  if (crc32c(batch.subarray(CHECKED)) !== batch.readUInt32BE(CHECKSUM))
    return { ...head, nextOffset: endOf(head, following), isTransactional: false, skipped: 'checksum' };
  try {
    const isControl = (attributes & attribute.isControl) !== 0;
    const { count, records, scanned, openedBytes } = readRecords(batch, attributes & attribute.compression, isControl ? {} : wanted);
    if (isControl) return { ...head, control: controlOf(records[0]?.key) };
    const times = {
      first: batch.readBigInt64BE(27),
      appended: batch.readBigInt64BE(35),
      isAppended: (attributes & attribute.isLogAppendTime) !== 0,
    };
    const last = records.at(-1);
    const nextOffset = scanned < count && last ? firstOffset + BigInt(last.offsetDelta) + 1n : head.nextOffset;
    return {
      ...head,
      nextOffset,
      scanned,
      openedBytes,
      messages: records.map((record) => messageOf(record, partition, firstOffset, times)),
    };
  } catch (error) {
    const isTooLarge = error instanceof RecordsTooLarge || hasCode(error, 'ERR_BUFFER_TOO_LARGE');
    return { ...head, skipped: isTooLarge ? 'tooLarge' : 'unreadable' };
  }
}

/** Returns a damaged batch's end offset. Trusts the batch only as far as the next batch agrees. */
const endOf = ({ firstOffset, nextOffset }: Pick<ReadBatch, 'firstOffset' | 'nextOffset'>, following: bigint | undefined): bigint => {
  if (following === undefined || following <= firstOffset) return nextOffset;
  return nextOffset > firstOffset && nextOffset <= following ? nextOffset : following;
};

type KafkaRecord = ReturnType<typeof readRecord>;

interface OpenedRecords extends Picked {
  /** The batch's record count. */
  readonly count: number;
  readonly openedBytes: number;
}

function readRecords(batch: Buffer, compression: number, { key, from = 0n, most = MOST_MESSAGES }: Wanted): OpenedRecords {
  const count = batch.readInt32BE(57);
  const opened = openRecords(batch.subarray(HEADER_BYTES), compression);
  // Each record takes at least one byte, so a larger count is invalid.
  if (count < 0 || count > opened.length) throw new Error('a batch with a wrong count');
  const fromDelta = Number(from - batch.readBigInt64BE(0));
  return { count, openedBytes: opened.length, ...pickRecords(opened, count, { key, fromDelta, most }) };
}

interface Times {
  readonly first: bigint;
  readonly appended: bigint;
  readonly isAppended: boolean;
}
const messageOf = (record: KafkaRecord, partition: number, firstOffset: bigint, times: Times): StreamMessage => ({
  partition,
  offset: firstOffset + BigInt(record.offsetDelta),
  timestamp: dateOf(times.isAppended ? times.appended : times.first + record.timestampDelta),
  key: record.key,
  value: record.value,
  headers: record.headers.map(([key, value]) => ({ key: key?.toString('utf8') ?? '', value })),
});

/** Producers may write any number, including invalid dates. */
const dateOf = (milliseconds: bigint): Date => {
  const date = new Date(Number(milliseconds));
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
};

/** The key contains a version, then a type. */
const controlOf = (key: Buffer | null | undefined): 'abort' | 'commit' =>
  key && key.length >= 4 && key.readInt16BE(2) === 0 ? 'abort' : 'commit';
