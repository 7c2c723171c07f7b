/**
 * A program of this checkout as another user of the machine. Where only its owner may enter the checkout, the other is shown it elsewhere,
 * by a mount that ends with the program. Needs root.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { isTraversable } from '../embedded-directory.ts';

export interface OtherUser {
  readonly uid: number;
  readonly gid: number;
}
const checkout = resolve(import.meta.dirname, '../../../..');
const isOpenTo = (user: OtherUser): boolean => isTraversable(import.meta.dirname, user);

/** False where it takes a mount, and there is no right to make one. */
export const mayRunAs = (user: OtherUser): boolean =>
  process.getuid?.() === 0 && (isOpenTo(user) || spawnSync('/usr/bin/unshare', ['--mount', '/bin/true']).status === 0);

/**
 * Returns the command, arguments and user to spawn. `base` is a directory that the other user may enter.
 * `args` receives a function that returns the path of a checkout file for the other user.
 */
export const nodeAs = (user: OtherUser, base: string, args: (at: (file: string) => string) => readonly string[]) => {
  if (isOpenTo(user)) return { command: process.execPath, args: args((file) => file), user };
  const shown = join(base, 'checkout');
  mkdirSync(shown, { recursive: true });
  const at = (file: string): string => {
    const inside = relative(checkout, file);
    return inside.startsWith('..') || isAbsolute(inside) ? file : join(shown, inside);
  };
  const drop = `exec setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups "$@"`;
  const script = `mount --bind "$0" "$1" && shift && ${drop}`;
  const mounted = ['--mount', '--propagation', 'private', '/bin/sh', '-c', script, checkout, shown];
  return { command: '/usr/bin/unshare', args: [...mounted, at(process.execPath), ...args(at)], user: {} };
};
