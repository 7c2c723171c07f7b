/**
 * Makes what is to be mounted over in an unpacked image: its root turns read-only before anybody could. Parts of a path are opened as the
 * image's own programs would see them, so that no link of the image leads the server out of it.
 */
import { closeSync, openSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { makeDirectoryAt, OPEN, openInRoot, SystemError } from './libc.ts';
import type { SandboxBind } from './sandbox.ts';

export function makeMountPoints(rootfs: string, binds: readonly SandboxBind[]): void {
  const root = openSync(rootfs, OPEN.path | OPEN.directory);
  try {
    for (const path of ['/proc', '/dev', '/tmp']) makeDirectories(root, path);
    for (const { source, target } of binds) {
      if (statSync(source).isDirectory()) makeDirectories(root, target);
      else {
        makeDirectories(root, posix.dirname(target));
        makeFile(root, target);
      }
    }
  } finally {
    closeSync(root);
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
