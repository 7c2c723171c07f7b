/** An append-only buffer that grows. */
export class GrowingBuffer {
  #bytes = Buffer.alloc(0);
  #length = 0;

  append(more: Buffer): void {
    const needed = this.#length + more.length;
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    more.copy(this.#bytes, this.#length);
    this.#length = needed;
  }
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
