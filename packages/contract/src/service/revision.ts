/** Revisions: an immutable snapshot of image and settings, and the instances that run it (decisions §4). */
import * as z from 'zod/mini';
import { Can, Instant, PageQuery, pageCodes, pageOf, numberCodes } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { startsRun } from '../pipeline/plan.ts';
import { ServiceSpec } from './service-spec.ts';

export const revisionStatuses = ['PENDING', 'HEALTHY', 'FAILING', 'NO_INSTANCES', 'UNKNOWN', 'DELETED'] as const;
export const RevisionStatus = z.enum(revisionStatuses);
export type RevisionStatus = z.infer<typeof RevisionStatus>;

export const instanceStates = ['STARTING', 'READY', 'UNHEALTHY', 'STOPPING', 'STOPPED', 'CRASHED'] as const;
export const InstanceEvent = z.object({
  at: Instant,
  lastAt: Instant,
  count: z.number(),
  instance: z.string(),
  type: z.enum(['added', 'running', 'modified', 'unhealthy', 'warning', 'error', 'deleted', 'bookmarked']),
  /** Code from instance-event.ts. */
  reason: z.string(),
  /** Null for events that an earlier version of the platform wrote: they only have a sentence. */
  context: z.nullable(z.record(z.string(), z.union([z.string(), z.number()]))),
  /** The sentence for code and context. */
  message: z.string(),
});
export type InstanceEvent = z.infer<typeof InstanceEvent>;
export const Instance = z.object({
  id: z.string(),
  revision: z.string(),
  state: z.enum(instanceStates),
  since: Instant,
  restarts: z.number(),
  node: z.string(),
  port: z.nullable(z.number()),
  cpuMillicores: z.nullable(z.number()),
  memoryMegabytes: z.nullable(z.number()),
  lastExit: z.nullable(
    z.object({
      code: z.nullable(z.number()),
      signal: z.nullable(z.string()),
      reason: z.string(),
      at: Instant,
    }),
  ),
});
export type Instance = z.infer<typeof Instance>;

export const Revision = z.object({
  name: z.string(),
  number: z.number(),
  app: z.string(),
  environment: z.string(),
  service: z.string(),
  imageTag: z.string(),
  imageDigest: z.string(),
  spec: ServiceSpec,
  /** Versions that this revision reads, by group name. */
  secretVersions: z.record(z.string(), z.number()),
  status: RevisionStatus,
  enabled: z.boolean(),
  isServing: z.boolean(),
  replicasWanted: z.number(),
  replicasReady: z.number(),
  url: z.nullable(z.string()),
  reason: z.object({
    type: z.enum(['DEPLOY', 'PUSH', 'IMAGE', 'SETTINGS', 'ROLLBACK', 'COPY', 'QUICKSTART']),
    /** Rollbacks only: the user's reason. */
    text: z.nullable(z.string()),
    /** Rollbacks only: the revision whose settings were restored. */
    from: z.optional(z.nullable(z.string())),
    commit: z.nullable(z.string()),
    commitMessage: z.nullable(z.string()),
  }),
  pipelineId: z.nullable(z.string()),
  createdAt: Instant,
  createdBy: z.object({ id: z.string(), displayName: z.string() }),
  can: Can,
});
export type Revision = z.infer<typeof Revision>;

/** Facts that decide which verbs of a revision are possible. */
export interface RevisionFacts {
  readonly status: RevisionStatus;
  readonly isServing: boolean;
  readonly isDeleting: boolean;
  /** True while a pipeline works on its service. */
  readonly isBusy: boolean;
  readonly isServiceActive: boolean;
  /** False if the creation of the service failed or is in progress. */
  readonly isServiceCreated: boolean;
}
const isGone = ({ isDeleting, status }: RevisionFacts): boolean => isDeleting || status === 'DELETED';
type Verdict<Code> = true | 'RevisionBeingDeleted' | 'DeployPipelineAlreadyRunning' | Code;
export const revisionDeleteRule = (revision: RevisionFacts): Verdict<'RevisionIsServing'> => {
  if (isGone(revision)) return 'RevisionBeingDeleted';
  if (revision.isServing) return 'RevisionIsServing';
  return revision.isBusy ? 'DeployPipelineAlreadyRunning' : true;
};
/** Enabling the serving revision is allowed and does nothing. Disabling it removes the service from the edge. */
export const revisionActivationRule = (revision: RevisionFacts, enabled: boolean): Verdict<'ServiceInactive' | 'ServiceNotCreated'> => {
  if (isGone(revision)) return 'RevisionBeingDeleted';
  if (!revision.isServiceCreated) return 'ServiceNotCreated';
  if (enabled && !revision.isServiceActive) return 'ServiceInactive';
  return revision.isBusy ? 'DeployPipelineAlreadyRunning' : true;
};
/** Rolls back to a revision, including deleted ones, whose snapshots are kept. */
export const revisionRollbackRule = (facts: {
  readonly isServing: boolean;
  /** Whether the service is active. */
  readonly isActive: boolean;
}): true | 'ServiceInactive' | 'RollbackToServing' => {
  if (!facts.isActive) return 'ServiceInactive';
  return facts.isServing ? 'RollbackToServing' : true;
};

const tag = 'Revisions';
const revisions = '/api/v1/apps/{app}/{env}/services/{service}/revisions';
const listCodes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'ServiceDoesNotExist'] as const;
const oneCodes = [...listCodes, 'RevisionDoesNotExist'] as const;
const route = routesIn({ tag, access: 'signedIn' });
export const revisionList = route('revisionList', `GET ${revisions}`, {
  summary: 'Revisions, newest first',
  query: PageQuery,
  response: pageOf(Revision),
  codes: [...listCodes, ...pageCodes],
});
export const revisionView = route('revisionView', `GET ${revisions}/{revision}`, {
  summary: 'One revision',
  response: Revision,
  codes: oneCodes,
});
export const revisionDelete = route('revisionDelete', `DELETE ${revisions}/{revision}`, {
  ...startsRun,
  summary: 'Delete a revision that does not serve',
  access: 'appMember',
  codes: [
    'ApprovalRequired',
    'ProductionFrozen',
    ...oneCodes,
    'NotAMember',
    'InvalidValue',
    'RevisionBeingDeleted',
    'RevisionIsServing',
    'DeployPipelineAlreadyRunning',
  ],
});
export const revisionActivation = route('revisionActivation', `PUT ${revisions}/{revision}/activation`, {
  ...startsRun,
  summary: 'Enable (the same rollout onto this revision) or disable',
  access: 'appMember',
  body: z.object({ enabled: z.boolean({ error: 'Required' }) }),
  codes: [
    'ApprovalRequired',
    'ProductionFrozen',
    ...oneCodes,
    'InvalidValue',
    'NotAMember',
    'Required',
    'RevisionBeingDeleted',
    'DeployPipelineAlreadyRunning',
    'ServiceInactive',
    'ServiceNotCreated',
  ],
});
export const revisionInstances = route('revisionInstances', `GET ${revisions}/{revision}/instances`, {
  summary: 'Instances and their recent events',
  response: z.object({ instances: z.array(Instance), events: z.array(InstanceEvent) }),
  codes: oneCodes,
});
export const revisionLogs = route('revisionLogs', `GET ${revisions}/{revision}/logs`, {
  summary: 'Log lines as text, or as events with `follow`',
  access: 'appMemberHidden',
  query: z.object({
    follow: z._default(z.stringbool(), false),
    tail: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100_000)), 500),
    instance: z.optional(z.string()),
    /** Log of the run before the last restart; for a single instance only. */
    previous: z._default(z.stringbool(), false),
  }),
  stream: 'text',
  mediaTypes: ['text/plain', 'text/event-stream'],
  codes: [...numberCodes, ...oneCodes, 'InvalidValue'],
});
