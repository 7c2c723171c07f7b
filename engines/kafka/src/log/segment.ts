/** One file of a log: consecutive record batches, beginning at offset `base`. Only the last segment of a log grows. */
import fs from 'node:fs';
import path from 'node:path';
import { HEAD_BYTES, readHead, type BatchHead } from './batch.ts';
import { OffsetIndex } from './offset-index.ts';
import type { OpenFiles } from './open-files.ts';

/** Bytes of a log file to read at a time while walking batches. */
const WINDOW_BYTES = 64 * 1024;
const DIGITS = 20;

export interface Found {
  readonly head: BatchHead;
  readonly position: number;
}

/** Thrown if a file that was whole is damaged: the disk has lost or changed data. */
export class DamagedSegment extends Error {
  constructor(file: string, position: number) {
    super(`${file} is damaged at byte ${position}`);
  }
}

export const segmentFile = (directory: string, base: number): string => path.join(directory, `${String(base).padStart(DIGITS, '0')}.log`);
/** Returns the file that keeps what was cut off a damaged segment, as long as the segment exists. */
export const damagedFile = (file: string): string => `${file}.damaged`;
/** Returns the base offsets of the segments in a directory, in order. */
export const segmentBases = (directory: string): number[] =>
  fs
    .readdirSync(directory)
    .filter((name) => /^\d{20}\.log$/.test(name))
    .map((name) => Number(name.slice(0, DIGITS)))
    .sort((one, other) => one - other);

export class Segment {
  readonly base: number;
  readonly file: string;
  readonly index: OffsetIndex;
  readonly #files: OpenFiles;
  bytes = 0;
  /** -1 while the segment is empty. */
  maxTimestamp = -1;
  /** Timestamp of the first batch, from which the age is measured. -1 while the segment is empty. */
  firstTimestamp = -1;

  constructor(directory: string, base: number, files: OpenFiles) {
    this.base = base;
    this.file = segmentFile(directory, base);
    this.#files = files;
    this.index = new OffsetIndex(this.file.replace(/log$/, 'index'), files);
  }

  /**
   * Loads the segment from disk. Trusts the file up to `sound`, and leaves the rest to the caller. Returns the position up to which batches
   * are contiguous.
   */
  load(sound = Infinity): number {
    this.bytes = fs.statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
    this.index.load(Math.min(this.bytes, sound));
    const { position, maxBefore } = this.index.last;
    this.maxTimestamp = maxBefore;
    const [first] = this.walk(0);
    this.firstTimestamp = first?.head.maxTimestamp ?? -1;
    // This also rebuilds a lost index.
    const batches = this.walk(position, Math.min(this.bytes, sound));
    for (;;) {
      const { done, value } = batches.next();
      if (done) return value;
      this.#note(value.head, value.position);
    }
  }

  #note(head: BatchHead, position: number): void {
    this.index.note(head.baseOffset, position, this.maxTimestamp);
    if (head.maxTimestamp > this.maxTimestamp) this.maxTimestamp = head.maxTimestamp;
    if (this.firstTimestamp < 0) this.firstTimestamp = head.maxTimestamp;
  }

  /** Appends a batch, completely or not at all. */
  append(batch: Buffer, head: BatchHead): void {
    const descriptor = this.#files.use(this.file);
    try {
      for (let done = 0; done < batch.length;) done += fs.writeSync(descriptor, batch, done, batch.length - done, this.bytes + done);
    } catch (error) {
      fs.ftruncateSync(descriptor, this.bytes);
      throw error;
    }
    this.#note(head, this.bytes);
    this.bytes += batch.length;
  }

  /** Adds a batch that was found on disk during recovery. */
  accept({ head, position }: Found): void {
    this.#note(head, position);
  }

  cut(bytes: number): void {
    fs.ftruncateSync(this.#files.use(this.file), bytes);
    this.bytes = bytes;
  }

  read(position: number, length: number): Buffer {
    const wanted = Math.max(0, Math.min(length, this.bytes - position));
    const bytes = Buffer.allocUnsafe(wanted);
    const descriptor = this.#files.use(this.file);
    let done = 0;
    while (done < wanted) {
      const read = fs.readSync(descriptor, bytes, done, wanted - done, position + done);
      if (read === 0) break;
      done += read;
    }
    return bytes.subarray(0, done);
  }

  /** Walks batches by their headers. Stops when no whole batch follows, and returns that position. */
  *walk(from: number, to = this.bytes): Generator<Found, number> {
    let window: Buffer = Buffer.alloc(0);
    let windowAt = from;
    let position = from;
    while (position + HEAD_BYTES <= to) {
      if (position + HEAD_BYTES > windowAt + window.length) {
        window = this.read(position, Math.min(WINDOW_BYTES, to - position));
        windowAt = position;
      }
      const head = readHead(window, position - windowAt);
      if (head.bytes < HEAD_BYTES || position + head.bytes > to) break;
      yield { head, position };
      position += head.bytes;
    }
    return position;
  }
  /** Like `walk`, for data that was whole when the log was opened. Throws DamagedSegment if it no longer is. */
  *walkWhole(from: number): Generator<Found> {
    const end = yield* this.walk(from);
    if (end < this.bytes) throw new DamagedSegment(this.file, end);
  }

  /** Returns the batch with the offset, or the first one after it. Undefined if the segment ends before. */
  find(offset: number): Found | undefined {
    for (const found of this.walkWhole(this.index.positionOf(offset))) if (found.head.lastOffset >= offset) return found;
    return undefined;
  }

  /** Returns the first batch at or after `offset` with a late enough timestamp. */
  findTime(timestamp: number, offset: number): Found | undefined {
    if (this.maxTimestamp < timestamp) return undefined;
    const from = Math.max(this.index.positionOfTime(timestamp), this.index.positionOf(offset));
    for (const found of this.walk(from)) if (found.head.maxTimestamp >= timestamp && found.head.lastOffset >= offset) return found;
    return undefined;
  }

  remove(): void {
    this.#files.close(this.file);
    for (const file of [this.file, damagedFile(this.file)]) fs.rmSync(file, { force: true });
    this.index.clear();
  }

  /**
   * Replaces this segment's file by a rewritten one. Clears the index first, so that an index never exists beside a file that it does not
   * describe.
   */
  replaceBy(file: string): void {
    this.index.clear();
    this.#files.close(this.file);
    fs.renameSync(file, this.file);
    this.maxTimestamp = -1;
    this.firstTimestamp = -1;
    this.load();
  }
}
