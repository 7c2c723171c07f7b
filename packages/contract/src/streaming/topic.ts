/**
 * Topics: each is a Kafka topic, `{app}.{name}` on the cluster. Fields, defaults and texts come from the specification (streaming §3, §5,
 * §9; decisions §3). Replication and schema names are immutable.
 */
import * as z from 'zod/mini';
import { Can, Environment, Instant, PageQuery, RequiredText, numberCodes, whole } from '../kernel/fields.ts';
import { changesOf, resource } from '../resource.ts';
import { DryRunQuery, withPlans } from '../pipeline/plan.ts';
import {
  CleanupPolicy,
  DataClassification,
  dataClassifications,
  EnvironmentClass,
  Person,
  SchemaReference,
  streamingName,
} from './streaming.ts';
import { SchemaType } from './schema.ts';
import { topicKind } from '../kinds/topic.kind.ts';

export const TopicName = streamingName('Required');
export const topicLimits = {
  partitionNumber: { min: 1, max: 200 },
  /** Ten years. */
  retentionHours: { min: 1, max: 87_600 },
  replicationFactor: { min: 1, max: 9 },
  segmentBytes: { min: 1_048_576, max: 2_147_483_647 },
} as const;
export const topicDefaults = {
  dataSecurityClassification: 'INTERNAL',
  isSharable: true,
  partitionNumber: 3,
  retentionHours: 24,
  replicationFactor: 3,
  segmentBytes: 1_073_741_824,
  cleanupPolicy: 'DELETE',
} as const;

/** Tags for searching topics. */
const Tag = z.string().check(z.trim(), z.regex(/^[a-z0-9][a-z0-9-]{0,39}$/, { error: 'DoesNotMatchPattern' }));
const Tags = z.array(Tag).check(z.maxLength(20, { error: 'ExceedsMaximumLength' }));

/** Settings that can change later. */
const changeable = {
  dataSecurityClassification: z._default(DataClassification, topicDefaults.dataSecurityClassification),
  /** Whether other apps may request access. */
  isSharable: z._default(z.boolean(), topicDefaults.isSharable),
  partitionNumber: z._default(whole(topicLimits.partitionNumber), topicDefaults.partitionNumber),
  retentionHours: z._default(whole(topicLimits.retentionHours), topicDefaults.retentionHours),
  segmentBytes: z._default(whole(topicLimits.segmentBytes), topicDefaults.segmentBytes),
  cleanupPolicy: z._default(CleanupPolicy, topicDefaults.cleanupPolicy),
};
const replicationFactor = z._default(whole(topicLimits.replicationFactor), topicDefaults.replicationFactor);
const needsKey = { error: 'CompactNeedsKeySchema', path: ['cleanupPolicy'] };
/** Compaction keeps the newest message of each key, so every message needs a key. */
export const compactRule = ({
  cleanupPolicy,
  keySchema,
}: {
  cleanupPolicy: CleanupPolicy;
  keySchema?: unknown;
}): true | 'CompactNeedsKeySchema' =>
  cleanupPolicy !== 'DELETE' && (keySchema === undefined || keySchema === null) ? 'CompactNeedsKeySchema' : true;

const specFields = { ...changeable, replicationFactor, keySchema: z.optional(z.nullable(SchemaReference)) };
export const TopicSpec = z
  .object({ ...specFields, valueSchema: SchemaReference })
  .check(z.refine((spec) => compactRule(spec) === true, needsKey));
/** Spec of a topic whose value schema may be created along with it. */
export const TopicSpecToCome = z
  .object({ ...specFields, valueSchema: z.optional(SchemaReference) })
  .check(z.refine((spec) => compactRule(spec) === true, needsKey));
export type TopicSpec = z.output<typeof TopicSpec>;
export const TopicCreate = z.object({
  name: TopicName,
  description: RequiredText,
  tags: z._default(Tags, []),
  spec: TopicSpec,
  environmentClass: EnvironmentClass,
  applicationCode: z.optional(z.string()),
});
export type TopicCreate = z.output<typeof TopicCreate>;
const draft = { description: RequiredText, tags: z._default(Tags, []) };
/** The part of a topic that a change modifies. */
export const TopicDraft = z.object({ ...draft, spec: z.object(changeable) });
export type TopicDraft = z.output<typeof TopicDraft>;
export const TopicUpdate = changesOf({ ...draft, spec: changesOf(changeable) });
export type TopicUpdate = z.output<typeof TopicUpdate>;

/** True if the classification is lowered, which opens data to more people. Raising it has no restriction. */
export const isLowered = (before: DataClassification, after: DataClassification): boolean =>
  dataClassifications.indexOf(after) < dataClassifications.indexOf(before);

/** Partitions can be added but not removed, because they contain messages. */
export const partitionRule = (before: number, after: number): true | 'PartitionsCannotBeDecreased' =>
  after < before ? 'PartitionsCannotBeDecreased' : true;

export const TopicSchema = z.object({
  resourceId: z.string(),
  resourceType: z.literal('SCHEMA'),
  applicationCode: z.string(),
  name: z.string(),
  type: SchemaType,
  revisionId: z.nullable(z.number()),
});
/** The reader with the greatest lag. Null if nobody reads. */
export const SlowestReader = z.object({
  /** The consumer group. */
  group: z.string(),
  lagMessages: z.number(),
  /** Age of the oldest unread message. Null if unknown. */
  lagMs: z.nullable(z.number()),
  hasMembers: z.boolean(),
});
export const Topic = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  applicationCode: z.string(),
  teamId: z.string(),
  tags: z.array(z.string()),
  environmentClass: Environment,
  /** Name on the cluster, which clients use. */
  topicName: z.string(),
  spec: z.object({
    dataSecurityClassification: DataClassification,
    isSharable: z.boolean(),
    partitionNumber: z.number(),
    retentionHours: z.number(),
    replicationFactor: z.number(),
    segmentBytes: z.number(),
    cleanupPolicy: CleanupPolicy,
    keySchema: z.nullable(TopicSchema),
    valueSchema: TopicSchema,
  }),
  state: z.enum(['ACTIVE', 'CREATING', 'NOT_CREATED', 'DELETING']),
  /** The pipeline that created or last changed it. */
  pipelineId: z.nullable(z.string()),
  /** Last observed state of the cluster. Null before the first observation. */
  observed: z.nullable(
    z.object({
      at: Instant,
      /** On disk, all replicas together. */
      sizeBytes: z.nullable(z.number()),
      /** Difference between the last and the first offset. */
      messages: z.number(),
      messagesPerSecond: z.nullable(z.number()),
      /** Rates of the last hour, one per two minutes, newest last. Null where there is no measurement. */
      rates: z.array(z.nullable(z.number())),
      /** Actual number of replicas on the cluster; the embedded broker keeps one. */
      replication: z.number(),
      readers: z.number(),
      slowest: z.nullable(SlowestReader),
    }),
  ),
  /** Its page in an external management tool, if the platform knows one. */
  externalLink: z.nullable(z.string()),
  /** Number of settings that differ on the cluster. Null before the first comparison. */
  drift: z.nullable(z.object({ count: z.number(), at: Instant })),
  /** The change that is being applied or has failed. Null if there is none. */
  draft: z.nullable(TopicDraft),
  createdAt: Instant,
  createdBy: Person,
  updatedAt: Instant,
  updatedBy: Person,
  /** Verbs: update, lowerClassification, delete, readMessages, produce, reconcile. */
  can: Can,
});
export type Topic = z.infer<typeof Topic>;

export const topicLabels: Readonly<Record<string, string>> = {
  name: 'Name',
  description: 'Description',
  tags: 'Tags',
  'spec.dataSecurityClassification': 'Classification',
  'spec.isSharable': 'Sharing',
  'spec.partitionNumber': 'Partitions',
  'spec.retentionHours': 'Retention in hours',
  'spec.replicationFactor': 'Replication factor',
  'spec.segmentBytes': 'Segment bytes',
  'spec.cleanupPolicy': 'Cleanup policy',
  'spec.keySchema': 'Key schema',
  'spec.keySchema.resourceId': 'Key schema',
  'spec.valueSchema': 'Value schema',
  'spec.valueSchema.resourceId': 'Value schema',
};
const fieldLabel = (field: string): string | undefined => topicLabels[field];

const base = '/api/v1/apps/{app}/{env}/topics';
const above = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist'] as const;
export const topicOneCodes = [...above, 'TopicDoesNotExist'] as const;
export const topicBase = base;

/** Readers that the caller has confirmed, each by its name in the refusal. Any other reader prevents the deletion. */
export const TopicDeleteQuery = z.extend(DryRunQuery, { confirm: z.optional(z.union([z.string(), z.array(z.string())])) });

const made = resource({
  kind: topicKind,
  path: base,
  name: 'topic',
  view: Topic,
  create: TopicCreate,
  update: TopicUpdate,
  /** `owned`: topics of this app. `shared`: sharable topics of other apps. `readyOnly`: topics whose pipeline has finished. */
  query: z.extend(PageQuery, {
    owned: z._default(z.stringbool(), true),
    shared: z._default(z.stringbool(), false),
    readyOnly: z._default(z.stringbool(), false),
    /** Only topics with this tag. */
    tag: z.optional(z.string().check(z.maxLength(40, { error: 'ExceedsMaximumLength' }))),
  }),
  access: { read: 'signedIn', create: 'appMember', write: 'appMember' },
  codes: {
    above,
    missing: 'TopicDoesNotExist',
    taken: 'TOPIC_WITH_GIVEN_NAME_ALREADY_EXISTS',
    form: [
      ...numberCodes,
      'Required',
      'InvalidValue',
      'InvalidName',
      'LowercaseLetters',
      'ExceedsMaximumLength',
      'DoesNotMatchPattern',
      'CompactNeedsKeySchema',
      'EngineUnavailable',
    ],
    kept: ['TopicHasReaders', 'StreamingPipelineRunning'],
  },
  summaries: {
    list: 'Topics of an app in one environment, and those of other apps that it may ask for',
    view: 'One topic, by name or id',
    create: 'Create a topic on the Kafka cluster, with its schemas under its subjects',
    update: 'Change a topic: partitions only grow; the rest changes without a restart',
    remove: 'Delete a topic with its messages; readers have to be named',
  },
});
const planning = withPlans(made, {
  fieldLabel,
  create: [
    'SchemaDoesNotExist',
    'SchemaNotCreated',
    'SchemaIncompatible',
    'ApplicationNotCreated',
    'TopicBelongsToOthers',
    'SubjectBelongsToOthers',
  ],
  update: ['NotAnOwner', 'PartitionsCannotBeDecreased', 'NothingChanged', 'TopicNotCreated', 'StreamingPipelineRunning'],
});
export const topicResource = { ...planning, remove: { ...planning.remove, query: TopicDeleteQuery } } as const;
export const { list: topicList, view: topicView, create: topicCreate, update: topicUpdate, remove: topicDelete } = topicResource;
