/** How a service is, and the worst of an app's, as a mark and a word. */
import type { Service } from '@slipway/contract/service/service.ts';
import { healthLook, lifecycleLook, revisionLook, type StatusLook } from '#entities/status.ts';

export const serviceLook = ({ state, active, status }: Pick<Service, 'state' | 'active' | 'status'>): StatusLook => {
  if (state !== 'ACTIVE') return lifecycleLook[state] ?? healthLook.NONE;
  if (!active) return healthLook.INACTIVE;
  if (status.pipelineId !== null) return { tone: 'run', word: 'Deploying' };
  return revisionLook[status.health];
};

/** The services' worst, in the order that a person would care. */
const worstFirst = ['Failing', 'Not created', 'Deploying', 'Pending', 'Unknown', 'Healthy', 'No instances', 'Inactive'];

export const worstHealth = (services: readonly Service[]): StatusLook => {
  const looks = services.map(serviceLook);
  return looks.toSorted((a, b) => worstFirst.indexOf(a.word) - worstFirst.indexOf(b.word))[0] ?? healthLook.NONE;
};
