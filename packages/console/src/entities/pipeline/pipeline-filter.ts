/** Filters of a pipeline list in the URL, and the server query they make. */
import { pipelineTriggers, type PipelineState } from '@slipway/contract/pipeline/pipeline.ts';
import { pipelineTypeLabel, pipelineTypes } from '@slipway/contract/pipeline/pipeline-types.ts';
import { serviceKind } from '@slipway/contract/kinds/service.kind.ts';

export const pipelineFilterDefaults = { show: '', type: '', trigger: '' };
export type PipelineFilter = typeof pipelineFilterDefaults;

const states: Readonly<Record<string, readonly PipelineState[]>> = {
  running: ['QUEUED', 'PENDING', 'RUNNING'],
  completed: ['COMPLETED'],
  failed: ['FAILED'],
  canceled: ['CANCELED'],
};
/** State filters in the order of the control. */
export const stateFilters = [
  { value: '', label: 'All statuses' },
  { value: 'running', label: 'Running' },
  { value: 'failed', label: 'Failed' },
  { value: 'completed', label: 'Completed' },
  { value: 'canceled', label: 'Cancelled' },
] as const;

type Trigger = (typeof pipelineTriggers)[number];
export interface PipelineListQuery {
  state?: PipelineState[];
  type?: string;
  trigger?: Trigger;
}

/** Ignores unknown values in the URL, so that an old link still shows a list. */
export const pipelineListQuery = ({ show, type, trigger }: PipelineFilter): PipelineListQuery => {
  const known = pipelineTriggers.find((item) => item === trigger);
  return {
    ...(Object.hasOwn(states, show) ? { state: [...(states[show] ?? [])] } : {}),
    ...(pipelineTypeLabel(type) === undefined ? {} : { type }),
    ...(known ? { trigger: known } : {}),
  };
};

/** Pipeline types of a service and its parts. */
export const serviceTypes: readonly string[] = pipelineTypes(serviceKind);
