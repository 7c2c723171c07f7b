/**
 * An append-only file: acknowledged entries survive kill -9. It is compacted when most of it is obsolete. Entries that arrive during a
 * write are batched into the next one.
 */
import { open, readFile, rename, truncate } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';

import { hasCode } from '@slipway/foundation/caught.ts';

import { syncDirectory } from '../state/state-file.ts';
import { frameOf, readFrames } from './frames.ts';
import type { Cancel, Timers } from './timers.ts';

export interface JournalParts<Entry> {
  readonly file: string;
  /** Throws on invalid entries. */
  readonly parse: (found: unknown) => Entry;
  /** Called for each entry once it is in the file, in the file's order, and for each existing entry when the file is opened. */
  readonly apply: (entry: Entry) => void;
  /** Returns all applied state in as few entries as possible. */
  readonly snapshot: () => Iterable<Entry>;
  readonly timers: Timers;
  readonly onDamage?: (lostBytes: number) => void;
  readonly onFailure?: (error: unknown) => void;
  /** Smaller files are never compacted. */
  readonly compactAtBytes?: number;
}

interface Waiting<Entry> {
  readonly entry: Entry;
  readonly frame: Buffer;
  readonly done: PromiseWithResolvers<void>;
}

const COMPACT_AT_BYTES = 4 << 20;
/** The file is compacted once it has grown by this factor since the last compaction. */
const GROWTH = 4;
/** Interval of fsync. A power failure may lose this much. kill -9 loses nothing. */
const SYNC_MS = 1000;

/** Reads the valid entries of the file. Truncates the rest, so that nothing is appended after damage. */
const recover = async (file: string, onDamage: (lostBytes: number) => void): Promise<{ entries: readonly unknown[]; bytes: number }> => {
  const bytes = await readFile(file).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return Buffer.alloc(0);
    throw error;
  });
  const { entries, wholeBytes } = readFrames(bytes);
  if (wholeBytes < bytes.length) {
    onDamage(bytes.length - wholeBytes);
    await truncate(file, wholeBytes);
  }
  return { entries, bytes: wholeBytes };
};

export class Journal<Entry> {
  readonly #parts: JournalParts<Entry>;
  readonly #compactAt: number;
  #handle: FileHandle;
  #bytes: number;
  #bytesAfterCompaction = 0;
  #waiting: Waiting<Entry>[] = [];
  #writing: Promise<void> | undefined;
  #sync: Cancel | undefined;
  #isClosed = false;

  private constructor(parts: JournalParts<Entry>, handle: FileHandle, bytes: number) {
    this.#parts = parts;
    this.#compactAt = parts.compactAtBytes ?? COMPACT_AT_BYTES;
    this.#handle = handle;
    this.#bytes = bytes;
  }

  static async open<Entry>(parts: JournalParts<Entry>): Promise<Journal<Entry>> {
    const { entries, bytes } = await recover(parts.file, (lostBytes) => parts.onDamage?.(lostBytes));
    for (const entry of entries) parts.apply(parts.parse(entry));
    return new Journal(parts, await open(parts.file, 'a', 0o600), bytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when the entry is in the file and applied. If the write fails, it rejects and the entry is in neither. */
  append(entry: Entry): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error(`${this.#parts.file} is closed`));
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ entry, frame: frameOf(entry), done });
    this.#writing ??= this.#drain();
    return done.promise;
  }

  async #drain(): Promise<void> {
    // Batches everything that is appended in the same turn of the event loop.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#write(batch);
      await this.#compactIfNeeded();
    }
    this.#writing = undefined;
  }

  async #write(batch: readonly Waiting<Entry>[]): Promise<void> {
    try {
      const bytes = Buffer.concat(batch.map(({ frame }) => frame));
      await this.#handle.appendFile(bytes);
      this.#bytes += bytes.length;
      for (const { entry } of batch) this.#parts.apply(entry);
      for (const { done } of batch) done.resolve();
      this.#syncSoon();
    } catch (error) {
      // A partial write is truncated, or later entries would be unreadable.
      await this.#handle.truncate(this.#bytes).catch((failure: unknown) => {
        this.#isClosed = true;
        this.#parts.onFailure?.(failure);
      });
      for (const { done } of batch) done.reject(error);
    }
  }

  async #compactIfNeeded(): Promise<void> {
    if (this.#bytes < Math.max(this.#compactAt, GROWTH * this.#bytesAfterCompaction)) return;
    try {
      await this.#compact();
    } catch (error) {
      // The old file is intact and stays in use. The next attempt waits until it has grown again.
      this.#bytesAfterCompaction = this.#bytes;
      this.#parts.onFailure?.(error);
    }
  }

  async #compact(): Promise<void> {
    const { file, snapshot } = this.#parts;
    const bytes = Buffer.concat([...snapshot()].map(frameOf));
    // Opened in append mode: otherwise a failed write that was truncated would leave a hole before the next one.
    const handle = await open(`${file}.new`, 'a', 0o600);
    try {
      await handle.truncate(0);
      await handle.appendFile(bytes);
      await handle.sync();
      await rename(`${file}.new`, file);
    } catch (error) {
      await handle.close();
      throw error;
    }
    const before = this.#handle;
    this.#handle = handle;
    this.#bytes = bytes.length;
    this.#bytesAfterCompaction = bytes.length;
    await before.close();
    await syncDirectory(path.dirname(file));
  }

  #syncSoon(): void {
    this.#sync ??= this.#parts.timers.after(SYNC_MS, () => {
      this.#sync = undefined;
      this.#handle.datasync().catch((error: unknown) => this.#parts.onFailure?.(error));
    });
  }

  /** Flushes all appended entries to disk. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
    this.#sync?.();
    await this.#handle.datasync();
    await this.#handle.close();
  }
}
