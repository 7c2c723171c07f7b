/**
 * Deletes arbitrary build output: paths longer than the system allows, names that are no valid text, and unreadable directories.
 * Directories are moved side by side into a trash directory before they are emptied, so that no path gets long. Only the server can access
 * the trash, so nothing in it can be swapped for a link.
 */
import { chmod, lstat, mkdtemp, opendir, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '@slipway/foundation/caught.ts';

export const TRASH = '.slipway-gone-';
const ATTEMPTS = 3;

const isRoot = process.getuid?.() === 0;
const below = (folder: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${folder}/`), name]);

/** Moves subdirectories out, deletes everything else, then the directory itself. */
const takeApart = async (folder: string, moveOut: (path: Buffer) => Promise<void>): Promise<void> => {
  if (!(await lstat(folder)).isDirectory()) return unlink(folder);
  if (!isRoot) await chmod(folder, 0o700);
  for (let attempt = 1; ; attempt++) {
    // Reads names as bytes, since not every name survives decoding.
    for await (const entry of await opendir(folder, { encoding: 'buffer' as BufferEncoding })) {
      const path = below(folder, entry.name as unknown as Buffer);
      if (entry.isDirectory()) await moveOut(path);
      else await unlink(path);
    }
    try {
      return await rmdir(folder);
    } catch (error) {
      // A file system may skip entries while others are deleted.
      if (attempt >= ATTEMPTS || !hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    }
  }
};

/** Empties a trash directory. Resumes an earlier attempt. */
export const emptyTrash = async (trash: string): Promise<void> => {
  const waiting = await readdir(trash);
  let last = Math.max(0, ...waiting.map(Number));
  const moveOut = async (path: Buffer): Promise<void> => {
    // Moving a directory requires write permission on it, unless the process is root.
    if (!isRoot) await chmod(path, 0o700);
    last += 1;
    await rename(path, join(trash, String(last)));
    waiting.push(String(last));
  };
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) await takeApart(join(trash, name), moveOut);
  await rm(trash, { recursive: true });
};

/**
 * Removes a tree; does nothing if `path` does not exist. If something can't be deleted, it is still moved to the trash, and `emptyTrash`
 * retries later.
 */
export const removeTree = async (path: string): Promise<void> => {
  const trash = await mkdtemp(join(dirname(path), TRASH));
  try {
    await rename(path, join(trash, '1'));
  } catch (error) {
    await rmdir(trash);
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  await emptyTrash(trash);
};
