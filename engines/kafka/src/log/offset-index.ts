/**
 * A sparse index of a segment. Contains, for every 16 KiB, an offset, the position of its batch, and the maximum timestamp before it. It is
 * stored beside the segment in an append-only file, and rebuilt from the segment if missing.
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

  /** Reads the entries for the first `segmentBytes` of the segment. Truncates the rest. */
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

  /** Called for each batch in order. Adds an entry every 16 KiB. If the disk is full, the entry is omitted, and readers scan further. */
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

  /** Returns the position from which to search for an offset. */
  positionOf(offset: number): number {
    return this.#positions[lastAtMost(this.#offsets, offset)] ?? 0;
  }
  /** Returns the position from which to search for the first batch at or after the timestamp. */
  positionOfTime(timestamp: number): number {
    // Entries are sorted by time, since each holds the maximum so far.
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

/** Returns the index of the last number that is at most `wanted`, or -1 if there is none. */
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
