/** Decompresses snappy, either one block or the framing of Java's clients (xerial). */
import { InvalidRecords, RecordsTooLarge } from './walk.ts';

const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEAD_BYTES = 16;
/** A copy element has at least two bytes and yields at most 64, so no block can exceed this ratio. */
const MOST_RATIO = 32;
const FULL_BYTES = 64 * 1024;

const damaged = (): InvalidRecords => new InvalidRecords('The records cannot be unpacked with snappy.');

/** `most`: maximum unpacked bytes of a block. The whole size is allocated. */
export function* snappyPieces(body: Buffer, most: number): Generator<Buffer> {
  if (!body.subarray(0, XERIAL.length).equals(XERIAL)) {
    yield* blockPieces(body, most);
    return;
  }
  if (body.length < XERIAL_HEAD_BYTES) throw damaged();
  for (let at = XERIAL_HEAD_BYTES; at < body.length;) {
    if (at + 4 > body.length) throw damaged();
    const length = body.readUInt32BE(at);
    at += 4;
    if (length > body.length - at) throw damaged();
    yield* blockPieces(body.subarray(at, at + length), most);
    at += length;
  }
}

/** Yields the unpacked bytes in steps. Copies may refer back to the beginning of the block, so the block's output stays in memory. */
function* blockPieces(block: Buffer, most: number): Generator<Buffer> {
  let [length, at] = lengthOf(block);
  if (length > block.length * MOST_RATIO) throw damaged();
  if (length > most) throw new RecordsTooLarge();
  const output = Buffer.allocUnsafe(length);
  let [done, given] = [0, 0];
  while (at < block.length) {
    const tag = block[at] ?? 0;
    at += 1;
    const kind = tag & 3;
    let count = (tag >> 2) + 1;
    if (kind === 0) {
      const more = count - 60;
      if (more > 0) {
        if (at + more > block.length) throw damaged();
        count = block.readUIntLE(at, more) + 1;
        at += more;
      }
      if (count > block.length - at || count > length - done) throw damaged();
      block.copy(output, done, at, at + count);
      at += count;
    } else {
      const bytes = kind === 3 ? 4 : kind;
      if (at + bytes > block.length) throw damaged();
      let back = block.readUIntLE(at, bytes);
      at += bytes;
      if (kind === 1) {
        back += (tag >> 5) << 8;
        count = ((tag >> 2) & 7) + 4;
      }
      if (back === 0 || back > done || count > length - done) throw damaged();
      copyBack(output, done, back, count);
    }
    done += count;
    if (done - given >= FULL_BYTES) {
      yield output.subarray(given, done);
      given = done;
    }
  }
  if (done !== length) throw damaged();
  if (done > given) yield output.subarray(given, done);
}

const lengthOf = (block: Buffer): [length: number, bytes: number] => {
  let value = 0;
  for (let index = 0; index < 5; index += 1) {
    const byte = block[index];
    if (byte === undefined) throw damaged();
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return [value, index + 1];
  }
  throw damaged();
};

/** If source and target overlap, the bytes repeat. */
export const copyBack = (output: Buffer, at: number, back: number, count: number): void => {
  if (back >= count) output.copyWithin(at, at - back, at - back + count);
  else if (back === 1) output.fill(output[at - 1] ?? 0, at, at + count);
  else for (let index = at; index < at + count; index += 1) output[index] = output[index - back] ?? 0;
};
