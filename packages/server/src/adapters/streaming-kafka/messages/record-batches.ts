/** Reads record batches (message format 2) as a broker keeps them. A batch that cannot be read is named, and does not hide those after it. */
import { crc32c, type readRecord } from '@platformatic/kafka';
import { hasCode } from '#kernel/caught.ts';
import type { SkippedMessages, StreamMessage } from '#ports/streaming.ts';
import { openRecords, RecordsTooLarge } from './open-records.ts';
import { pickRecords, type Picked } from './pick-records.ts';

export interface ReadBatch {
  readonly firstOffset: bigint;
  /** Of what comes after it, in this partition. Not beyond `firstOffset` where it is damaged so that this is not known. */
  readonly nextOffset: bigint;
  readonly producerId: bigint;
  readonly isTransactional: boolean;
  /** Ends a transaction, and is no message of anybody's. */
  readonly control: 'abort' | 'commit' | undefined;
  readonly messages: readonly StreamMessage[];
  /** Messages that were looked at, whatever their key. */
  readonly scanned: number;
  /** What was unpacked of it. */
  readonly openedBytes: number;
  readonly skipped: SkippedMessages['reason'] | undefined;
}

const HEADER_BYTES = 61;
const CHECKSUM = 17;
/** What the checksum is of: from here to the end of the batch. */
const CHECKED = 21;
/** Before the length counts. */
const LENGTH_END = 12;
const FORMAT = 2;
const attribute = { compression: 0b111, isLogAppendTime: 0b1000, isTransactional: 0b1_0000, isControl: 0b10_0000 } as const;

/** What of the batches is wanted. Whoever may write to a topic chooses how many messages are in a batch. */
export interface Wanted {
  /** Only messages with this key. */
  readonly key?: Uint8Array | undefined;
  readonly from?: bigint;
  /** Of one batch; `nextOffset` is the one after the last of them then. */
  readonly most?: number;
}
const MOST_MESSAGES = 10_000;

export function* readBatches(bytes: Buffer, partition: number, wanted: Wanted = {}): Generator<ReadBatch> {
  for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
    const end = at + LENGTH_END + bytes.readInt32BE(at + 8);
    // What a broker cut off comes with the next request.
    if (end > bytes.length || end < at + HEADER_BYTES) return;
    const following = end + 8 <= bytes.length ? bytes.readBigInt64BE(end) : undefined;
    yield readBatch(bytes.subarray(at, end), { partition, wanted, following });
    at = end;
  }
}

interface Reading {
  readonly partition: number;
  readonly wanted: Wanted;
  /** Where the batch behind it begins, as far as that was sent along. */
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

/** What a damaged batch says of its own end is believed as far as the batch behind it agrees. */
const endOf = ({ firstOffset, nextOffset }: Pick<ReadBatch, 'firstOffset' | 'nextOffset'>, following: bigint | undefined): bigint => {
  if (following === undefined || following <= firstOffset) return nextOffset;
  return nextOffset > firstOffset && nextOffset <= following ? nextOffset : following;
};

type KafkaRecord = ReturnType<typeof readRecord>;

interface OpenedRecords extends Picked {
  /** Of the batch. */
  readonly count: number;
  readonly openedBytes: number;
}

function readRecords(batch: Buffer, compression: number, { key, from = 0n, most = MOST_MESSAGES }: Wanted): OpenedRecords {
  const count = batch.readInt32BE(57);
  const opened = openRecords(batch.subarray(HEADER_BYTES), compression);
  // Each takes a byte at least: a count that cannot be true is not believed.
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

/** A producer may write any number. */
const dateOf = (milliseconds: bigint): Date => {
  const date = new Date(Number(milliseconds));
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
};

/** Version, then type. */
const controlOf = (key: Buffer | null | undefined): 'abort' | 'commit' =>
  key && key.length >= 4 && key.readInt16BE(2) === 0 ? 'abort' : 'commit';
