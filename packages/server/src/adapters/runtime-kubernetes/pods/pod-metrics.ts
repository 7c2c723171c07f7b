/** Reads the answer of the metrics API. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { InstanceStats } from '#ports/runtime.ts';
import { quantityOf } from '../api/covers.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { LABEL } from '../objects/names.ts';

interface PodMetrics {
  readonly metadata: KubeObject['metadata'];
  readonly containers?: readonly { readonly usage?: { readonly cpu?: string; readonly memory?: string } }[];
}
/** Returns the use of each pod of a revision, summed over its containers. */
export function readPodMetrics(page: unknown): readonly InstanceStats[] {
  const items = isRecord(page) && Array.isArray(page['items']) ? (page['items'] as PodMetrics[]) : [];
  return items.flatMap(({ containers = [], metadata }) => {
    const revision = metadata.labels?.[LABEL.revision];
    if (revision === undefined) return [];
    const sum = (name: 'cpu' | 'memory'): number =>
      containers.reduce((total, { usage }) => total + (quantityOf(usage?.[name] ?? '') ?? 0), 0);
    return [
      { id: metadata.name, revision, cpuMillicores: Math.round(sum('cpu') * 1000), memoryMegabytes: Math.round(sum('memory') / 2 ** 20) },
    ];
  });
}
