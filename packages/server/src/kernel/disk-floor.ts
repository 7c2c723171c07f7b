/**
 * Keeps a part of the platform's disk free. Whatever takes space at the wish of others (pushes, builds, images) asks here first and is
 * refused while there is too little, so that PostgreSQL and the deletes that free space always find some.
 */
import { statfs } from 'node:fs/promises';
import { noSpace } from './no-space.ts';

export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}
/** What those who take space need to know of it. */
export interface Floor {
  /** Fails, as noSpace() does, where taking so many bytes would leave too little. */
  require(wantedBytes?: number): Promise<void>;
}
export interface DiskFloorOptions {
  readonly directory: string;
  /** 0 keeps nothing free; by the size of the disk when not given. */
  readonly floorBytes?: number | undefined;
  readonly space?: (directory: string) => Promise<DiskSpace>;
  /** For how long an answer is believed. */
  readonly keptMs?: number;
}

const GIBIBYTE = 2 ** 30;
const KEPT_MS = 500;
const SHARE = 0.05;
/** On large disks a share is more than anything here needs. */
const LARGEST = 5 * GIBIBYTE;
/** Of a disk so small that a gibibyte would be most of it. */
const LARGEST_SHARE = 0.1;

const spaceOf = async (directory: string): Promise<DiskSpace> => {
  // What root alone may use does not count: PostgreSQL does not run as root.
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

  /** Asked for each chunk of a push, so that the answer is kept for a moment. */
  #look(): Promise<DiskSpace> {
    const now = performance.now();
    if (this.#known === undefined || now - this.#known.at >= this.#keptMs) this.#known = { at: now, space: this.#space(this.#directory) };
    return this.#known.space;
  }
}

/** For parts that are used without a platform around them. */
export const noFloor: Floor = { require: async () => {} };

/** Looks again and again while something runs whose writing cannot be asked about. Answers the function that ends it. */
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

/** Passes `source` on, asking before the first byte and again with every few megabytes. */
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
