/** The operator's page: replicas, engines, queues, slow pipelines, what differs, keys and the last backup of the platform. */
import * as z from 'zod/mini';
import { Instant } from './kernel/fields.ts';
import { routesIn } from './kernel/kernel.ts';
import { SubjectView } from './subject-view.ts';
import { PipelineState } from './pipeline/pipeline.ts';

/** Every engine with its label, and what an operator does if it does not answer. */
export const engines = {
  database: {
    label: "Slipway's database",
    advice: 'Changes fail until it answers. Services keep running. Check PostgreSQL and DATABASE_URL.',
  },
  runtime: { label: 'Runtime', advice: 'Deploys wait. Check the node agent or the cluster, and the log of the replica that drives it.' },
  source: { label: 'Source', advice: 'Pushes and builds wait. Check the git host and the disk of the repositories.' },
  registry: { label: 'Container registry', advice: 'Pushes and deploys wait. Check the registry and its disk.' },
  scanner: { label: 'Scanner', advice: 'Images stay without a scan. Scans go on when it answers.' },
  databases: { label: 'Databases of apps', advice: 'New databases and rotations wait. Check the server of the region.' },
  streaming: {
    label: 'Event streaming',
    advice: 'Changes of topics and accounts wait. Programs that are connected are not affected by Slipway.',
  },
  schemaRegistry: { label: 'Schema registry', advice: 'Changes of schemas wait. Check its address and credentials.' },
  signIn: { label: 'Sign-in', advice: 'Nobody new can sign in. API tokens still work. Check the identity provider.' },
  directory: { label: 'Directory', advice: 'People who left are noticed later. Check the directory.' },
  keys: { label: 'Keys', advice: 'Secrets cannot be read or written. Check the key store before anything else.' },
  auditReceiver: {
    label: 'Receiver of the audit log',
    advice: 'Entries wait and are sent later, in order. Check the receiver and SLIPWAY_AUDIT_URL.',
  },
  mail: { label: 'Mail', advice: 'E-mail waits and is sent later. Check the SMTP server and its credentials.' },
} as const;
export type EngineId = keyof typeof engines;
const engineIds: readonly string[] = Object.keys(engines);
export const isEngine = (id: string): id is EngineId => engineIds.includes(id);

export const engineStates = ['OK', 'DEGRADED', 'FAILED', 'UNUSED'] as const;
export const EngineHealth = z.object({
  /** One of `engines`. */
  id: z.string(),
  /** Region or environment. Null if the engine is one. */
  place: z.nullable(z.string()),
  /** `embedded`, `kafka`, `kubernetes` … */
  technology: z.string(),
  /** Null if the engine names none. */
  version: z.nullable(z.string()),
  state: z.enum(engineStates),
  /** Why the last check failed. */
  failure: z.nullable(z.string()),
  /** Advice about this failure, besides the general advice of `engines`. Null if the engine's adapter does not know. */
  next: z.nullable(z.string()),
  /** The first check of this replica that saw the present state. */
  since: Instant,
  latencyMs: z.number(),
  checkedAt: Instant,
  /** When Slipway made the credentials of the engine. Null if they are configured, or there are none. */
  credentialsAt: z.nullable(Instant),
});
export type EngineHealth = z.infer<typeof EngineHealth>;

/** Every queue with its label and the page of its list. */
export const queues = {
  pipelinesWaiting: { label: 'Pipelines that wait for a worker', path: '/pipelines' },
  pipelinesRunning: { label: 'Pipelines that run', path: '/pipelines' },
  notifications: { label: 'Notifications to send out', path: null },
  deliveries: { label: 'Deliveries to channels', path: null },
  webhooks: { label: 'Webhooks of registries', path: null },
  scans: { label: 'Image scans', path: null },
  backups: { label: 'Backups of databases, and their checks', path: null },
  audit: { label: 'Audit entries to forward', path: '/platform/audit' },
  imports: { label: 'Imports of the catalog', path: '/catalogue/imports' },
} as const;
/** Entries of a queue are counted up to this number. */
export const maxCounted = 1000;
export const Queue = z.object({
  /** One of `queues`. */
  id: z.string(),
  count: z.number(),
  isCountAtLeast: z.boolean(),
  oldestAt: z.nullable(Instant),
});
export type Queue = z.infer<typeof Queue>;

export const Replica = z.object({
  id: z.string(),
  name: z.string(),
  version: z.string(),
  roles: z.array(z.string()),
  startedAt: Instant,
  /** Last heartbeat. */
  seenAt: Instant,
  /** False if it has missed several heartbeats. */
  isAlive: z.boolean(),
  /** True for the replica that answers. */
  isThis: z.boolean(),
  /** Since when it drives the runtime. Null if another replica does. */
  leaseSince: z.nullable(Instant),
});
export type Replica = z.infer<typeof Replica>;

export const SlowPipeline = z.object({
  pipelineId: z.string(),
  pipelineType: z.string(),
  state: PipelineState,
  subject: SubjectView,
  /** Says in words why it waits. Null before its first step. */
  message: z.nullable(z.string()),
  creationTimestamp: Instant,
});
export const Degraded = z.object({ subject: SubjectView, app: z.string(), env: z.string(), problem: z.enum(['FAILING', 'DRIFT']) });
export type Degraded = z.infer<typeof Degraded>;

/** Rows that the page shows of what is slow or degraded. */
export const maxShown = 10;
export const Operations = z.object({
  version: z.string(),
  replicas: z.array(Replica),
  engines: z.array(EngineHealth),
  queues: z.array(Queue),
  /** Active pipelines, oldest first. */
  pipelines: z.array(SlowPipeline),
  /** Services that fail, and topics, schemas and accounts that differ from their engine. */
  degraded: z.array(Degraded),
  isMoreDegraded: z.boolean(),
  /** Stored rows that the server skips. */
  unreadable: z.number(),
  keys: z.object({
    kind: z.enum(['file', 'vault', 'kms']),
    /** Null if the key store does not answer. */
    currentKid: z.nullable(z.string()),
    rotatedAt: z.nullable(Instant),
    /** Keys of the platform itself, such as those that sign tokens. */
    own: z.array(z.object({ purpose: z.string(), createdAt: Instant })),
  }),
  /** The last `slipway backup`. Null if there was none. */
  backup: z.nullable(z.object({ finishedAt: Instant, tookMs: z.number(), bytes: z.number(), hasWarnings: z.boolean() })),
});
export type Operations = z.infer<typeof Operations>;

const route = routesIn({ tag: 'Platform', access: 'administratorHidden' });
export const operationsView = route('operationsView', 'GET /api/v1/platform/operations', {
  summary: 'Replicas, engines, queues, slow pipelines, keys and the last backup, for operators',
  response: Operations,
  codes: [],
});
