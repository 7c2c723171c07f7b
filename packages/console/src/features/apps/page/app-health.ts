/** How an app or a service is, as a mark and a word. */
import type { Application } from '@slipway/contract/application.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { healthLook, revisionLook, type StatusLook } from '#entities/status.ts';

/** An app that its pipeline has not finished has no health yet. */
export const appLook: Readonly<Record<Application['state'], StatusLook | undefined>> = {
  ACTIVE: undefined,
  CREATING: { tone: 'run', word: 'Being created' },
  NOT_CREATED: { tone: 'bad', word: 'Not created' },
  DELETING: { tone: 'run', word: 'Being deleted' },
};

export const serviceLook = ({ state, active, status }: Pick<Service, 'state' | 'active' | 'status'>): StatusLook => {
  if (state !== 'ACTIVE') return appLook[state] ?? healthLook.NONE;
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
