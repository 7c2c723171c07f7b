/**
 * Flushes files to disk together. With an interval, a write is acknowledged when the next flush of its file has ended. Without one, it is
 * acknowledged immediately and the operating system decides when to flush (Kafka's default), so a crash of the machine may lose the last
 * seconds.
 */
import { open } from 'node:fs/promises';

export class Flusher {
  readonly #intervalMs: number;
  readonly #onFailure: (file: string, error: unknown) => void;
  readonly #waiting = new Map<string, Promise<void>>();

  constructor(intervalMs: number, onFailure: (file: string, error: unknown) => void) {
    this.#intervalMs = intervalMs;
    this.#onFailure = onFailure;
  }

  /** Returns a promise for the flush, or undefined if nobody has to wait. All writes to a file in one interval share one flush. */
  written(file: string): Promise<void> | undefined {
    if (this.#intervalMs === 0) return undefined;
    const waiting = this.#waiting.get(file);
    if (waiting) return waiting;
    const flushed = new Promise<void>((resolve, reject) => {
      setTimeout(() => {
        this.#waiting.delete(file);
        flush(file).then(resolve, reject);
      }, this.#intervalMs);
    });
    // Nobody handles the rejection if the producer wanted no acknowledgment.
    flushed.catch((error: unknown) => this.#onFailure(file, error));
    this.#waiting.set(file, flushed);
    return flushed;
  }

  /** Flushes a completed segment. Nobody waits for it. */
  flushLater(file: string): void {
    flush(file).catch((error: unknown) => this.#onFailure(file, error));
  }
}

/** Flushes with a separate descriptor, since the writing one may be closed meanwhile. A file that was deleted meanwhile needs no flush. */
const flush = async (file: string): Promise<void> => {
  const handle = await open(file, 'r+').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (handle === undefined) return;
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
};
