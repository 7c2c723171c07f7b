/**
 * Control groups version 1: one hierarchy per controller. Kept for micro VMs and long-term distributions that still mount memory and CPU
 * there (docs/decisions/0034). Without it their limits would only be observed.
 */
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
type Controller = 'memory' | 'cpu' | 'cpuacct' | 'pids';

export class ControlGroups1 implements ControlGroups {
  readonly #bases: ReadonlyMap<Controller, string>;

  private constructor(bases: ReadonlyMap<Controller, string>) {
    this.#bases = bases;
  }

  static candidates(): readonly ControlGroups1[] {
    const mounts = cgroupMounts().filter((mount) => mount.type === 'cgroup');
    const bases = new Map<Controller, string>();
    for (const controller of ['memory', 'cpu', 'cpuacct', 'pids'] as const) {
      const mount = mounts.find((entry) => entry.options.includes(controller));
      if (mount)
        bases.set(
          controller,
          join(
            ownGroup(mount, (names) => names.includes(controller)),
            GROUP,
          ),
        );
    }
    return bases.has('memory') && bases.has('cpu') && bases.has('cpuacct') ? [new ControlGroups1(bases)] : [];
  }

  create(id: string, limits: SandboxLimits | undefined, isYielding = false): readonly string[] {
    for (const controller of this.#bases.keys()) makeDirectory(this.#directory(controller, id));
    if (isYielding) writeIfPresent(join(this.#directory('cpu', id), 'cpu.shares'), YIELDING_SHARES.version1);
    if (limits) {
      const memory = this.#directory('memory', id);
      writeFileSync(join(memory, 'memory.limit_in_bytes'), String(limits.memoryMegabytes * 1024 * 1024));
      writeIfPresent(join(memory, 'memory.memsw.limit_in_bytes'), limits.memoryMegabytes * 1024 * 1024);
      writeFileSync(join(this.#directory('cpu', id), 'cpu.cfs_period_us'), String(PERIOD_US));
      writeFileSync(join(this.#directory('cpu', id), 'cpu.cfs_quota_us'), String((limits.cpuMillicores * PERIOD_US) / 1000));
    }
    if (this.#bases.has('pids')) writeIfPresent(join(this.#directory('pids', id), 'pids.max'), limits?.processes ?? DEFAULT_PROCESSES);
    return [...this.#bases.keys()].map((controller) => join(this.#directory(controller, id), 'cgroup.procs'));
  }

  usage(id: string): SandboxUsage | undefined {
    const cpu = readText(join(this.#directory('cpuacct', id), 'cpuacct.usage'));
    if (cpu === '') return undefined;
    const memory = this.#directory('memory', id);
    const cache = readNumber(readText(join(memory, 'memory.stat')), /^total_inactive_file (\d+)/m);
    return { cpuMs: Number(cpu) / 1e6, memoryBytes: Math.max(0, Number(readText(join(memory, 'memory.usage_in_bytes'))) - cache) };
  }

  hasRunOutOfMemory(id: string): boolean {
    return readNumber(readText(join(this.#directory('memory', id), 'memory.oom_control')), /oom_kill (\d+)/) > 0;
  }

  remove(id: string): void {
    for (const controller of this.#bases.keys()) {
      const directory = this.#directory(controller, id);
      removeGroup(directory, () => killMembers(directory));
    }
  }

  sweep(): void {
    for (const base of this.#bases.values()) sweepGroups(base);
  }

  #directory(controller: Controller, id: string): string {
    return join(this.#bases.get(controller) ?? '', id);
  }
}
