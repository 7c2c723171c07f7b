/**
 * Encodes entries of a journal: length, CRC-32 of the content, content as JSON. Detects entries that a crash truncated or the disk changed.
 */
import { crc32 } from 'node:zlib';

const HEADER_BYTES = 8;

export const frameOf = (entry: unknown): Buffer => {
  const content = Buffer.from(JSON.stringify(entry));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(content.length, 0);
  header.writeUInt32BE(crc32(content), 4);
  return Buffer.concat([header, content]);
};

export interface Frames {
  readonly entries: readonly unknown[];
  /** Number of valid bytes. The rest is damaged. */
  readonly wholeBytes: number;
}

export const readFrames = (bytes: Buffer): Frames => {
  const entries: unknown[] = [];
  let at = 0;
  for (;;) {
    if (bytes.length - at < HEADER_BYTES) break;
    const length = bytes.readUInt32BE(at);
    const content = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length);
    // A hole after a crash reads as zeros. No entry is empty.
    if (length === 0 || content.length < length || crc32(content) !== bytes.readUInt32BE(at + 4)) break;
    entries.push(JSON.parse(content.toString('utf8')));
    at += HEADER_BYTES + length;
  }
  return { entries, wholeBytes: at };
};
