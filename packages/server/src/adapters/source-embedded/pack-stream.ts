/** Makes the pack of a clone or fetch while it is being sent, one object at a time: memory does not grow with the repository. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import { MalformedObject } from './git-object.ts';
import type { ObjectType } from './git-object.ts';
import type { ObjectStore } from './object-store.ts';

const deflateLater = promisify(deflate);
const typeCodes: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const asyncBytes = 64 * 1024;
/** Small entries are gathered, or every one would become a network write of its own. */
const flushBytes = 32 * 1024;
/** Speed over size: clones come from near by. */
const level = { level: 1 };

function entryHeader(type: ObjectType, size: number): Buffer {
  const bytes: number[] = [];
  let rest = Math.floor(size / 16);
  let byte = (typeCodes[type] << 4) | (size & 15);
  while (rest > 0) {
    bytes.push(byte | 128);
    byte = rest & 127;
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, byte]);
}

export async function* packStream(objects: ObjectStore, oids: readonly string[]): AsyncGenerator<Buffer> {
  const hash = createHash('sha1');
  const header = Buffer.alloc(12);
  header.write('PACK');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(oids.length, 8);
  let parts: Buffer[] = [header];
  let bytes = header.length;
  for (const oid of oids) {
    const object = await objects.read(oid);
    if (object === undefined) throw new MalformedObject(`missing object ${oid}`);
    const body = object.content.length > asyncBytes ? await deflateLater(object.content, level) : deflateSync(object.content, level);
    parts.push(entryHeader(object.type, object.content.length), body);
    bytes += body.length;
    if (bytes < flushBytes) continue;
    const chunk = Buffer.concat(parts);
    hash.update(chunk);
    yield chunk;
    parts = [];
    bytes = 0;
  }
  const last = Buffer.concat(parts);
  yield Buffer.concat([last, hash.update(last).digest()]);
}
