/** Follows a path inside an unpacked image the way the image's own programs would: no link leads out of the root. */
import { lstatSync, readlinkSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { SandboxBind } from './sandbox.ts';

const MAX_LINKS = 40;

/**
 * Absolute path inside, free of links; parts that do not exist are kept as they are. Throws for a circle of links. `binds` are what is
 * mounted there, by targets that are free of links.
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
