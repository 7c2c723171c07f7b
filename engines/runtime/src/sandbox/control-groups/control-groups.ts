/** Control groups: the kernel's limits on memory, CPU and processes, if this server may create and join them. */
import { spawnSync } from 'node:child_process';
import type { ControlGroups } from './control-group-files.ts';
import { ControlGroups1 } from './control-groups-1.ts';
import { ControlGroups2 } from './control-groups-2.ts';

/**
 * Prefers version 2. A hierarchy counts only if a group in it can be created **and joined**: a directory left behind by another user exists
 * but rejects every instance.
 */
export function detectControlGroups(): ControlGroups | undefined {
  if (process.platform !== 'linux') return undefined;
  for (const groups of [...ControlGroups2.candidates(), ...ControlGroups1.candidates()]) {
    if (!canJoin(groups)) continue;
    groups.sweep();
    return groups;
  }
  return undefined;
}

function canJoin(groups: ControlGroups): boolean {
  const id = `probe-${process.pid}`;
  try {
    const files = groups.create(id, { memoryMegabytes: 64, cpuMillicores: 1000 });
    const joined = spawnSync('/bin/sh', ['-c', joinScript(files)], { stdio: 'ignore' });
    return joined.status === 0 && files.length > 0;
  } catch {
    return false;
  } finally {
    groups.remove(id);
  }
}

/** Joins before exec: joining after the start would race with the program's first fork. */
export const joinScript = (files: readonly string[]): string =>
  files.length === 0 ? ':' : `{ ${files.map((file) => `echo $$ > '${file}'`).join(' && ')}; } || exit 125`;
