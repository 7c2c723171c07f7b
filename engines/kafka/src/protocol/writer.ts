/**
 * Writes Kafka's primitive types. Small values go into one growing buffer. Large buffers (record batches) are passed on without a copy, so
 * a response is a list of buffers for one writev.
 */
const FIRST_BYTES = 512;
const HIGH = 2 ** 32;
/** Up to this size, copying is cheaper than one more buffer in the list. */
const COPIED_BYTES = 1024;

export class Writer {
  readonly #done: Buffer[] = [];
  #doneBytes = 0;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  /** Start of the part of #bytes that is not in #done yet. */
  #from = 0;
  #at = 0;

  get length(): number {
    return this.#doneBytes + this.#at - this.#from;
  }

  #room(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max((at - this.#from + length) * 2, FIRST_BYTES));
      this.#bytes.copy(larger, 0, this.#from, at);
      this.#bytes = larger;
      this.#at = at - this.#from;
      this.#from = 0;
      return this.#advance(length);
    }
    return this.#advance(length);
  }
  #advance(length: number): number {
    const at = this.#at;
    this.#at = at + length;
    return at;
  }

  int8(value: number): void {
    const at = this.#room(1);
    this.#bytes.writeInt8(value, at);
  }
  int16(value: number): void {
    const at = this.#room(2);
    this.#bytes.writeInt16BE(value, at);
  }
  uint16(value: number): void {
    const at = this.#room(2);
    this.#bytes.writeUInt16BE(value, at);
  }
  int32(value: number): void {
    const at = this.#room(4);
    this.#bytes.writeInt32BE(value, at);
  }
  int64(value: number): void {
    const high = Math.floor(value / HIGH);
    const at = this.#room(8);
    this.#bytes.writeInt32BE(high, at);
    this.#bytes.writeUInt32BE(value - high * HIGH, at + 4);
  }
  bool(value: boolean): void {
    this.int8(value ? 1 : 0);
  }
  uuid(value: string): void {
    const at = this.#room(16);
    this.#bytes.fill(0, at, at + 16);
    this.#bytes.write(value, at, 16, 'base64url');
  }
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      const at = this.#room(1);
      this.#bytes[at] = (rest & 0x7f) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    const at = this.#room(1);
    this.#bytes[at] = rest;
  }
  /** Writes the length of a string, bytes or an array. -1 for null. */
  lengthOf(length: number, isFlexible: boolean, short: boolean): void {
    if (isFlexible) this.varint(length + 1);
    else if (short) this.int16(length);
    else this.int32(length);
  }
  string(value: string, isFlexible: boolean): void {
    const length = Buffer.byteLength(value);
    this.lengthOf(length, isFlexible, true);
    const at = this.#room(length);
    this.#bytes.write(value, at, length, 'utf8');
  }
  raw(bytes: Buffer): void {
    if (bytes.length <= COPIED_BYTES) {
      const at = this.#room(bytes.length);
      bytes.copy(this.#bytes, at);
      return;
    }
    this.#flush();
    this.#done.push(bytes);
    this.#doneBytes += bytes.length;
  }
  /** Overwrites four bytes that were written before any large buffer. */
  int32At(place: number, value: number): void {
    const first = this.#done[0] ?? this.#bytes.subarray(this.#from, this.#at);
    first.writeInt32BE(value, place);
  }

  #flush(): void {
    if (this.#at === this.#from) return;
    this.#done.push(this.#bytes.subarray(this.#from, this.#at));
    this.#doneBytes += this.#at - this.#from;
    this.#from = this.#at;
  }

  /** Returns everything written, in order. */
  finish(): Buffer[] {
    this.#flush();
    return this.#done;
  }
}
