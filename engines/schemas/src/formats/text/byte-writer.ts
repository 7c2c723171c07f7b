/** Writes a message's bytes. */

export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  put(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  varint(value: bigint): void {
    let left = BigInt.asUintN(64, value);
    while (left > 0x7fn) {
      this.byte(Number(left & 0x7fn) | 0x80);
      left >>= 7n;
    }
    this.byte(Number(left));
  }

  zigzag(value: bigint): void {
    this.varint((value << 1n) ^ (value >> 63n));
  }

  float(value: number): void {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    this.put(bytes);
  }

  double(value: number): void {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    this.put(bytes);
  }

  #room(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
