/**
 * Deletes what a build has left, whatever that is: paths longer than the system takes, names that are no text, directories that nobody
 * may enter. Directories are moved up beside one another before they are emptied, so that no path gets long; the place they are moved
 * to is the server's alone, so that nothing in it can be exchanged for a link meanwhile.
 */
import { chmod, lstat, mkdtemp, opendir, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '#kernel/caught.ts';

export const TRASH = '.slipway-gone-';
const ATTEMPTS = 3;

const isRoot = process.getuid?.() === 0;
const below = (folder: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${folder}/`), name]);

/** Moves directories out, deletes everything else, then the directory itself. */
const takeApart = async (folder: string, moveOut: (path: Buffer) => Promise<void>): Promise<void> => {
  if (!(await lstat(folder)).isDirectory()) return unlink(folder);
  if (!isRoot) await chmod(folder, 0o700);
  for (let attempt = 1; ; attempt++) {
    // Names as bytes: as text, some could not be named again.
    for await (const entry of await opendir(folder, { encoding: 'buffer' as BufferEncoding })) {
      const path = below(folder, entry.name as unknown as Buffer);
      if (entry.isDirectory()) await moveOut(path);
      else await unlink(path);
    }
    try {
      return await rmdir(folder);
    } catch (error) {
      // A file system may pass entries over while others are deleted.
      if (attempt >= ATTEMPTS || !hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    }
  }
};

/** Goes on where an earlier try ended. */
export const emptyTrash = async (trash: string): Promise<void> => {
  const waiting = await readdir(trash);
  let last = Math.max(0, ...waiting.map(Number));
  const moveOut = async (path: Buffer): Promise<void> => {
    // Whoever is not root must be able to write to what he moves elsewhere.
    if (!isRoot) await chmod(path, 0o700);
    last += 1;
    await rename(path, join(trash, String(last)));
    waiting.push(String(last));
  };
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) await takeApart(join(trash, name), moveOut);
  await rm(trash, { recursive: true });
};

/** Resolves as well when there is nothing at `path`. What cannot be deleted is out of its place all the same, for `emptyTrash` to try again. */
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
