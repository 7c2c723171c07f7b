/** Resolves a path inside an unpacked image as the image's own programs would: no link leads out of the root. */
import { lstatSync, readlinkSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { SandboxBind } from './sandbox.ts';

const MAX_LINKS = 40;

/**
 * Returns the absolute path inside, with links resolved. Missing components are kept. Throws for a cycle of links. `binds` are the mounts,
 * with link-free targets.
 */
export function resolveInRoot(rootfs: string, path: string, binds: readonly Pick<SandboxBind, 'source' | 'target'>[] = []): string {
  const pending = posix.normalize(`/${path}`).split('/').filter(Boolean);
  let current = '/';
  let links = 0;
  while (pending.length > 0) {
    const part = pending.shift()!;
    if (part === '.') continue;
    if (part === '..') {
      current = posix.dirname(current);
      continue;
    }
    const next = posix.join(current, part);
    const bind = binds.findLast(({ target }) => next.startsWith(`${target}/`));
    const link = linkTarget(bind ? join(bind.source, next.slice(bind.target.length)) : join(rootfs, next));
    if (link === undefined) {
      current = next;
      continue;
    }
    if (++links > MAX_LINKS) throw new Error(`Too many links on the way to ${path}`);
    pending.unshift(...link.split('/').filter(Boolean));
    if (link.startsWith('/')) current = '/';
  }
  return current;
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

export function existsInRoot(rootfs: string, path: string): boolean {
  try {
    return lstatSync(join(rootfs, resolveInRoot(rootfs, path))).isFile();
  } catch {
    return false;
  }
}
