/** Files through which the kernel offers control groups, for both hierarchies. */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '@slipway/foundation/caught.ts';
import { killQuietly } from '../process-tree.ts';
import type { SandboxLimits, SandboxUsage } from '../sandbox.ts';

export interface ControlGroups {
  /** Creates the group. The command joins by writing its pid into each returned file. Throws if the kernel refuses. */
  create(id: string, limits: SandboxLimits | undefined, isYielding?: boolean): readonly string[];
  usage(id: string): SandboxUsage | undefined;
  hasRunOutOfMemory(id: string): boolean;
  /** Kills all remaining members and removes the group. Retries for a while, since the kernel releases dead processes late. */
  remove(id: string): void;
  /** Removes empty groups of servers that ended without cleanup. */
  sweep(): void;
}

/** Directory in the server's own group that contains all groups of all servers on the machine. */
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

/** Returns the directory of the server's own group under a mount. In a container the mount may show only part of the hierarchy. */
export function ownGroup(mount: CgroupMount, isOurs: (controllers: readonly string[]) => boolean): string {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n');
  const line = lines.map((text) => text.split(':')).find(([, controllers]) => isOurs((controllers ?? '').split(',')));
  const path = line?.slice(2).join(':') ?? '/';
  return join(mount.path, mount.root !== '/' && path.startsWith(mount.root) ? path.slice(mount.root.length) : path);
}

/** On a busy machine a killed process can take seconds to leave its group. */
const REMOVE_WITHIN_MS = 9_000;
const REMOVE_RETRY_MS = 50;
const removals = new Set<Promise<void>>();

/** Returns true if the group is gone. */
const isRemoved = (directory: string): boolean => {
  try {
    rmdirSync(directory);
    return true;
  } catch (error) {
    return hasCode(error, 'ENOENT');
  }
};

const removeLate = async (directory: string, kill: () => void): Promise<void> => {
  const until = performance.now() + REMOVE_WITHIN_MS;
  while (performance.now() < until) {
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

/** Resolves when all removals have ended. If the process exits earlier, their groups are left behind. */
// oxlint-disable-next-line slipway/fan-out -- waits for work that is under way, and starts none
export const groupsRemoved = async (): Promise<void> => void (await Promise.all(removals));

/** Younger groups may belong to another server whose command has not joined yet. */
const SWEEP_AGE_MS = 60_000;

export function sweepGroups(base: string): void {
  for (const entry of readdirSync(base, { withFileTypes: true })) {
    const path = join(base, entry.name);
    try {
      // The kernel removes only groups without members.
      if (entry.isDirectory() && Date.now() - statSync(path).mtimeMs > SWEEP_AGE_MS) rmdirSync(path);
    } catch {
      // The group is in use or already gone.
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
    // The kernel lacks this controller file. Its limit is optional.
  }
}

export const makeDirectory = (path: string): void => void mkdirSync(path, { recursive: true });
