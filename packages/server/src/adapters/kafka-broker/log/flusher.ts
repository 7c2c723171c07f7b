/**
 * Flushes files to the disk together. With an interval, a write is acknowledged when the next flush of its file has ended; without one, it is
 * acknowledged at once, and the system flushes when it likes (Kafka's own default): a crash of the machine may lose the last seconds then.
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

  /** Undefined where nobody has to wait. Everything that is written to a file in one interval shares one flush. */
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
    // Who wanted no answer does not look at it.
    flushed.catch((error: unknown) => this.#onFailure(file, error));
    this.#waiting.set(file, flushed);
    return flushed;
  }

  /** For a segment that is complete: nobody waits for it. */
  flushLater(file: string): void {
    flush(file).catch((error: unknown) => this.#onFailure(file, error));
  }
}

/** With a descriptor of its own, since the one that writes may be closed meanwhile. A file that was deleted meanwhile needs no flush. */
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
