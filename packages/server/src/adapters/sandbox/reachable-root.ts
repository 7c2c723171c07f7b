/**
 * Without a mount namespace a program runs from the image's place on the machine. As root it runs as a user of its own, who may not
 * get through the directories above, such as a private data directory or root's home: then it runs from a linked copy.
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
  // With the inode: another image may come to the same place later.
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
    // Another instance of the image was quicker.
    if (!existsSync(copy)) throw error;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return copy;
}

/** By users other than root. */
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
