/** Reads Kafka's primitive types from a frame. Throws MalformedRequest instead of reading beyond its end. */

/** Thrown for bytes that are not a valid message. The connection is closed. */
export class MalformedRequest extends Error {
  override readonly name = 'MalformedRequest';
}

const HIGH = 2 ** 32;
/** Maximum elements of all arrays in a request: an element may be two bytes in the frame, and a hundred in memory. */
const ELEMENTS = 500_000;

export class Reader {
  readonly #bytes: Buffer;
  #at: number;
  #end: number;
  #elements = 0;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
  }

  get remaining(): number {
    return this.#end - this.#at;
  }

  #take(length: number): number {
    const at = this.#at;
    if (length < 0 || length > this.#end - at) throw new MalformedRequest(`${length} bytes wanted, ${this.#end - at} left`);
    this.#at = at + length;
    return at;
  }

  int8(): number {
    return this.#bytes.readInt8(this.#take(1));
  }
  int16(): number {
    return this.#bytes.readInt16BE(this.#take(2));
  }
  uint16(): number {
    return this.#bytes.readUInt16BE(this.#take(2));
  }
  int32(): number {
    return this.#bytes.readInt32BE(this.#take(4));
  }
  int64(): number {
    const at = this.#take(8);
    return this.#bytes.readInt32BE(at) * HIGH + this.#bytes.readUInt32BE(at + 4);
  }
  bool(): boolean {
    return this.int8() !== 0;
  }
  uuid(): string {
    const at = this.#take(16);
    return this.#bytes.toString('base64url', at, at + 16);
  }
  text(length: number): string {
    const at = this.#take(length);
    return this.#bytes.toString('utf8', at, at + length);
  }
  /** Returns a slice of the frame, without a copy. */
  slice(length: number): Buffer {
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }
  skip(length: number): void {
    this.#take(length);
  }

  /** Reads seven bits per byte, lowest first. */
  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes.readUInt8(this.#take(1));
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new MalformedRequest('a number without an end');
  }

  /**
   * Reads the length of a string, bytes or an array. Returns -1 for null. An element takes at least one byte, so a length beyond the frame
   * is refused immediately.
   */
  length(isFlexible: boolean, short: boolean): number {
    const length = isFlexible ? this.varint() - 1 : short ? this.int16() : this.int32();
    if (length < -1 || length > this.remaining) throw new MalformedRequest(`a length of ${length}, ${this.remaining} bytes left`);
    return length;
  }

  /** Counts array elements before they are read. */
  count(elements: number): void {
    this.#elements += elements;
    if (this.#elements > ELEMENTS) throw new MalformedRequest(`more than ${ELEMENTS} elements`);
  }

  /** Reads within the next `length` bytes, then skips to their end, however many were read. */
  within(length: number, read: () => void): void {
    const end = this.#end;
    const next = this.#take(length) + length;
    this.#at = next - length;
    this.#end = next;
    read();
    this.#end = end;
    this.#at = next;
  }
}
