/** Display of the platform's states: tone and label. */
import type { ServiceHealth } from '@slipway/contract/application.ts';
import type { PipelineState } from '@slipway/contract/pipeline/pipeline.ts';
import type { Instance, RevisionStatus } from '@slipway/contract/service/revision.ts';
import type { Tone } from '@slipway/ui/tone.ts';

export interface StatusLook {
  readonly tone: Tone;
  readonly word: string;
}

const look = (tone: Tone, word: string): StatusLook => ({ tone, word });

/** States of resources that pipelines create and delete; ACTIVE has no label. */
export const lifecycleLook: Readonly<Record<'ACTIVE' | 'CREATING' | 'NOT_CREATED' | 'DELETING', StatusLook | undefined>> = {
  ACTIVE: undefined,
  CREATING: look('run', 'Being created'),
  NOT_CREATED: look('bad', 'Not created'),
  DELETING: look('run', 'Being deleted'),
};

export const healthLook: Readonly<Record<ServiceHealth, StatusLook>> = {
  FAILING: look('bad', 'Failing'),
  PENDING: look('warn', 'Pending'),
  HEALTHY: look('ok', 'Healthy'),
  NO_INSTANCES: look('idle', 'No instances'),
  INACTIVE: look('off', 'Inactive'),
  NONE: look('off', 'No services'),
};

export const revisionLook: Readonly<Record<RevisionStatus, StatusLook>> = {
  PENDING: look('warn', 'Pending'),
  HEALTHY: look('ok', 'Healthy'),
  FAILING: look('bad', 'Failing'),
  NO_INSTANCES: look('idle', 'No instances'),
  UNKNOWN: look('idle', 'Unknown'),
  DELETED: look('idle', 'Deleted'),
};

export const pipelineLook: Readonly<Record<PipelineState, StatusLook>> = {
  QUEUED: look('warn', 'Queued'),
  PENDING: look('warn', 'Pending'),
  RUNNING: look('run', 'Running'),
  COMPLETED: look('ok', 'Completed'),
  FAILED: look('bad', 'Failed'),
  CANCELED: look('idle', 'Cancelled'),
};

export const instanceLook: Readonly<Record<Instance['state'], StatusLook>> = {
  STARTING: look('run', 'Starting'),
  READY: look('ok', 'Ready'),
  UNHEALTHY: look('warn', 'Unhealthy'),
  STOPPING: look('run', 'Stopping'),
  STOPPED: look('idle', 'Stopped'),
  CRASHED: look('bad', 'Crashed'),
};

export const levelLook: Readonly<Record<'INFO' | 'WARNING' | 'ERROR', StatusLook>> = {
  INFO: look('idle', 'Info'),
  WARNING: look('warn', 'Warning'),
  ERROR: look('bad', 'Error'),
};
