/** Health of a service, and the worst health within an app, as icon and word. */
import type { Service } from '@slipway/contract/service/service.ts';
import { healthLook, lifecycleLook, revisionLook, type StatusLook } from '#entities/status.ts';

export const serviceLook = ({ state, active, status }: Pick<Service, 'state' | 'active' | 'status'>): StatusLook => {
  if (state !== 'ACTIVE') return lifecycleLook[state] ?? healthLook.NONE;
  if (!active) return healthLook.INACTIVE;
  if (status.pipelineId !== null) return { tone: 'run', word: 'Deploying' };
  return revisionLook[status.health];
};

/** Service states by urgency, worst first. */
const worstFirst = ['Failing', 'Not created', 'Deploying', 'Pending', 'Unknown', 'Healthy', 'No instances', 'Inactive'];

export const worstHealth = (services: readonly Service[]): StatusLook => {
  const looks = services.map(serviceLook);
  return looks.toSorted((a, b) => worstFirst.indexOf(a.word) - worstFirst.indexOf(b.word))[0] ?? healthLook.NONE;
};
