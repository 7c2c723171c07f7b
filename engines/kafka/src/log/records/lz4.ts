/**
 * Decompresses LZ4 frames, block by block, and verifies all their checksums. Like Kafka's clients, it only accepts independent blocks
 * without a dictionary.
 */
import { copyBack } from './snappy.ts';
import { InvalidRecords } from './walk.ts';
import { XxHash32 } from './xxhash32.ts';

const MAGIC = 0x184d2204;
const VERSION = 1;
const flag = { version: 6, independent: 0x20, blockChecksum: 0x10, contentSize: 0x08, contentChecksum: 0x04, reserved: 0x03 } as const;
const UNPACKED_BLOCK = 0x8000_0000;

const damaged = (): InvalidRecords => new InvalidRecords('The records cannot be unpacked with LZ4.');
const hashOf = (bytes: Buffer): number => new XxHash32().update(bytes).digest();

/** Reads numbers with bounds checks. */
class Input {
  readonly #bytes: Buffer;
  at = 0;
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }
  get isAtEnd(): boolean {
    return this.at === this.#bytes.length;
  }
  take(length: number): Buffer {
    if (length > this.#bytes.length - this.at) throw damaged();
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }
  uint32(): number {
    return this.take(4).readUInt32LE(0);
  }
}

export function* lz4Pieces(body: Buffer): Generator<Buffer> {
  const input = new Input(body);
  if (input.uint32() !== MAGIC) throw damaged();
  const { flags, blockBytes } = headOf(input);
  const content = new XxHash32();
  for (let size = input.uint32(); size !== 0; size = input.uint32()) {
    const isPacked = size < UNPACKED_BLOCK;
    const block = input.take(isPacked ? size : size - UNPACKED_BLOCK);
    if (flags & flag.blockChecksum && input.uint32() !== hashOf(block)) throw damaged();
    if (block.length > blockBytes) throw damaged();
    const unpacked = isPacked ? unpackBlock(block, blockBytes) : block;
    if (flags & flag.contentChecksum) content.update(unpacked);
    yield unpacked;
  }
  if (flags & flag.contentChecksum && input.uint32() !== content.digest()) throw damaged();
  if (!input.isAtEnd) throw damaged();
}

const headOf = (input: Input): { flags: number; blockBytes: number } => {
  const from = input.take(2);
  const [flags = 0, blocks = 0] = from;
  if (flags >> flag.version !== VERSION || (flags & flag.reserved) !== 0 || (flags & flag.independent) === 0) throw damaged();
  const size = (blocks >> 4) & 7;
  if ((blocks & 0x8f) !== 0 || size < 4) throw damaged();
  const described = Buffer.concat([from, input.take(flags & flag.contentSize ? 8 : 0)]);
  if (input.take(1)[0] !== ((hashOf(described) >>> 8) & 0xff)) throw damaged();
  return { flags, blockBytes: 2 ** (8 + 2 * size) };
};

const unpackBlock = (block: Buffer, most: number): Buffer => {
  const output = Buffer.allocUnsafe(Math.min(most, block.length * 255));
  let [at, done] = [0, 0];
  /** Decodes a length: 15 means that more bytes follow, up to the first that is not 255. */
  const lengthOf = (nibble: number): number => {
    let length = nibble;
    if (nibble < 15) return length;
    for (;;) {
      const byte = block[at];
      if (byte === undefined) throw damaged();
      at += 1;
      length += byte;
      if (byte < 255) return length;
    }
  };
  while (at < block.length) {
    const token = block[at] ?? 0;
    at += 1;
    const literals = lengthOf(token >> 4);
    if (literals > block.length - at || literals > output.length - done) throw damaged();
    block.copy(output, done, at, at + literals);
    at += literals;
    done += literals;
    // The last sequence has no match.
    if (at === block.length) break;
    if (at + 2 > block.length) throw damaged();
    const back = block.readUInt16LE(at);
    at += 2;
    const count = lengthOf(token & 15) + 4;
    if (back === 0 || back > done || count > output.length - done) throw damaged();
    copyBack(output, done, back, count);
    done += count;
  }
  return output.subarray(0, done);
};
