/** The records of a batch that have a key. The others are passed over by their lengths: a search goes through millions. */
import { Reader, readRecord } from '@platformatic/kafka';

type KafkaRecord = ReturnType<typeof readRecord>;

/** Of Kafka's varints. */
const MOST_BYTES = 10;

export function recordsWithKey(opened: Buffer, count: number, key: Uint8Array): readonly KafkaRecord[] {
  const found: KafkaRecord[] = [];
  const at = new Cursor(opened);
  for (let index = 0; index < count; index += 1) {
    const start = at.position;
    const length = at.number();
    const end = at.position + length;
    if (length < 0 || end > opened.length) throw new Error('a record that goes beyond its batch');
    // Attributes, then its time and its offset, as differences.
    at.position += 1;
    at.pass();
    at.pass();
    const keyLength = at.number();
    if (keyLength === key.length && opened.compare(key, 0, key.length, at.position, at.position + keyLength) === 0)
      found.push(readRecord(Reader.from(opened.subarray(start, end))));
    at.position = end;
  }
  return found;
}

class Cursor {
  readonly #bytes: Buffer;
  position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** A zigzag varint of 32 bits. */
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
