/** Computes the wanted number of instances of a service from its settings. */
import type { ServiceSpec } from './service-spec.ts';

export interface ReplicaBounds {
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/** If the bounds contradict each other, the minimum wins. */
export const withinBounds = (replicas: number, { minReplicas, maxReplicas }: ReplicaBounds): number =>
  Math.max(minReplicas, Math.min(replicas, maxReplicas));

/** `running`: current number of instances, from which automatic scaling continues. */
export const replicasOf = ({ template }: Pick<ServiceSpec, 'template'>, running = 0): number => {
  const { scalingType, count, ...bounds } = template.replicaScaling;
  return scalingType === 'AUTO' ? withinBounds(Math.max(count, running), bounds) : count;
};
