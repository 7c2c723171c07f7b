/** The most that one instance has used lately, beside its limits. Pure. */
import type { MetricPoint } from '@slipway/contract/metrics.ts';

export type Peak = number | null;

const greatest = (values: readonly Peak[]): Peak =>
  values.reduce((most, value) => (value === null ? most : Math.max(most ?? 0, value)), null);

/** Undefined where nothing was measured. CPU is measured of all instances together: their mean stands for one. */
export const peaksOf = (points: readonly MetricPoint[]): { cpu: Peak; memory: Peak } | undefined => {
  const cpu = greatest(
    points.map(({ cpuMillicores, instances }) => (cpuMillicores === null || !instances ? null : cpuMillicores / instances)),
  );
  const memory = greatest(points.map(({ maxMemoryMegabytes }) => maxMemoryMegabytes));
  return cpu === null && memory === null ? undefined : { cpu, memory };
};
