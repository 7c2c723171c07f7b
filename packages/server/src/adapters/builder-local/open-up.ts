/** Gives the server back what a build has locked itself: without root's rights it could neither read nor delete it. */
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const OWNER_READS = 0o400;
const OWNER_ENTERS = 0o700;

/** Call it when nothing of the build runs any more: links are told from files by a look before. */
export const openUp = async (path: string): Promise<void> => {
  if (process.getuid?.() === 0) return;
  const info = await lstat(path);
  if (info.isFile() && (info.mode & OWNER_READS) === 0) await chmod(path, info.mode | OWNER_READS);
  if (!info.isDirectory()) return;
  if ((info.mode & OWNER_ENTERS) !== OWNER_ENTERS) await chmod(path, info.mode | OWNER_ENTERS);
  for (const name of await readdir(path)) await openUp(join(path, name));
};

/** Deletes a directory, whatever rights the build gave to what is in it. */
export const removeFolder = async (path: string): Promise<void> => {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await openUp(path);
    await rm(path, { recursive: true, force: true });
  }
};
