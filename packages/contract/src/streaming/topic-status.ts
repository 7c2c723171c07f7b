/** What happens with a topic on the cluster: partitions, who writes and reads it, and where the cluster differs from what is wanted. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { DryRunQuery, PlanOrRun } from '../pipeline/plan.ts';
import { topicBase, topicOneCodes } from './topic.ts';

export const TopicPartition = z.object({
  partition: z.number(),
  /** The first offset that is kept, and the one that the next message gets. */
  firstOffset: z.number(),
  nextOffset: z.number(),
  /** Null where the cluster does not tell. */
  sizeBytes: z.nullable(z.number()),
  /** The broker that writes it; null while there is none. */
  leader: z.nullable(z.number()),
  replicas: z.number(),
  inSync: z.number(),
});
export const TopicReader = z.object({
  /** The consumer group. */
  group: z.string(),
  /** Whose it is, by the group's prefix; null where the platform does not know it. */
  applicationCode: z.nullable(z.string()),
  account: z.nullable(z.string()),
  state: z.string(),
  /** Null: it has some, and the cluster does not describe them. */
  members: z.nullable(z.number()),
  /** A partition without a commit counts from its first message, since the group may begin there. */
  lagMessages: z.number(),
  /** Age of the oldest message that it has not read. Null: not known, which is never shown as 0. */
  lagMs: z.nullable(z.number()),
  /** Of the time that messages are kept; null for a compacted topic, and where the lag is not known. */
  lagOfRetention: z.nullable(z.number()),
  lastCommitAt: z.nullable(Instant),
  partitions: z.array(z.object({ partition: z.number(), committed: z.nullable(z.number()), lag: z.number() })),
});
export type TopicReader = z.infer<typeof TopicReader>;
export const TopicStatus = z.object({
  at: Instant,
  partitions: z.array(TopicPartition),
  /** Those that need a look first. */
  readers: z.array(TopicReader),
  sizeBytes: z.nullable(z.number()),
  messages: z.number(),
  replication: z.number(),
});
export type TopicStatus = z.infer<typeof TopicStatus>;
/** A reader needs a look from half of the retention on, and is about to lose messages from nine tenths on. */
export const lagWarnings = { look: 0.5, bad: 0.9 } as const;

/** A setting of which the cluster has another value. */
export const TopicDifference = z.object({
  /** `MISSING`: the topic itself is not there, or another is in its place. `LEVEL`: what a subject's new versions are checked against. */
  kind: z.enum(['MISSING', 'PARTITIONS', 'REPLICATION', 'CONFIG', 'SUBJECT', 'LEVEL']),
  /** The name of the setting, or of the subject: `retention.ms`. */
  name: z.string(),
  ours: z.nullable(z.string()),
  theirs: z.nullable(z.string()),
  /** Whether it can be put back as it should be: partitions cannot be taken away. */
  canRepair: z.boolean(),
  /** Whether the platform can take it over. */
  canAdopt: z.boolean(),
});
export type TopicDifference = z.infer<typeof TopicDifference>;
/** Made by somebody else, and left as it is: an access rule that holds for the topic, or a subject of its name that it does not use. */
export const ForeignThing = z.object({
  kind: z.enum(['RULE', 'SUBJECT']),
  /** Of the subject; or what the rule is about, with `*` at its end where it is a prefix. */
  name: z.string(),
  rule: z.nullable(z.object({ user: z.string(), operation: z.string(), permission: z.enum(['allow', 'deny']), host: z.string() })),
});
export type ForeignThing = z.infer<typeof ForeignThing>;
export const TopicDrift = z.object({
  comparedAt: z.nullable(Instant),
  /** The cluster or the registry did not answer: this is what was seen before. */
  isStale: z.boolean(),
  differences: z.array(TopicDifference),
  /** What was compared and is the same. */
  same: z.array(z.object({ name: z.string(), value: z.string() })),
  /** As it is now. Nothing of it can be repaired here. */
  foreign: z.array(ForeignThing),
});
export type TopicDrift = z.infer<typeof TopicDrift>;

const tag = 'Topics';
const one = `${topicBase}/{topic}` as const;
const codes = topicOneCodes;
export const topicStatusView = route({
  id: 'topicStatusView',
  method: 'GET',
  path: `${one}/status`,
  summary: 'Partitions and readers of a topic, as the cluster has them now',
  tag,
  access: 'signedIn',
  response: TopicStatus,
  codes: [...codes, 'TopicNotCreated', 'TopicNotOnCluster'],
});
export const topicDriftView = route({
  id: 'topicDriftView',
  method: 'GET',
  path: `${one}/drift`,
  summary: 'Where the cluster and the registry differ from what is wanted; compared anew when that is older than a minute',
  tag,
  access: 'signedIn',
  response: TopicDrift,
  codes,
});
export const topicReconcile = route({
  id: 'topicReconcile',
  method: 'POST',
  path: `${one}/drift`,
  summary: 'Put back what was changed on the cluster (ours), or take it over (theirs)',
  tag,
  access: 'appMember',
  query: DryRunQuery,
  body: z.object({ keep: z.enum(['ours', 'theirs'], { error: 'InvalidValue' }) }),
  response: PlanOrRun,
  status: 202,
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
