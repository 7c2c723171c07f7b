/** Measures the size of a build's output. Rejects anything that can't be measured, since it could be of any size. */
import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { isPathTooLong } from '@slipway/images/oci/image-limits.ts';
import { hasCode } from '@slipway/foundation/caught.ts';
import { isPortFailure } from '@slipway/foundation/ports/failure.ts';

import { nameless, tooDeep, tooLarge, unreadable } from './build-limits.ts';
import type { BuildLimits } from './build-limits.ts';

const NOT_TEXT = '\uFFFD';

interface Measuring {
  readonly limits: BuildLimits;
  /** True when none of the build's processes run any more: directories that it locked are opened. */
  readonly isOver: boolean;
}
interface Sum {
  bytes: number;
  files: number;
}

/** Lists a directory. One that has disappeared meanwhile counts as empty; any other unreadable directory is rejected. */
const entriesOf = async (folder: string, names: readonly string[], isOver: boolean) => {
  try {
    if (isOver && process.getuid?.() !== 0) await chmod(folder, 0o700);
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // Replaced by a file or link while the build runs. The next check sees it.
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
      // A sparse file counts with its nominal size, which it would have in the layer.
      else sum.bytes += info?.size ?? 0;
      if (isOver && process.getuid?.() !== 0 && info?.isFile()) await chmod(join(folder, entry.name), info.mode | 0o400);
      sum.files += 1;
      if (sum.bytes > limits.bytes || sum.files > limits.files) throw tooLarge(limits);
    }
  }
};

/** Rejects if the folders together exceed the limits or contain something that can't be measured. */
export const measureBuild = async (folders: readonly string[], measuring: Measuring): Promise<void> => {
  const sum = { bytes: 0, files: 0 };
  for (const folder of folders) await measureInto(sum, folder, measuring);
};

/** Returns whether a finished build is too large. */
export const isTooLarge = (folders: readonly string[], limits: BuildLimits): Promise<boolean> =>
  measureBuild(folders, { limits, isOver: true }).then(
    () => false,
    (reason: unknown) => isPortFailure(reason, 'rejected') && reason.code === 'BuildTooLarge',
  );

const LOOK_EVERY_MS = 1000;

/** Repeatedly measures a running build's output if no file system limits it. Returns a function that stops it. */
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
