/** Zip archives for tests, honest ones and others: no more of the format than it takes. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** Size that the archive declares for the file, if this differs from the real size. */
  readonly claimedBytes?: number;
}

/** Version, flags, method, time and date, then checksum and sizes: in both of the records that a file has. */
const facts = (packed: Uint8Array, content: Uint8Array, claimedBytes: number): Buffer => {
  const bytes = Buffer.alloc(22);
  bytes.writeUInt16LE(20, 0);
  bytes.writeUInt16LE(8, 4);
  bytes.writeUInt32LE(crc32(content), 10);
  bytes.writeUInt32LE(packed.length, 14);
  bytes.writeUInt32LE(claimedBytes, 18);
  return bytes;
};
const numbers = (...values: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer =>
  Buffer.concat(
    values.map(([size, value]) => {
      const bytes = Buffer.alloc(size);
      bytes.writeUIntLE(value, 0, size);
      return bytes;
    }),
  );

export const zipOf = (files: readonly ZipFile[]): Buffer => {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const { name, content, claimedBytes } of files) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const own = facts(packed, bytes, claimedBytes ?? bytes.length);
    const title = Buffer.from(name);
    const part = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), own, numbers([2, title.length], [2, 0]), title, packed]);
    const rest = numbers([2, title.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, 0], [4, at]);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), own, rest, title]));
    local.push(part);
    at += part.length;
  }
  const directory = Buffer.concat(central);
  const end = numbers([2, 0], [2, 0], [2, files.length], [2, files.length], [4, directory.length], [4, at], [2, 0]);
  return Buffer.concat([...local, directory, Buffer.from('PK\x05\x06', 'latin1'), end]);
};
