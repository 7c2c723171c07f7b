/** What instances used on average over the last while: one reading alone is too nervous to scale by. */
import type { InstanceStats } from '#ports/runtime.ts';

export interface AverageUse {
  readonly cpuMillicores: number;
  readonly memoryMegabytes: number;
}

export class StatsWindow {
  readonly #windowMs: number;
  #readings: { readonly at: number; readonly stats: readonly InstanceStats[] }[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  push(stats: readonly InstanceStats[], now: number): void {
    this.#readings = [...this.#within(now), { at: now, stats }];
  }

  /** By instance; those that the newest reading did not tell of are gone. */
  averages(now: number): ReadonlyMap<string, AverageUse> {
    const recent = this.#within(now);
    const running = new Set(recent.at(-1)?.stats.map(({ id }) => id));
    const readings = Map.groupBy(
      recent.flatMap(({ stats }) => stats.filter(({ id }) => running.has(id))),
      ({ id }) => id,
    );
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    return new Map(
      [...readings].map(([id, found]) => [
        id,
        { cpuMillicores: mean(found.map((one) => one.cpuMillicores)), memoryMegabytes: mean(found.map((one) => one.memoryMegabytes)) },
      ]),
    );
  }

  /** Nothing of the future, which there is when the clock was put back. */
  #within(now: number) {
    return this.#readings.filter(({ at }) => at > now - this.#windowMs && at <= now);
  }
}
