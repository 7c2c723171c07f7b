/**
 * Changes refs the way git does, by `<ref>.lock` files made exclusively and renamed into place, so that several
 * servers and host git itself may work on one repository at once.
 */
import { link, mkdir, open, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '#kernel/caught.ts';
import { zeroOid } from './pkt-line.ts';
import { packedRefs, readRef, readRefs } from './refs.ts';

export interface RefChange {
  readonly ref: string;
  /** 40 zeros: the ref does not exist yet. */
  readonly from: string;
  /** 40 zeros: the ref goes. */
  readonly to: string;
}

export class RefRefused extends Error {
  override readonly name = 'RefRefused';
}

const lockWaitMs = 1000;
/** A holder writes a few bytes and renames; a lock this old belongs to a server that was killed. */
const staleLockMs = 5 * 60_000;

/** Removes the lock of a process that died with it. Renaming first makes sure that only one remover acts on it. */
export async function breakStaleLock(lock: string): Promise<void> {
  const found = await stat(lock).catch(() => undefined);
  if (found === undefined || Date.now() - found.mtimeMs < staleLockMs) return;
  const aside = `${lock}-stale-${process.pid}-${Date.now()}`;
  await rename(lock, aside).catch(() => undefined);
  const moved = await stat(aside).catch(() => undefined);
  // Between the look and the rename a live process may have taken the lock: then it goes back.
  if (moved !== undefined && moved.ino !== found.ino) await link(aside, lock).catch(() => undefined);
  await unlink(aside).catch(() => undefined);
}

async function takeLock(path: string, content: string): Promise<string> {
  const lock = `${path}.lock`;
  for (const end = Date.now() + lockWaitMs; ;) {
    await mkdir(dirname(lock), { recursive: true }).catch((error: unknown) => {
      if (hasCode(error, 'EEXIST', 'ENOTDIR')) throw new RefRefused('a branch or tag with a shorter name is in the way');
      throw error;
    });
    try {
      const file = await open(lock, 'wx', 0o644);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      return lock;
    } catch (error) {
      // ENOENT: another process removed the empty folder between the two calls.
      if (!hasCode(error, 'EEXIST', 'ENOENT')) throw error;
      if (Date.now() > end) throw new RefRefused('another push holds the lock of this ref');
      await breakStaleLock(lock);
      await delay(10);
    }
  }
}

/** Folders that a deleted ref leaves empty would block a ref of their own name. */
async function removeEmptyFolders(gitDir: string, ref: string): Promise<void> {
  for (let folder = dirname(ref); folder.split('/').length > 2; folder = dirname(folder)) {
    if (
      !(await rmdir(join(gitDir, folder)).then(
        () => true,
        () => false,
      ))
    )
      return;
  }
}

/** Empty folders alone: what holds a file stays, and blocks. */
async function removeEmptyTree(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) if (entry.isDirectory()) await removeEmptyTree(join(path, entry.name));
  await rmdir(path);
}

async function unpackRef(gitDir: string, ref: string): Promise<void> {
  if (!(await packedRefs(gitDir)).has(ref)) return;
  const path = join(gitDir, 'packed-refs');
  const lock = await takeLock(path, '');
  try {
    const refs = await packedRefs(gitDir);
    refs.delete(ref);
    const file = await open(lock, 'w');
    try {
      // Without the header that promises peeled tags, git peels them itself.
      await file.writeFile([...refs].map(([name, oid]) => `${oid} ${name}\n`).join(''));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(lock, path);
  } catch (error) {
    await unlink(lock).catch(() => undefined);
    throw error;
  }
}

async function applyLocked(gitDir: string, change: RefChange, lock: string): Promise<void> {
  const path = join(gitDir, change.ref);
  if (change.to !== zeroOid) {
    await rename(lock, path).catch(async (error: unknown) => {
      if (!hasCode(error, 'EISDIR', 'ENOTEMPTY')) throw error;
      await removeEmptyTree(path).catch(() => {
        throw new RefRefused('a branch or tag with a longer name is in the way');
      });
      await rename(lock, path);
    });
    return;
  }
  await unpackRef(gitDir, change.ref);
  await unlink(path).catch(() => undefined);
  await unlink(lock);
  await removeEmptyFolders(gitDir, change.ref);
}

async function checkLocked(gitDir: string, change: RefChange): Promise<void> {
  if (((await readRef(gitDir, change.ref)) ?? zeroOid) !== change.from) throw new RefRefused('the ref has moved: fetch first');
  if (change.from !== zeroOid || change.to === zeroOid) return;
  for (const name of (await readRefs(gitDir)).keys()) {
    if (name.startsWith(`${change.ref}/`) || change.ref.startsWith(`${name}/`)) throw new RefRefused(`${name} is in the way`);
  }
}

/**
 * Applies the changes when every ref still is what its change says; else RefRefused, and none is applied.
 * As in git's own files, readers see each ref move at its own instant, and a crash may come between two.
 */
export async function changeRefs(gitDir: string, changes: readonly RefChange[]): Promise<void> {
  const held: { change: RefChange; lock: string }[] = [];
  try {
    // One order for everybody, or two pushes could wait for each other.
    for (const change of [...changes].sort((a, b) => (a.ref < b.ref ? -1 : 1))) {
      held.push({ change, lock: await takeLock(join(gitDir, change.ref), change.to === zeroOid ? '' : `${change.to}\n`) });
      await checkLocked(gitDir, change);
    }
    for (let next = held[0]; next !== undefined; next = held[0]) {
      await applyLocked(gitDir, next.change, next.lock);
      held.shift();
    }
  } finally {
    for (const { change, lock } of held) {
      await unlink(lock).catch(() => undefined);
      await removeEmptyFolders(gitDir, change.ref);
    }
  }
}
