/** Picks records of a batch. Skips the others by their lengths, since a small batch may hold millions. */
import { Reader, readRecord } from '@platformatic/kafka';

type KafkaRecord = ReturnType<typeof readRecord>;

/** Maximum bytes of a Kafka varint. */
const MOST_BYTES = 10;

export interface Picking {
  /** Only records with this key. */
  readonly key?: Uint8Array | undefined;
  /** Relative to the batch's offset. Earlier records are skipped. */
  readonly fromDelta: number;
  readonly most: number;
}
export interface Picked {
  readonly records: readonly KafkaRecord[];
  /** Number of records examined, picked or not. */
  readonly scanned: number;
}

export function pickRecords(opened: Buffer, count: number, { key, fromDelta, most }: Picking): Picked {
  const found: KafkaRecord[] = [];
  const at = new Cursor(opened);
  let index = 0;
  for (; index < count && found.length < most; index += 1) {
    const start = at.position;
    const length = at.number();
    const end = at.position + length;
    if (length < 0 || end > opened.length) throw new Error('a record that goes beyond its batch');
    // Attributes, timestamp delta, offset delta.
    at.position += 1;
    at.pass();
    const delta = at.number();
    const keyLength = at.number();
    const hasKey =
      key === undefined || (keyLength === key.length && opened.compare(key, 0, key.length, at.position, at.position + keyLength) === 0);
    if (hasKey && delta >= fromDelta) found.push(readRecord(Reader.from(opened.subarray(start, end))));
    at.position = end;
  }
  return { records: found, scanned: index };
}

class Cursor {
  readonly #bytes: Buffer;
  position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Reads a 32-bit zigzag varint. */
  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
      if (shift >= 28) throw new Error('a number that is too long');
    }
  }

  pass(): void {
    for (let bytes = 1; this.#byte() >= 0x80; bytes += 1) if (bytes >= MOST_BYTES) throw new Error('a number that is too long');
  }

  #byte(): number {
    const byte = this.#bytes[this.position++];
    if (byte === undefined) throw new Error('a record that ends too early');
    return byte;
  }
}
