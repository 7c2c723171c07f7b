/** One entry of a pack file: its header, its compressed body, and the deltas that build one object from another. */
import { promisify } from 'node:util';
import { inflate, inflateSync } from 'node:zlib';
import { MalformedObject } from './git-object.ts';
import type { ObjectType } from './git-object.ts';

const inflateLater = promisify(inflate);
const packTypes: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
/** Above this size inflating is worth a trip to the thread pool. */
const asyncBytes = 256 * 1024;

export class ObjectTooLarge extends Error {
  override readonly name = 'ObjectTooLarge';
  /** Where it is one file of a pushed pack that could be named. */
  readonly file: { readonly path: string; readonly size: number } | undefined;

  constructor(file?: { readonly path: string; readonly size: number }) {
    super();
    this.file = file;
  }
}

export interface EntryHeader {
  /** Undefined for a delta, which takes its base's type. */
  readonly type: ObjectType | undefined;
  /** Bytes of the body when inflated. */
  readonly size: number;
  /** Where the compressed body starts, counted from the entry's first byte. */
  readonly bodyAt: number;
  /** A delta's base: how many bytes before this entry, or which object. */
  readonly baseDistance: number | undefined;
  readonly baseOid: string | undefined;
}

/** The longest header: ten bytes of size, and a base's 20-byte name. */
export const maxHeaderBytes = 32;

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new MalformedObject('truncated pack entry');
  return byte;
}

export function parseEntryHeader(bytes: Buffer): EntryHeader {
  let at = 0;
  let byte = byteAt(bytes, at++);
  const code = (byte >> 4) & 7;
  let size = byte & 15;
  for (let scale = 16; byte & 128; scale *= 128) {
    byte = byteAt(bytes, at++);
    size += (byte & 127) * scale;
  }
  if (!Number.isSafeInteger(size)) throw new MalformedObject('pack entry with an impossible size');
  if (code === 7) {
    byteAt(bytes, at + 19);
    return { type: undefined, size, bodyAt: at + 20, baseDistance: undefined, baseOid: bytes.toString('hex', at, at + 20) };
  }
  if (code === 6) {
    byte = byteAt(bytes, at++);
    let distance = byte & 127;
    while (byte & 128) {
      byte = byteAt(bytes, at++);
      distance = (distance + 1) * 128 + (byte & 127);
    }
    return { type: undefined, size, bodyAt: at, baseDistance: distance, baseOid: undefined };
  }
  const type = packTypes[code];
  if (type === undefined) throw new MalformedObject('pack entry of an unknown type');
  return { type, size, bodyAt: at, baseDistance: undefined, baseOid: undefined };
}

const options = (size: number): { maxOutputLength: number; chunkSize: number } => ({
  maxOutputLength: Math.max(size, 1),
  chunkSize: Math.min(Math.max(size, 64), 1024 * 1024),
});

/** Inflates a body whose end is not known. Answers the content and how many compressed bytes it took. */
export function inflateBody(bytes: Buffer, size: number): { content: Buffer; taken: number } {
  // The type declarations lack what `info` changes: the answer is the buffer together with the engine that made it.
  const { buffer, engine } = inflateSync(bytes, { ...options(size), info: true }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  if (buffer.length !== size) throw new MalformedObject('pack entry whose size does not match');
  return { content: buffer, taken: engine.bytesWritten };
}

export async function inflateExactly(bytes: Buffer, size: number): Promise<Buffer> {
  const content = size > asyncBytes ? await inflateLater(bytes, options(size)) : inflateSync(bytes, options(size));
  if (content.length !== size) throw new MalformedObject('object whose size does not match');
  return content;
}

function varint(delta: Buffer, at: number): { value: number; next: number } {
  let value = 0;
  let scale = 1;
  for (let next = at; ; scale *= 128) {
    const byte = byteAt(delta, next++);
    value += (byte & 127) * scale;
    if ((byte & 128) === 0) return { value, next };
  }
}

/** Bytes that applying `delta` will make. */
export const deltaResultSize = (delta: Buffer): number => varint(delta, varint(delta, 0).next).value;

export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number): Buffer {
  const source = varint(delta, 0);
  const target = varint(delta, source.next);
  if (source.value !== base.length) throw new MalformedObject('delta for another base');
  if (target.value > maxBytes) throw new ObjectTooLarge();
  const result = Buffer.allocUnsafe(target.value);
  let written = 0;
  for (let at = target.next; at < delta.length;) {
    const command = byteAt(delta, at++);
    let from = delta;
    let start = at;
    let length = command;
    if (command & 128) {
      start = 0;
      length = 0;
      for (let bit = 0; bit < 4; bit++) if (command & (1 << bit)) start += byteAt(delta, at++) * 2 ** (8 * bit);
      for (let bit = 0; bit < 3; bit++) if (command & (16 << bit)) length += byteAt(delta, at++) * 2 ** (8 * bit);
      if (length === 0) length = 0x10000;
      from = base;
    } else {
      if (command === 0) throw new MalformedObject('delta with a reserved command');
      at += length;
    }
    if (start + length > from.length || written + length > result.length) throw new MalformedObject('delta that leaves its bounds');
    from.copy(result, written, start, start + length);
    written += length;
  }
  if (written !== result.length) throw new MalformedObject('delta that ends early');
  return result;
}
