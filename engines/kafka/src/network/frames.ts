/** Splits received bytes into frames: a length of four bytes, then that many bytes. A frame that arrived in one piece is not copied. */
import { MalformedRequest } from '../protocol/reader.ts';

const LENGTH_BYTES = 4;

/** The limit on buffered bytes, shared by all connections. */
export class BufferRoom {
  readonly #bytes: number;
  #used = 0;
  constructor(bytes: number) {
    this.#bytes = bytes;
  }
  take(bytes: number): void {
    if (this.#used + bytes > this.#bytes) throw new MalformedRequest('too much is waiting in all connections together');
    this.#used += bytes;
  }
  give(bytes: number): void {
    this.#used -= bytes;
  }
}

export class Frames {
  readonly #room: BufferRoom;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Size of the next frame. Undefined until its length has arrived. */
  #wanted: number | undefined;
  maxBytes: number;

  constructor(room: BufferRoom, maxBytes: number) {
    this.#room = room;
    this.maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    this.#room.take(chunk.length);
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** Returns the next frame, or undefined if it is incomplete. */
  next(): Buffer | undefined {
    if (this.#wanted === undefined) {
      if (this.#bytes < LENGTH_BYTES) return undefined;
      const length = this.#take(LENGTH_BYTES).readInt32BE();
      if (length < 0 || length > this.maxBytes) throw new MalformedRequest(`a frame of ${length} bytes`);
      this.#wanted = length;
    }
    if (this.#bytes < this.#wanted) return undefined;
    const frame = this.#take(this.#wanted);
    this.#wanted = undefined;
    return frame;
  }

  /** Releases the buffers of a closed connection. */
  clear(): void {
    this.#room.give(this.#bytes);
    this.#chunks = [];
    this.#bytes = 0;
  }

  #take(length: number): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks;
    this.#bytes -= length;
    this.#room.give(length);
    if (first.length > length) {
      this.#chunks[0] = first.subarray(length);
      return first.subarray(0, length);
    }
    if (first.length === length) {
      this.#chunks.shift();
      return first;
    }
    const all = this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#chunks = all.length > length ? [all.subarray(length)] : [];
    return all.subarray(0, length);
  }
}
