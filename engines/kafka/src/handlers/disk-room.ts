/** Checks whether the disk has space for more messages. Cached for half a second, because each batch asks. */
import fs from 'node:fs';
import { usualFloorBytes } from '@slipway/foundation/disk-floor.ts';

const KEPT_MS = 500;

export class DiskRoom {
  readonly #directory: string;
  readonly #floorBytes: number | undefined;
  #askedAt = -Infinity;
  #left = 0;

  constructor(directory: string, floorBytes: number | undefined) {
    this.#directory = directory;
    this.#floorBytes = floorBytes;
  }

  has(bytes: number): boolean {
    const now = performance.now();
    if (now - this.#askedAt >= KEPT_MS) {
      const { bavail, blocks, bsize } = fs.statfsSync(this.#directory);
      this.#left = bavail * bsize - (this.#floorBytes ?? usualFloorBytes(blocks * bsize));
      this.#askedAt = now;
    }
    this.#left -= bytes;
    return this.#left >= 0;
  }

  size(): { totalBytes: number; usableBytes: number } {
    const { bavail, blocks, bsize } = fs.statfsSync(this.#directory);
    return { totalBytes: blocks * bsize, usableBytes: bavail * bsize };
  }
}
