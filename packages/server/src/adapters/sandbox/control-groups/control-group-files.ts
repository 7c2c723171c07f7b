/** The files by which the kernel offers control groups, for both hierarchies. */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '#kernel/caught.ts';
import { killQuietly } from '../process-tree.ts';
import type { SandboxLimits, SandboxUsage } from '../sandbox.ts';

export interface ControlGroups {
  /** Makes the group; the command joins by writing its pid into every answered file. Throws when the kernel refuses. */
  create(id: string, limits: SandboxLimits | undefined, isYielding?: boolean): readonly string[];
  usage(id: string): SandboxUsage | undefined;
  hasRunOutOfMemory(id: string): boolean;
  /** Kills whatever is still inside and removes the group; tries again for a while, since the kernel lets go of the dead late. */
  remove(id: string): void;
  /** Removes the empty groups of servers that ended before they could. */
  sweep(): void;
}

/** All groups of all servers on the machine stand below one directory of this name in the server's own group. */
export const GROUP = 'slipway';
export const DEFAULT_PROCESSES = 1024;

export interface CgroupMount {
  readonly path: string;
  readonly root: string;
  readonly type: string;
  readonly options: readonly string[];
}

export function cgroupMounts(): readonly CgroupMount[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [left, right] = line.split(' - ');
    const [type, , options] = right?.split(' ') ?? [];
    const fields = left?.split(' ') ?? [];
    if (type === undefined || !type.startsWith('cgroup')) return [];
    return [{ path: fields[4] ?? '', root: fields[3] ?? '/', type, options: (options ?? '').split(',') }];
  });
}

/** Directory of the server's own group under a mount; in a container the mount may show only a part of the hierarchy. */
export function ownGroup(mount: CgroupMount, isOurs: (controllers: readonly string[]) => boolean): string {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n');
  const line = lines.map((text) => text.split(':')).find(([, controllers]) => isOurs((controllers ?? '').split(',')));
  const path = line?.slice(2).join(':') ?? '/';
  return join(mount.path, mount.root !== '/' && path.startsWith(mount.root) ? path.slice(mount.root.length) : path);
}

const REMOVE_ATTEMPTS = 40;
const REMOVE_RETRY_MS = 50;
const removals = new Set<Promise<void>>();

/** True when it is gone. */
const isRemoved = (directory: string): boolean => {
  try {
    rmdirSync(directory);
    return true;
  } catch (error) {
    return hasCode(error, 'ENOENT');
  }
};

const removeLate = async (directory: string, kill: () => void): Promise<void> => {
  for (let attempt = 0; attempt < REMOVE_ATTEMPTS; attempt++) {
    kill();
    await delay(REMOVE_RETRY_MS);
    if (isRemoved(directory)) return;
  }
};

export function removeGroup(directory: string, kill: () => void): void {
  if (isRemoved(directory)) return;
  const removal = removeLate(directory, kill).finally(() => removals.delete(removal));
  removals.add(removal);
}

/** Resolves when no group is still being removed: a process that ended before would leave them behind. */
// oxlint-disable-next-line slipway/fan-out -- waits for work that is under way, and starts none
export const groupsRemoved = async (): Promise<void> => void (await Promise.all(removals));

/** Young ones may be another server's that nobody has joined yet. */
const SWEEP_AGE_MS = 60_000;

export function sweepGroups(base: string): void {
  for (const entry of readdirSync(base, { withFileTypes: true })) {
    const path = join(base, entry.name);
    try {
      // The kernel removes only groups without members.
      if (entry.isDirectory() && Date.now() - statSync(path).mtimeMs > SWEEP_AGE_MS) rmdirSync(path);
    } catch {
      // In use, or gone meanwhile.
    }
  }
}

export function killMembers(directory: string): void {
  for (const line of readText(join(directory, 'cgroup.procs')).split('\n')) {
    const pid = Number(line);
    if (pid > 0 && pid !== process.pid) killQuietly(pid, 'SIGKILL');
  }
}

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

export const readNumber = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);

export function writeIfPresent(file: string, value: string | number): void {
  try {
    writeFileSync(file, String(value), { flag: 'r+' });
  } catch {
    // A kernel without this controller file: the limit it stands for is an extra.
  }
}

export const makeDirectory = (path: string): void => void mkdirSync(path, { recursive: true });
