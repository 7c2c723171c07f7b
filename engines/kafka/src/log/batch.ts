/**
 * The header of a record batch (format 2, the only one that is stored). The records after it, compressed or not, are stored as the producer
 * made them. The CRC covers everything after itself, so base offset and leader epoch can be changed without computing it again.
 */
import { crc32c } from './crc32c.ts';

export const HEAD_BYTES = 61;
/** Base offset and length field. The length field does not count them. */
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
  /** Size of the whole batch, including the prefix. */
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

/** Parses the header. The caller ensures that it is complete. */
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

/** Returns true if there is a complete, unchanged batch of format 2 at `at`. */
export const isSound = (bytes: Buffer, at = 0): boolean => {
  if (bytes.length - at < HEAD_BYTES) return false;
  const length = batchBytes(bytes, at);
  if (length < HEAD_BYTES || length > bytes.length - at || magicOf(bytes, at) !== MAGIC) return false;
  return bytes.readUInt32BE(at + place.crc) === crc32c(bytes, at + place.attributes, at + length);
};

/** Writes the batch's position in the log into its header. */
export const putInPlace = (bytes: Buffer, baseOffset: number, leaderEpoch: number): void => {
  writeInt64(bytes, baseOffset, 0);
  bytes.writeInt32BE(leaderEpoch, place.leaderEpoch);
};

/** Sets the batch's timestamp, for topics that use the append time. */
export const stampAppendTime = (bytes: Buffer, now: number): void => {
  bytes.writeInt16BE(bytes.readInt16BE(place.attributes) | bits.logAppendTime, place.attributes);
  writeInt64(bytes, now, place.maxTimestamp);
  seal(bytes);
};

/** Corrects the batch's maximum timestamp. Its records keep the timestamps of the producer. */
export const stampMaxTimestamp = (bytes: Buffer, maxTimestamp: number): void => {
  bytes.writeInt16BE(bytes.readInt16BE(place.attributes) & ~bits.logAppendTime, place.attributes);
  writeInt64(bytes, maxTimestamp, place.maxTimestamp);
  seal(bytes);
};

/** Writes the length and CRC of a changed batch. */
export const seal = (bytes: Buffer): void => {
  bytes.writeInt32BE(bytes.length - PREFIX_BYTES, place.length);
  bytes.writeUInt32BE(crc32c(bytes, place.attributes), place.crc);
};

export interface Rebuilt {
  /** Compressed with `compression`, an index into `compressions`. */
  readonly records: Buffer;
  readonly compression: number;
  readonly count: number;
  readonly maxTimestamp: number;
}
/** Returns a batch like `original` with fewer records. Offsets do not change. */
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
