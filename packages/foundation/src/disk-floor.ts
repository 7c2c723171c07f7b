/**
 * Keeps part of the platform's disk free. Code that stores user data (pushes, builds, images) asks here first and is rejected while space
 * is low. PostgreSQL and the deletions that free space always find some.
 */
import { statfs } from 'node:fs/promises';
import { noSpace } from './no-space.ts';

export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}
/** Checks free space before something is written. */
export interface Floor {
  /** Rejects with noSpace() if writing this many bytes would leave too little space. */
  require(wantedBytes?: number): Promise<void>;
}
export interface DiskFloorOptions {
  readonly directory: string;
  /** 0 reserves nothing. Depends on the disk size by default. */
  readonly floorBytes?: number | undefined;
  readonly space?: (directory: string) => Promise<DiskSpace>;
  /** How long a measurement is cached. */
  readonly keptMs?: number;
}

const GIBIBYTE = 2 ** 30;
const KEPT_MS = 500;
const SHARE = 0.05;
/** On large disks, a share would reserve more than anything here needs. */
const LARGEST = 5 * GIBIBYTE;
/** On small disks, a gibibyte would be most of the disk. */
const LARGEST_SHARE = 0.1;

const spaceOf = async (directory: string): Promise<DiskSpace> => {
  // Space reserved for root does not count, because PostgreSQL does not run as root.
  const { bsize, bavail, blocks } = await statfs(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
};

/** The larger of 1 GiB and 5 %, but never more than 5 GiB or a tenth of the disk. */
export const usualFloorBytes = (totalBytes: number): number =>
  Math.min(Math.max(GIBIBYTE, totalBytes * SHARE), LARGEST, totalBytes * LARGEST_SHARE);

export class DiskFloor implements Floor {
  readonly #directory: string;
  readonly #floorBytes: number | undefined;
  readonly #space: (directory: string) => Promise<DiskSpace>;
  readonly #keptMs: number;
  #known: { readonly at: number; readonly space: Promise<DiskSpace> } | undefined;

  constructor({ directory, floorBytes, space = spaceOf, keptMs = KEPT_MS }: DiskFloorOptions) {
    this.#directory = directory;
    this.#floorBytes = floorBytes;
    this.#space = space;
    this.#keptMs = keptMs;
  }

  async isShort(wantedBytes = 0): Promise<boolean> {
    const { freeBytes, totalBytes } = await this.#look();
    return freeBytes - wantedBytes < (this.#floorBytes ?? usualFloorBytes(totalBytes));
  }

  async require(wantedBytes = 0): Promise<void> {
    if (await this.isShort(wantedBytes)) throw noSpace();
  }

  /** Every chunk of a push asks, so the result is cached briefly. */
  #look(): Promise<DiskSpace> {
    const now = performance.now();
    if (this.#known === undefined || now - this.#known.at >= this.#keptMs) this.#known = { at: now, space: this.#space(this.#directory) };
    return this.#known.space;
  }
}

/** For components used without a platform. */
export const noFloor: Floor = { require: async () => {} };

/** Polls while something runs whose writes cannot be checked individually. Returns a function that stops polling. */
export const watchFloor = (floor: Floor, onShort: (failure: unknown) => void, everyMs = KEPT_MS): (() => void) => {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    floor.require().then(plan, (failure: unknown) => {
      if (!isOver) onShort(failure);
    });
  };
  const plan = (): void => {
    if (!isOver) timer = setTimeout(look, everyMs);
  };
  plan();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
};

const STEP_BYTES = 4 << 20;

/** Passes `source` through, checking before the first byte and then every few megabytes. */
export async function* aboveFloor<Chunk extends Uint8Array>(source: AsyncIterable<Chunk>, floor: Floor): AsyncGenerator<Chunk> {
  await floor.require();
  let sinceAsked = 0;
  for await (const chunk of source) {
    sinceAsked += chunk.length;
    if (sinceAsked >= STEP_BYTES) {
      await floor.require();
      sinceAsked = 0;
    }
    yield chunk;
  }
}
