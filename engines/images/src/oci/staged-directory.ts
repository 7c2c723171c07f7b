/** Directories that appear whole or not at all, made by several processes at once without locks. */
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '@slipway/foundation/caught.ts';

const STAGED = '.new-';
const DISCARDED = '.old-';
/** Longer than any layer takes to arrive: what is older belongs to a process that died. */
const ABANDONED_MS = 60 * 60_000;

/**
 * Lets `fill` write into a fresh directory and renames it to `target`. Where another process was first, its result stands and
 * ours is thrown away: both hold the same, because directories are named after their content.
 */
export const createWhole = async (target: string, fill: (folder: string) => Promise<void>): Promise<void> => {
  const folder = join(dirname(target), `${STAGED}${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  // Programs run as users of their own, whom the server's umask would keep out.
  await chmod(folder, 0o755);
  try {
    await fill(folder);
    await rename(folder, target).catch((error: unknown) => {
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Takes the directory out of sight in one step, then deletes it. */
export const removeWhole = async (target: string): Promise<void> => {
  const folder = join(dirname(target), `${DISCARDED}${randomUUID()}`);
  try {
    await rename(target, folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  await rm(folder, { recursive: true, force: true });
};

/** The names of the finished directories in `parent`. */
export const wholeDirectories = async (parent: string): Promise<string[]> =>
  (await readdir(parent).catch(() => [])).filter((name) => !name.startsWith('.'));

/** Removes what processes that died have left half-made. */
export const removeAbandoned = async (parent: string, now: number): Promise<void> => {
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(STAGED) && !name.startsWith(DISCARDED)) continue;
    const info = await stat(join(parent, name)).catch(() => undefined);
    if (info !== undefined && now - info.mtimeMs > ABANDONED_MS) await rm(join(parent, name), { recursive: true, force: true });
  }
};
