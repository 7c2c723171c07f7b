/**
 * Creates mount points in an unpacked image before its root becomes read-only. Path components are resolved as the image's programs would
 * see them, so no link of the image leads the server out of it.
 */
import { closeSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { isReserved, isWithin } from './kernel-view.ts';
import { makeDirectoryAt, OPEN, openInRoot, SystemError } from './libc.ts';
import { resolveInRoot } from './root-path.ts';
import type { SandboxBind, SandboxCommand } from './sandbox.ts';

const IN_THE_WAY = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR'];

/** Thrown before anything runs. */
export class MountRefusal extends Error {
  /**
   * `Reserved`: the path resolves to `place`, which belongs to the sandbox. `Image`: the image blocks the mount, with a file in place of a
   * directory or a dangling link.
   */
  readonly where: { readonly path: string; readonly place: string; readonly obstacle: 'Reserved' | 'Image' };

  constructor(where: MountRefusal['where'], cause?: unknown) {
    super(`Nothing can be mounted at ${where.path}`, { cause });
    this.where = where;
  }
}

/** Thrown before anything runs: the working directory resolves to `place`, outside the image. */
export class DirectoryRefusal extends Error {
  override readonly name = 'DirectoryRefusal';
  readonly where: { readonly path: string; readonly place: string };

  constructor(where: DirectoryRefusal['where']) {
    super(`No program can begin at ${where.path}`);
    this.where = where;
  }
}

/**
 * Returns the command with links resolved in its binds' targets and working directory: runtimes follow links with their own rights, and
 * procfs has links out of any root. Throws for forbidden targets, and for a working directory outside the image.
 */
export function withPlaces(command: SandboxCommand): SandboxCommand {
  const { cwd, rootfs } = command;
  const root = openSync(rootfs, OPEN.path | OPEN.directory);
  const real = realpathSync(rootfs);
  try {
    const kernel = ['/proc', '/dev', '/tmp'].map((path) => {
      makeDirectories(root, path);
      return placeOf(root, real, path);
    });
    if (kernel.includes('/')) throw new Error('The image has a link to its root where a mount point must stand.');
    const binds = command.binds.map((bind) => {
      const place = placeFor(root, real, bind);
      if (isReserved(place) || kernel.some((path) => isWithin(place, path)))
        throw new MountRefusal({ path: bind.target, place, obstacle: 'Reserved' });
      return { ...bind, target: place };
    });
    const place = resolveInRoot(rootfs, cwd, binds);
    // /tmp is allowed: it is empty, so nothing in it leads elsewhere.
    if (['/proc', '/dev', '/sys', ...kernel.slice(0, 2)].some((path) => isWithin(place, path)))
      throw new DirectoryRefusal({ path: cwd, place });
    return { ...command, binds, cwd: place };
  } finally {
    closeSync(root);
  }
}

function placeFor(root: number, real: string, bind: SandboxBind): string {
  try {
    makeMountPoint(root, bind);
    return placeOf(root, real, bind.target, statSync(bind.source).isDirectory());
  } catch (error) {
    if (IN_THE_WAY.some((code) => isCode(error, code)))
      throw new MountRefusal({ path: bind.target, place: bind.target, obstacle: 'Image' }, error);
    throw error;
  }
}

function makeMountPoint(root: number, { source, target }: SandboxBind): void {
  // Checks the literal path first, so that not even a directory is created in a reserved place.
  const place = posix.normalize(target);
  if (isReserved(place)) throw new MountRefusal({ path: target, place, obstacle: 'Reserved' });
  if (statSync(source).isDirectory()) return makeDirectories(root, target);
  makeDirectories(root, posix.dirname(target));
  makeFile(root, target);
}

/** Returns the path inside the root, with all links of the image resolved. */
function placeOf(root: number, real: string, path: string, isDirectory = true): string {
  const fd = openInRoot(root, path, isDirectory ? OPEN.path | OPEN.directory : OPEN.path);
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).slice(real.length) || '/';
  } finally {
    closeSync(fd);
  }
}

function makeDirectories(root: number, path: string): void {
  let at = '/';
  for (const name of posix.normalize(path).split('/').filter(Boolean)) {
    const parent = openInRoot(root, at, OPEN.path | OPEN.directory);
    try {
      makeDirectoryAt(parent, name, 0o755);
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    } finally {
      closeSync(parent);
    }
    at = posix.join(at, name);
  }
}

function makeFile(root: number, path: string): void {
  try {
    closeSync(openInRoot(root, path, OPEN.create | OPEN.exclusive | OPEN.writeOnly, 0o644));
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  }
}

const isCode = (error: unknown, code: string): boolean => error instanceof SystemError && error.code === code;
