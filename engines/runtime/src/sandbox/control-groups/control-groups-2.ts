/** Control groups version 2, the unified hierarchy. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cgroupMounts,
  DEFAULT_PROCESSES,
  GROUP,
  killMembers,
  makeDirectory,
  ownGroup,
  readNumber,
  readText,
  removeGroup,
  sweepGroups,
  writeIfPresent,
  type ControlGroups,
} from './control-group-files.ts';
import type { SandboxLimits, SandboxUsage } from '../sandbox.ts';
import { YIELDING_SHARES } from '../yielding.ts';

const PERIOD_US = 100_000;
const CONTROLLERS = '+cpu +memory +pids';

export class ControlGroups2 implements ControlGroups {
  readonly #parent: string;

  private constructor(parent: string) {
    this.#parent = parent;
  }

  /**
   * Returns possible parent groups. The server's own group works if it was delegated and contains no processes. The root of the mount may
   * contain both processes and child groups.
   */
  static candidates(): readonly ControlGroups2[] {
    const mount = cgroupMounts().find((entry) => entry.type === 'cgroup2');
    if (!mount || !/\bmemory\b/.test(readText(join(mount.path, 'cgroup.controllers')))) return [];
    const own = ownGroup(mount, (names) => names.length === 1 && names[0] === '');
    return [...new Set([own, mount.path])].map((parent) => new ControlGroups2(parent));
  }

  create(id: string, limits: SandboxLimits | undefined, isYielding = false): readonly string[] {
    const base = join(this.#parent, GROUP);
    writeIfPresent(join(this.#parent, 'cgroup.subtree_control'), CONTROLLERS);
    makeDirectory(base);
    writeFileSync(join(base, 'cgroup.subtree_control'), CONTROLLERS);
    const directory = this.#directory(id);
    makeDirectory(directory);
    if (isYielding) writeIfPresent(join(directory, 'cpu.weight'), YIELDING_SHARES.version2);
    if (limits) {
      writeFileSync(join(directory, 'memory.max'), String(limits.memoryMegabytes * 1024 * 1024));
      writeIfPresent(join(directory, 'memory.swap.max'), 0);
      writeFileSync(join(directory, 'cpu.max'), `${(limits.cpuMillicores * PERIOD_US) / 1000} ${PERIOD_US}`);
    }
    writeIfPresent(join(directory, 'pids.max'), limits?.processes ?? DEFAULT_PROCESSES);
    return [join(directory, 'cgroup.procs')];
  }

  usage(id: string): SandboxUsage | undefined {
    const cpu = readText(join(this.#directory(id), 'cpu.stat'));
    if (cpu === '') return undefined;
    const cache = readNumber(readText(join(this.#directory(id), 'memory.stat')), /^inactive_file (\d+)/m);
    const memory = Number(readText(join(this.#directory(id), 'memory.current')));
    return { cpuMs: readNumber(cpu, /usage_usec (\d+)/) / 1000, memoryBytes: Math.max(0, memory - cache) };
  }

  hasRunOutOfMemory(id: string): boolean {
    return readNumber(readText(join(this.#directory(id), 'memory.events')), /^oom_kill (\d+)/m) > 0;
  }

  remove(id: string): void {
    const directory = this.#directory(id);
    removeGroup(directory, () => {
      writeIfPresent(join(directory, 'cgroup.kill'), 1);
      killMembers(directory);
    });
  }

  sweep(): void {
    sweepGroups(join(this.#parent, GROUP));
  }

  #directory(id: string): string {
    return join(this.#parent, GROUP, id);
  }
}
