/**
 * A sparse index of a segment: for every 16 KiB of it, an offset, where its batch stands, and the largest time before it. It is kept beside
 * the segment in a file that only grows, and made anew from the segment where that is missing.
 */
import fs from 'node:fs';
import { readInt64, writeInt64 } from './batch.ts';
import type { OpenFiles } from './open-files.ts';

const INTERVAL_BYTES = 16 * 1024;
const ENTRY_BYTES = 24;

export class OffsetIndex {
  readonly #file: string;
  readonly #files: OpenFiles;
  readonly #offsets: number[] = [];
  readonly #positions: number[] = [];
  readonly #maxBefore: number[] = [];

  constructor(file: string, files: OpenFiles) {
    this.#file = file;
    this.#files = files;
  }

  /** Reads the file as far as it speaks of the first `segmentBytes` of the segment; the rest is cut off. */
  load(segmentBytes: number): void {
    const bytes = fs.existsSync(this.#file) ? fs.readFileSync(this.#file) : Buffer.alloc(0);
    for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
      const position = readInt64(bytes, at + 8);
      const last = this.#positions.at(-1) ?? -1;
      if (position <= last || position >= segmentBytes) break;
      this.#push(readInt64(bytes, at), position, readInt64(bytes, at + 16));
    }
    if (bytes.length !== this.#offsets.length * ENTRY_BYTES) fs.truncateSync(this.#file, this.#offsets.length * ENTRY_BYTES);
  }

  /** Called for each batch in turn; remembers one in 16 KiB. What a full disk does not take is left out: a reader walks further then. */
  note(offset: number, position: number, maxBefore: number): void {
    if (position - (this.#positions.at(-1) ?? 0) < INTERVAL_BYTES) return;
    const entry = Buffer.allocUnsafe(ENTRY_BYTES);
    writeInt64(entry, offset, 0);
    writeInt64(entry, position, 8);
    writeInt64(entry, maxBefore, 16);
    if (this.#isWritten(entry)) this.#push(offset, position, maxBefore);
  }
  #isWritten(entry: Buffer): boolean {
    try {
      return fs.writeSync(this.#files.use(this.#file), entry, 0, ENTRY_BYTES, this.#offsets.length * ENTRY_BYTES) === ENTRY_BYTES;
    } catch {
      return false;
    }
  }

  /** Where to begin to look for an offset. */
  positionOf(offset: number): number {
    return this.#positions[lastAtMost(this.#offsets, offset)] ?? 0;
  }
  /** Where to begin to look for the first batch that is at least as late. */
  positionOfTime(timestamp: number): number {
    // Times of the entries never fall, since each is the largest so far.
    return this.#positions[lastAtMost(this.#maxBefore, timestamp - 1)] ?? 0;
  }
  get last(): { readonly position: number; readonly maxBefore: number } {
    return { position: this.#positions.at(-1) ?? 0, maxBefore: this.#maxBefore.at(-1) ?? -1 };
  }

  close(): void {
    this.#files.close(this.#file);
  }
  clear(): void {
    this.close();
    fs.rmSync(this.#file, { force: true });
    for (const column of [this.#offsets, this.#positions, this.#maxBefore]) column.length = 0;
  }

  #push(offset: number, position: number, maxBefore: number): void {
    this.#offsets.push(offset);
    this.#positions.push(position);
    this.#maxBefore.push(maxBefore);
  }
}

/** The place of the last number that is not larger; -1 where there is none. */
const lastAtMost = (sorted: readonly number[], wanted: number): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Infinity) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};
