/** How many instances a service shall have, by its settings. */
import type { ServiceSpec } from './service-spec.ts';

export interface ReplicaBounds {
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/** Where the bounds contradict each other, the lower one counts. */
export const withinBounds = (replicas: number, { minReplicas, maxReplicas }: ReplicaBounds): number =>
  Math.max(minReplicas, Math.min(replicas, maxReplicas));

/** `running`: how many do the work now, which what scales by itself goes on from. */
export const replicasOf = ({ template }: Pick<ServiceSpec, 'template'>, running = 0): number => {
  const { scalingType, count, ...bounds } = template.replicaScaling;
  return scalingType === 'AUTO' ? withinBounds(Math.max(count, running), bounds) : count;
};
