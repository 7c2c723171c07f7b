/**
 * Runs programs from a linked copy if needed. Without a mount namespace a program runs from the image's path on the machine. If the server
 * is root, the program runs as its own user, who may not be able to traverse the parent directories, such as a private data directory or
 * root's home.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from './temporary-directory.ts';

const OTHERS_MAY_PASS = 0o001;

export function reachableRoot(rootfs: string): string {
  if (isReachable(dirname(rootfs))) return rootfs;
  const directory = temporaryDirectory('slipway-images', 0o711);
  // Includes the inode, since another image may later have the same path.
  const copy = join(
    directory,
    createHash('sha256')
      .update(`${rootfs}\0${statSync(rootfs).ino}`)
      .digest('hex')
      .slice(0, 32),
  );
  if (existsSync(copy)) return copy;
  const partial = mkdtempSync(`${copy}-`);
  linkTree(rootfs, join(partial, 'root'));
  try {
    renameSync(join(partial, 'root'), copy);
  } catch (error) {
    // Another instance of the image made the copy first.
    if (!existsSync(copy)) throw error;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return copy;
}

/** Returns whether users other than root can traverse to the directory. */
export function isReachable(directory: string): boolean {
  if ((statSync(directory).mode & OTHERS_MAY_PASS) === 0) return false;
  return directory === dirname(directory) || isReachable(dirname(directory));
}

function linkTree(source: string, target: string): void {
  mkdirSync(target, { mode: 0o755 });
  for (const name of readdirSync(source)) {
    const [from, to] = [join(source, name), join(target, name)];
    const found = lstatSync(from);
    if (found.isDirectory()) linkTree(from, to);
    else if (found.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else linkOrCopy(from, to);
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
