/**
 * The head of a record batch (format 2, the only one that is kept). What follows it, compressed or not, is kept as the producer made it. The
 * CRC covers everything after itself, so that base offset and leader epoch can be written anew without computing it again.
 */
import { crc32c } from './crc32c.ts';

export const HEAD_BYTES = 61;
/** Base offset and length, which the length does not count. */
export const PREFIX_BYTES = 12;
const MAGIC = 2;
const HIGH = 2 ** 32;

const place = {
  length: 8,
  leaderEpoch: 12,
  magic: 16,
  crc: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  baseTimestamp: 27,
  maxTimestamp: 35,
} as const;
const later = { producerId: 43, producerEpoch: 51, baseSequence: 53, count: 57 } as const;

export const compressions = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
const bits = { compression: 0b111, logAppendTime: 0b1000, transactional: 0b1_0000, control: 0b10_0000 } as const;

export interface BatchHead {
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** Of the whole batch, prefix included. */
  readonly bytes: number;
  readonly attributes: number;
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
  /** -1 for a producer that is not idempotent. */
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly count: number;
}

export const readInt64 = (bytes: Buffer, at: number): number => bytes.readInt32BE(at) * HIGH + bytes.readUInt32BE(at + 4);
export const writeInt64 = (bytes: Buffer, value: number, at: number): void => {
  const high = Math.floor(value / HIGH);
  bytes.writeInt32BE(high, at);
  bytes.writeUInt32BE(value - high * HIGH, at + 4);
};

/** The caller has seen to it that a whole head is there. */
export const readHead = (bytes: Buffer, at = 0): BatchHead => {
  const baseOffset = readInt64(bytes, at);
  return {
    baseOffset,
    lastOffset: baseOffset + bytes.readInt32BE(at + place.lastOffsetDelta),
    bytes: bytes.readInt32BE(at + place.length) + PREFIX_BYTES,
    attributes: bytes.readInt16BE(at + place.attributes),
    baseTimestamp: readInt64(bytes, at + place.baseTimestamp),
    maxTimestamp: readInt64(bytes, at + place.maxTimestamp),
    producerId: readInt64(bytes, at + later.producerId),
    producerEpoch: bytes.readInt16BE(at + later.producerEpoch),
    baseSequence: bytes.readInt32BE(at + later.baseSequence),
    count: bytes.readInt32BE(at + later.count),
  };
};

export const batchBytes = (bytes: Buffer, at = 0): number => bytes.readInt32BE(at + place.length) + PREFIX_BYTES;
export const magicOf = (bytes: Buffer, at = 0): number => bytes.readInt8(at + place.magic);

export const compressionOf = (attributes: number): number => attributes & bits.compression;
export const isTransactional = (attributes: number): boolean => (attributes & (bits.transactional | bits.control)) !== 0;

/** Whether a whole batch of format 2 stands at `at`, unchanged since it was made. */
export const isSound = (bytes: Buffer, at = 0): boolean => {
  if (bytes.length - at < HEAD_BYTES) return false;
  const length = batchBytes(bytes, at);
  if (length < HEAD_BYTES || length > bytes.length - at || magicOf(bytes, at) !== MAGIC) return false;
  return bytes.readUInt32BE(at + place.crc) === crc32c(bytes, at + place.attributes, at + length);
};

/** Gives the batch its place in the log. */
export const putInPlace = (bytes: Buffer, baseOffset: number, leaderEpoch: number): void => {
  writeInt64(bytes, baseOffset, 0);
  bytes.writeInt32BE(leaderEpoch, place.leaderEpoch);
};

/** Sets the time of a batch for a topic whose messages have the time of their arrival. */
export const stampAppendTime = (bytes: Buffer, now: number): void => {
  bytes.writeInt16BE(bytes.readInt16BE(place.attributes) | bits.logAppendTime, place.attributes);
  writeInt64(bytes, now, place.maxTimestamp);
  seal(bytes);
};

/** Puts right what the batch says of its newest record. Its records have the times that the producer gave them. */
export const stampMaxTimestamp = (bytes: Buffer, maxTimestamp: number): void => {
  bytes.writeInt16BE(bytes.readInt16BE(place.attributes) & ~bits.logAppendTime, place.attributes);
  writeInt64(bytes, maxTimestamp, place.maxTimestamp);
  seal(bytes);
};

/** Writes length and CRC of a batch that was changed. */
export const seal = (bytes: Buffer): void => {
  bytes.writeInt32BE(bytes.length - PREFIX_BYTES, place.length);
  bytes.writeUInt32BE(crc32c(bytes, place.attributes), place.crc);
};

export interface Rebuilt {
  /** Packed as `compression` says, its place in `compressions`. */
  readonly records: Buffer;
  readonly compression: number;
  readonly count: number;
  readonly maxTimestamp: number;
}
/** A batch like `original` with fewer records. Offsets stay what they were. */
export const rebuilt = (original: Buffer, { records, compression, count, maxTimestamp }: Rebuilt): Buffer => {
  const batch = Buffer.concat([original.subarray(0, HEAD_BYTES), records]);
  batch.writeInt16BE((batch.readInt16BE(place.attributes) & ~bits.compression) | compression, place.attributes);
  writeInt64(batch, maxTimestamp, place.maxTimestamp);
  batch.writeInt32BE(count, later.count);
  seal(batch);
  return batch;
};

export const hasAppendTime = (attributes: number): boolean => (attributes & bits.logAppendTime) !== 0;
export const withoutAppendTime = (attributes: number): number => attributes & ~bits.logAppendTime;
