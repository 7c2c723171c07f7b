/** Finds out how much a build has made. What cannot be counted is refused: it could be of any size. */
import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { isPathTooLong } from '#adapters/oci/image-limits.ts';
import { hasCode } from '#kernel/caught.ts';
import { isPortFailure } from '#ports/failure.ts';

import { nameless, tooDeep, tooLarge, unreadable } from './build-limits.ts';
import type { BuildLimits } from './build-limits.ts';

const NOT_TEXT = '\uFFFD';

interface Measuring {
  readonly limits: BuildLimits;
  /** Nothing of it runs any more: what it locked for itself is opened. */
  readonly isOver: boolean;
}
interface Sum {
  bytes: number;
  files: number;
}

/** A directory that has vanished meanwhile is empty; one that cannot be read for any other reason may hold anything. */
const entriesOf = async (folder: string, names: readonly string[], isOver: boolean) => {
  try {
    if (isOver && process.getuid?.() !== 0) await chmod(folder, 0o700);
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // Exchanged for a file or a link while it runs: seen with the next look.
    if (!isOver && hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw unreadable(names.join('/'));
  }
};

const measureInto = async (sum: Sum, root: string, { limits, isOver }: Measuring): Promise<void> => {
  const waiting: (readonly string[])[] = [[]];
  for (let names = waiting.pop(); names !== undefined; names = waiting.pop()) {
    const folder = join(root, ...names);
    for (const entry of await entriesOf(folder, names, isOver)) {
      const within = [...names, entry.name];
      if (entry.name.includes(NOT_TEXT)) throw nameless(within.join('/'));
      if (isPathTooLong(within)) throw tooDeep(within.join('/'));
      const info = entry.isDirectory() ? undefined : await lstat(join(folder, entry.name)).catch(() => undefined);
      if (entry.isDirectory()) waiting.push(within);
      // What a sparse file claims is what would stand in the layer.
      else sum.bytes += info?.size ?? 0;
      if (isOver && process.getuid?.() !== 0 && info?.isFile()) await chmod(join(folder, entry.name), info.mode | 0o400);
      sum.files += 1;
      if (sum.bytes > limits.bytes || sum.files > limits.files) throw tooLarge(limits);
    }
  }
};

/** Rejected with the reason when the folders together hold more than the limits, or what nobody can count. */
export const measureBuild = async (folders: readonly string[], measuring: Measuring): Promise<void> => {
  const sum = { bytes: 0, files: 0 };
  for (const folder of folders) await measureInto(sum, folder, measuring);
};

/** Of a build of which nothing runs any more. */
export const isTooLarge = (folders: readonly string[], limits: BuildLimits): Promise<boolean> =>
  measureBuild(folders, { limits, isOver: true }).then(
    () => false,
    (reason: unknown) => isPortFailure(reason, 'rejected') && reason.code === 'BuildTooLarge',
  );

const LOOK_EVERY_MS = 1000;

/** Measures again and again what a running build writes, where no file system limits it. Answers the function that ends it. */
export const watchBuild = (folders: readonly string[], limits: BuildLimits, onExceeded: (reason: unknown) => void): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = (): void => {
    measureBuild(folders, { limits, isOver: false }).then(plan, (reason: unknown) => {
      if (isPortFailure(reason) && !isOver) onExceeded(reason);
      else plan();
    });
  };
  const plan = (): void => {
    if (!isOver) timer = setTimeout(look, LOOK_EVERY_MS);
  };
  plan();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
};
