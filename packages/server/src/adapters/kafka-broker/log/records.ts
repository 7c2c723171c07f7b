/**
 * Looks into a batch: for compaction, for the time of a single record, and to see that records of a compacted topic have keys. What gzip and
 * zstd packed is unpacked by Node itself, up to a limit; what snappy and lz4 packed stays closed.
 */
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { batchBytes, compressionOf, compressions, HEAD_BYTES, hasAppendTime, type BatchHead } from './batch.ts';

export interface LogRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly hasValue: boolean;
  /** The whole record, its length included. */
  readonly raw: Buffer;
}

/** A batch grows no further when it is opened: that is done in the turn of everybody. */
const OPENED_BYTES = 16 * 1024 * 1024;

/** The records of a batch at the start of `bytes`; undefined where it cannot be opened or makes no sense inside. */
export const openBatch = (bytes: Buffer, head: BatchHead): LogRecord[] | undefined => {
  try {
    const body = unpack(bytes.subarray(HEAD_BYTES, batchBytes(bytes)), head.attributes);
    return body && readRecords(body, head);
  } catch {
    return undefined;
  }
};

const unpack = (body: Buffer, attributes: number): Buffer | undefined => {
  switch (compressions[compressionOf(attributes)]) {
    case 'none':
      return body;
    case 'gzip':
      return gunzipSync(body, { maxOutputLength: OPENED_BYTES });
    case 'zstd':
      return zstdDecompressSync(body, { maxOutputLength: OPENED_BYTES });
    default:
      return undefined;
  }
};

const readRecords = (body: Buffer, head: BatchHead): LogRecord[] => {
  const records: LogRecord[] = [];
  const cursor = new Cursor(body);
  for (let index = 0; index < head.count; index += 1) {
    const start = cursor.at;
    const length = cursor.signed();
    const end = cursor.at + length;
    if (length <= 0 || end > body.length) throw new RangeError('a record beyond its batch');
    cursor.skip(1);
    const timestamp = head.baseTimestamp + cursor.signed();
    const offset = head.baseOffset + cursor.signed();
    const key = cursor.bytes();
    const hasValue = cursor.signed() >= 0;
    records.push({
      offset,
      timestamp: hasAppendTime(head.attributes) ? head.maxTimestamp : timestamp,
      key,
      hasValue,
      raw: body.subarray(start, end),
    });
    cursor.at = end;
  }
  return records;
};

/** Reads the numbers of variable length that records are made of. */
class Cursor {
  at = 0;
  readonly #bytes: Buffer;
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }
  skip(length: number): void {
    this.at += length;
  }
  /** Zigzag; up to 70 bits, of which 53 are kept. */
  signed(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes.readUInt8(this.at);
      this.at += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    throw new RangeError('a number without an end');
  }
  bytes(): Buffer | null {
    const length = this.signed();
    if (length < 0) return null;
    if (length > this.#bytes.length - this.at) throw new RangeError('bytes beyond their batch');
    const read = this.#bytes.subarray(this.at, this.at + length);
    this.at += length;
    return read;
  }
}
