/** Averages the instances' use over a time window, because a single reading is too noisy for scaling. */
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

  /** Returns averages by instance id. Omits instances that are missing in the newest reading. */
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

  /** Excludes readings from the future, which exist after the clock was set back. */
  #within(now: number) {
    return this.#readings.filter(({ at }) => at > now - this.#windowMs && at <= now);
  }
}
