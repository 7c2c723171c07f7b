/** State of a topic on the cluster: partitions, its producers and consumers, and drift from the wanted settings. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { Difference, driftOf } from '../kernel/drift.ts';
import { routesIn } from '../kernel/kernel.ts';
import { startsRun } from '../pipeline/plan.ts';
import { topicBase, topicOneCodes } from './topic.ts';

export const TopicPartition = z.object({
  partition: z.number(),
  /** The first retained offset, and the offset of the next message. */
  firstOffset: z.number(),
  nextOffset: z.number(),
  /** Null if the cluster does not report it. */
  sizeBytes: z.nullable(z.number()),
  /** Broker id of the leader. Null while there is none. */
  leader: z.nullable(z.number()),
  replicas: z.number(),
  inSync: z.number(),
});
export const TopicReader = z.object({
  /** The consumer group. */
  group: z.string(),
  /** The owner of the group by its prefix. Null if the platform does not know the owner. */
  applicationCode: z.nullable(z.string()),
  account: z.nullable(z.string()),
  state: z.string(),
  /** Null if the group has members but the cluster does not describe them. */
  members: z.nullable(z.number()),
  /** A partition without a commit counts from its first message, because the group may start there. */
  lagMessages: z.number(),
  /** Age of the oldest unread message. Null if unknown, which is never shown as 0. */
  lagMs: z.nullable(z.number()),
  /** Lag as a share of the retention time. Null for a compacted topic or an unknown lag. */
  lagOfRetention: z.nullable(z.number()),
  lastCommitAt: z.nullable(Instant),
  partitions: z.array(z.object({ partition: z.number(), committed: z.nullable(z.number()), lag: z.number() })),
});
export type TopicReader = z.infer<typeof TopicReader>;
export const TopicStatus = z.object({
  at: Instant,
  partitions: z.array(TopicPartition),
  /** Readers that need attention first. */
  readers: z.array(TopicReader),
  sizeBytes: z.nullable(z.number()),
  messages: z.number(),
  replication: z.number(),
});
export type TopicStatus = z.infer<typeof TopicStatus>;
/** Shares of the retention time. From `look` on a reader needs attention, from `bad` on it is about to lose messages. */
export const lagWarnings = { look: 0.5, bad: 0.9 } as const;

/** A setting whose value differs on the cluster. */
export const TopicDifference = z.extend(Difference, {
  /** `MISSING`: the topic does not exist, or another topic replaced it. `LEVEL`: the compatibility level for a subject's new versions. */
  kind: z.enum(['MISSING', 'PARTITIONS', 'REPLICATION', 'CONFIG', 'SUBJECT', 'LEVEL']),
});
export type TopicDifference = z.infer<typeof TopicDifference>;
/** Not created by the platform and left alone: an access rule that applies to the topic, or an unused subject with its name. */
export const ForeignThing = z.object({
  kind: z.enum(['RULE', 'SUBJECT']),
  /** Name of the subject or of the rule's resource, with `*` at the end for a prefix. */
  name: z.string(),
  rule: z.nullable(z.object({ user: z.string(), operation: z.string(), permission: z.enum(['allow', 'deny']), host: z.string() })),
});
export type ForeignThing = z.infer<typeof ForeignThing>;
export const TopicDrift = z.extend(driftOf(TopicDifference), {
  /** Current state. These cannot be repaired here. */
  foreign: z.array(ForeignThing),
});
export type TopicDrift = z.infer<typeof TopicDrift>;

const tag = 'Topics';
const one = `${topicBase}/{topic}` as const;
const codes = topicOneCodes;
const route = routesIn({ tag, access: 'signedIn' });
export const topicStatusView = route('topicStatusView', `GET ${one}/status`, {
  summary: 'Partitions and readers of a topic, as the cluster has them now',
  response: TopicStatus,
  codes: [...codes, 'TopicNotCreated', 'TopicNotOnCluster'],
});
export const topicDriftView = route('topicDriftView', `GET ${one}/drift`, {
  summary: 'Where the cluster and the registry differ from what is wanted; compared anew when that is older than a minute',
  response: TopicDrift,
  codes,
});
export const topicReconcile = route('topicReconcile', `POST ${one}/drift`, {
  ...startsRun,
  summary: 'Put back what was changed on the cluster (ours), or take it over (theirs)',
  access: 'appMember',
  body: z.object({ keep: z.enum(['ours', 'theirs'], { error: 'InvalidValue' }) }),
  codes: [
    ...codes,
    'NotAMember',
    'InvalidValue',
    'Required',
    'TopicNotCreated',
    'StreamingPipelineRunning',
    'NothingToReconcile',
    'WorkflowExecutionAlreadyStarted',
  ],
});
