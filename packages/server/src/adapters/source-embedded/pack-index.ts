/** Writes the index of a pack, version 2: what git and this server look objects up by. */
import { createHash } from 'node:crypto';
import type { IncomingPack } from './incoming-pack.ts';

export function encodePackIndex(pack: IncomingPack): Buffer {
  const objects = [...pack.objects].sort((a, b) => (a.oid < b.oid ? -1 : a.oid > b.oid ? 1 : a.offset - b.offset));
  const index = Buffer.alloc(8 + 1024 + objects.length * 28 + 40);
  index.writeUInt32BE(0xff744f63, 0);
  index.writeUInt32BE(2, 4);
  const namesAt = 8 + 1024;
  const crcsAt = namesAt + objects.length * 20;
  const offsetsAt = crcsAt + objects.length * 4;
  const counts = new Uint32Array(256);
  for (const [position, object] of objects.entries()) {
    index.write(object.oid, namesAt + position * 20, 'hex');
    index.writeUInt32BE(object.crc, crcsAt + position * 4);
    // Packs are limited far below 2 GB, so the table of 64-bit offsets is never needed.
    index.writeUInt32BE(object.offset, offsetsAt + position * 4);
    const first = index.readUInt8(namesAt + position * 20);
    counts[first] = (counts[first] ?? 0) + 1;
  }
  let total = 0;
  for (const [first, count] of counts.entries()) {
    total += count;
    index.writeUInt32BE(total, 8 + first * 4);
  }
  index.write(pack.checksum, index.length - 40, 'hex');
  createHash('sha1')
    .update(index.subarray(0, -20))
    .digest()
    .copy(index, index.length - 20);
  return index;
}
