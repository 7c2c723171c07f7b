/** Packs as no git would write them, made byte by byte. */
import { createHash } from 'node:crypto';
import { deflateRawSync, deflateSync, constants } from 'node:zlib';
import { flushPkt, pkt, zeroOid } from '@slipway/git/pkt-line.ts';

const types = { commit: 1, tree: 2, blob: 3, tag: 4, delta: 6 };
export type EntryType = keyof typeof types;

const header = (type: EntryType, size: number): Buffer => {
  const bytes = [(types[type] << 4) | (size % 16)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 128);
    bytes.push(rest % 128);
  }
  return Buffer.from(bytes);
};

/** One object; `size` is what its header says. */
export const entry = (type: EntryType, content: Buffer, size = content.length): Buffer =>
  Buffer.concat([header(type, size), deflateSync(content)]);

/** A delta against what begins `distance` bytes before it. */
export const delta = (instructions: Buffer, distance: number): Buffer => {
  const bytes = [distance % 128];
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1;
    bytes.unshift((rest % 128) | 128);
  }
  return Buffer.concat([header('delta', instructions.length), Buffer.from(bytes), deflateSync(instructions)]);
};

const chunkBytes = 16 * 1024 * 1024;
let chunk: Buffer | undefined;

/** An object of so many times 16 MiB of zeros, without ever making them. */
export const zeros = (type: EntryType, chunks: number): Buffer => {
  chunk ??= deflateRawSync(Buffer.alloc(chunkBytes), { finishFlush: constants.Z_FULL_FLUSH });
  const size = chunks * chunkBytes;
  // The sum of so many zeros: 1 in its lower half, their number in the upper.
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE((size % 65_521) * 65_536 + 1);
  return Buffer.concat([header(type, size), Buffer.of(0x78, 0x01), ...Array<Buffer>(chunks).fill(chunk), Buffer.of(3, 0), sum]);
};

/** `count` is what its header says. */
export const packOf = (entries: readonly Buffer[], count = entries.length): Buffer => {
  const start = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
  start.writeUInt32BE(count, 8);
  const body = Buffer.concat([start, ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
};

export const oidOf = (type: EntryType, content: Buffer): string =>
  createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');

export const treeOf = (...entries: readonly { mode: string; name: string; oid: string }[]): Buffer =>
  Buffer.concat(entries.flatMap(({ mode, name, oid }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]));

export const commitOf = (tree: string): Buffer => {
  const person = 'Mallory <mallory@example.test> 1800000000 +0000';
  return Buffer.from(`tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nAttack\n`);
};

/** The body of a push that makes a ref. */
export const pushOf = (ref: string, commit: string, pack: Buffer): Buffer =>
  Buffer.concat([pkt(`${zeroOid} ${commit} ${ref}\0report-status side-band-64k object-format=sha1`), flushPkt, pack]);
