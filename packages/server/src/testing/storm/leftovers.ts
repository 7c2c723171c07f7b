/** Finds what an ended platform left on the machine: processes, mounts, networks, control groups. Nothing may be left. */
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { descendants, readProcess, readProcesses } from '@slipway/runtime/sandbox/process-tree.ts';
import { cgroupMounts } from '@slipway/runtime/sandbox/control-groups/control-group-files.ts';
import { commandOf, type StormedPlatform } from './stormed-platform.ts';

interface Seen {
  readonly pid: number;
  readonly startTicks: number;
  readonly network: string;
}
const linkOf = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
};

/** Everything that descends from the server or its agent, while they run. */
export const remember = (platform: StormedPlatform): Seen[] => {
  const table = readProcesses();
  const roots = [platform.program.child.pid ?? 0, ...platform.agents];
  return roots
    .flatMap((root) => descendants(root, table))
    .map(({ pid, startTicks }) => ({ pid, startTicks, network: linkOf(`/proc/${pid}/ns/net`) }));
};

/** Directories of control groups that are named after our apps, at any depth. */
const groupsOf = (directory: string, prefix: string, depth = 6): string[] => {
  let names: string[];
  try {
    names = readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
  const own = directory.endsWith('/slipway') ? names.filter((name) => name.startsWith(prefix)).map((name) => join(directory, name)) : [];
  return [...own, ...(depth > 0 ? names.flatMap((name) => groupsOf(join(directory, name), prefix, depth - 1)) : [])];
};

/** Called after its end, with what was remembered before. */
export const leftovers = (platform: StormedPlatform, before: readonly Seen[]): string[] => {
  const { dataDir, prefix } = platform.place;
  const ownNetwork = linkOf('/proc/self/ns/net');
  const networks = new Set(before.map(({ network }) => network).filter((network) => network !== '' && network !== ownNetwork));
  const running = readProcesses();
  const survivors = before.filter(({ pid, startTicks }) => readProcess(pid)?.startTicks === startTicks);
  // As root the database lies elsewhere, behind a link.
  const directories = [dataDir, realpathSync(join(dataDir, 'pg'))];
  const strangers = running.filter(({ pid }) => pid !== process.pid && directories.some((path) => commandOf(pid).includes(path)));
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .filter((line) => line.includes(dataDir) || line.includes(`/${prefix}-`));
  const groups = [...new Set(cgroupMounts().flatMap(({ path }) => groupsOf(path, prefix)))];
  return [
    ...survivors.map(({ pid }) => `The process ${pid} (${commandOf(pid).slice(0, 80)}) outlived the platform`),
    ...platform.instances().map(({ pid, revision }) => `The instance ${pid} of ${revision} outlived the platform`),
    ...strangers.map(({ pid }) => `The process ${pid} (${commandOf(pid).slice(0, 80)}) still uses the data directory`),
    ...running
      .filter(({ pid }) => networks.has(linkOf(`/proc/${pid}/ns/net`)))
      .map(({ pid }) => `The process ${pid} is in an instance's network`),
    ...mounts.map((line) => `There is a mount left: ${line}`),
    ...groups.map((path) => `There is a control group left: ${path}`),
  ];
};
