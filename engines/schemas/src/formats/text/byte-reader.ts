/** Reads a message's bytes. Throws a MessageError for missing or invalid bytes. */
import { MessageError } from '../schema-format.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  take(length: number): Uint8Array {
    if (length < 0 || length > this.left) throw new MessageError('', 'The message ends too early.');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  text(length: number): string {
    const bytes = this.take(length);
    try {
      return utf8.decode(bytes);
    } catch {
      throw new MessageError('', 'A text in the message is no UTF-8.');
    }
  }

  /** Reads groups of seven bits, lowest first, with at most 64 bits. */
  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new MessageError('', 'A number in the message is too long.');
  }

  /** Reads a number with the sign in the lowest bit. */
  zigzag(): bigint {
    const value = this.varint();
    return (value >> 1n) ^ -(value & 1n);
  }

  float(): number {
    this.take(4);
    return this.#view.getFloat32(this.#at - 4, true);
  }

  double(): number {
    this.take(8);
    return this.#view.getFloat64(this.#at - 8, true);
  }
}
