/**
 * Opens the compressed records of a batch. Producers control this data, so batches that would decompress to more than a sensible size are
 * rejected: 1 MiB of gzip may hold 1 GiB of zeros.
 */
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { compressionsAlgorithms } from '@platformatic/kafka';

const MOST_BYTES = 32 * 1024 * 1024;

export class RecordsTooLarge extends Error {}

/** `compression` is from the batch's attributes. */
export function openRecords(records: Buffer, compression: number): Buffer {
  switch (compression) {
    case 0:
      return records;
    case 1:
      return gunzipSync(records, { maxOutputLength: MOST_BYTES });
    case 2:
      return checked(records, snappyBytes, compressionsAlgorithms.snappy.decompressSync);
    case 3:
      return checked(records, lz4Bytes, compressionsAlgorithms.lz4.decompressSync);
    case 4:
      return zstdDecompressSync(records, { maxOutputLength: MOST_BYTES });
    default:
      throw new Error(`There is no compression ${compression}`);
  }
}

function checked(records: Buffer, bytesOf: (records: Buffer) => number, open: (records: Buffer) => Buffer): Buffer {
  if (bytesOf(records) > MOST_BYTES) throw new RecordsTooLarge();
  return open(records);
}

const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER = 16;

/** Sums the blocks' sizes. Each block begins with its length, and Java's clients write several. */
function snappyBytes(records: Buffer): number {
  if (!records.subarray(0, XERIAL.length).equals(XERIAL)) return varint(records);
  let bytes = 0;
  for (let at = XERIAL_HEADER; at + 4 <= records.length; at += 4 + records.readUInt32BE(at)) bytes += varint(records.subarray(at + 4));
  return bytes;
}

function varint(bytes: Buffer): number {
  let value = 0;
  for (let index = 0; index < 5; index++) {
    const byte = bytes[index] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) break;
  }
  return value;
}

const LZ4_MAGIC = 0x184d2204;

/** Returns an upper bound: the number of blocks in the frame, times the frame's maximum block size. */
function lz4Bytes(records: Buffer): number {
  if (records.readUInt32LE(0) !== LZ4_MAGIC) throw new Error('no LZ4 frame');
  const flags = records.readUInt8(4);
  const blockBytes = 2 ** (8 + 2 * ((records.readUInt8(5) >> 4) & 7));
  const [checksum, contentSize, dictionary] = [flags & 0x10 ? 4 : 0, flags & 0x08 ? 8 : 0, flags & 0x01 ? 4 : 0];
  let blocks = 0;
  let at = 7 + contentSize + dictionary;
  while (at + 4 <= records.length) {
    const length = records.readUInt32LE(at) & 0x7fffffff;
    if (length === 0) break;
    blocks++;
    at += 4 + length + checksum;
  }
  return blocks * blockBytes;
}
