/**
 * Event streaming with Kafka's protocol: topics, users, access rules, consumer groups and messages. Each environment has its own cluster,
 * or a namespace of the embedded broker. Names are physical (`berth.orders`). Callers store them and never derive them again.
 */

import type { AccessRule, AccessVerdict } from '@slipway/contract/streaming/access-rules.ts';
import type { EngineProbe } from './engine-probe.ts';

/** Rules on the cluster, also those that the platform did not create. */
export type { AccessRule, AccessVerdict };

export type StreamingEnvironment = 'development' | 'production';

/** Address of a broker for clients. The same inside an instance, because the runtime forwards it. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}
/** Connection settings for clients, without user name and password. */
export interface StreamingConnection {
  readonly bootstrapServers: readonly BrokerAddress[];
  readonly securityProtocol: 'SASL_PLAINTEXT' | 'SASL_SSL';
  /** Name of the SASL mechanism, as in client settings. */
  readonly mechanism: 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
  /** PEM of the authority that signed the brokers' certificates, if it is not publicly trusted. */
  readonly certificateAuthority?: string;
}
export interface StreamingCluster {
  readonly clusterId: string;
  /** All brokers with their advertised addresses. Clients may be redirected to any of them. */
  readonly brokers: readonly BrokerAddress[];
  /** Maximum replication factor of a topic. */
  readonly maxReplication: number;
}

/** Settings by Kafka name, as texts: `retention.ms`: `86400000`. */
export type TopicConfigs = Readonly<Record<string, string>>;
export interface WantedTopic {
  readonly name: string;
  readonly partitions: number;
  readonly replication: number;
  readonly configs: TopicConfigs;
}
export interface TopicChange {
  /** New number of partitions, higher than the current one. */
  readonly partitions?: number;
  /** Only these settings change. */
  readonly configs?: TopicConfigs;
  /** Settings to reset to the cluster's defaults. */
  readonly reset?: readonly string[];
}
export interface TopicPartition {
  readonly partition: number;
  /** Undefined without a leader: the partition can be neither read nor written. */
  readonly leader: number | undefined;
  readonly replicas: readonly number[];
  readonly inSync: readonly number[];
}
export interface ObservedTopic {
  readonly name: string;
  /** Differs after deleting and recreating a topic with the same name. */
  readonly topicId: string;
  readonly partitions: readonly TopicPartition[];
  /** Replication factor of the partition with the fewest replicas. The embedded broker accepts higher values but keeps one replica. */
  readonly replication: number;
  /** Explicit settings of this topic, without the cluster's defaults. */
  readonly configs: TopicConfigs;
  /** Whether every partition has a leader. */
  readonly isReady: boolean;
}
export interface PartitionFigures {
  readonly partition: number;
  /** Offset of the oldest retained message. */
  readonly firstOffset: bigint;
  /** Offset of the next message to be written. */
  readonly nextOffset: bigint;
  /** Size of one replica. Undefined if the cluster does not report it. */
  readonly sizeBytes: number | undefined;
}

/** A right that a platform account can have. Reading and writing include describing. */
export interface AccessRight {
  readonly resource: 'topic' | 'group' | 'transactionalId';
  /** `prefixed` matches every name with this prefix. End it with a dot, otherwise `app.a` also matches `app.ab`. */
  readonly pattern: 'literal' | 'prefixed';
  readonly name: string;
  readonly operation: 'read' | 'write' | 'describe';
}
export interface AccessRuleChange {
  readonly added: readonly AccessRight[];
  readonly removed: readonly AccessRule[];
}
export type RuleFilter = { readonly user: string } | { readonly topic: string } | 'all';
export interface AccessQuestion {
  readonly user: string;
  readonly resource: 'topic' | 'group';
  readonly name: string;
  readonly operation: 'read' | 'write' | 'describe';
}

export interface ConsumerGroupMember {
  readonly memberId: string;
  readonly clientId: string;
  readonly host: string;
  /** Assigned partitions of the requested topic. */
  readonly partitions: readonly number[];
}
export interface GroupPartition {
  readonly partition: number;
  /** Offset of the next message to read. Undefined if nothing was committed. */
  readonly committedOffset: bigint | undefined;
  readonly nextOffset: bigint;
  /** Number of unread messages. Counted from the first retained message if nothing was committed, so it is an upper bound. */
  readonly lag: bigint;
  /** Write time of the first unread message. Undefined if there is none, or if nothing was committed. */
  readonly waitingSince: Date | undefined;
}
/** A group with members or commits on one topic. */
export interface TopicGroup {
  readonly group: string;
  /** Kafka's group state: `Stable`, `Empty`, `PreparingRebalance`, `CompletingRebalance`, `Assigning`, `Reconciling`, `Dead`. */
  readonly state: string;
  /** Undefined if the group has members that the cluster does not describe. */
  readonly members: readonly ConsumerGroupMember[] | undefined;
  readonly partitions: readonly GroupPartition[];
  readonly lag: bigint;
  readonly waitingSince: Date | undefined;
}
export interface ConsumerGroup {
  readonly group: string;
  readonly state: string;
}
/** Everything that is polled about one topic. */
export interface SurveyedTopic {
  readonly topic: ObservedTopic;
  /** Partitions without a leader are left out. */
  readonly figures: readonly PartitionFigures[];
  /** `waitingSince` is only looked up for the groups with the most unread messages. */
  readonly groups: readonly TopicGroup[];
}

export interface StreamHeader {
  readonly key: string;
  readonly value: Uint8Array | null;
}
/** A raw message, not decoded. */
export interface StreamMessage {
  readonly partition: number;
  readonly offset: bigint;
  readonly timestamp: Date;
  readonly key: Uint8Array | null;
  /** Null deletes the key on a compacted topic. */
  readonly value: Uint8Array | null;
  readonly headers: readonly StreamHeader[];
}
export interface NewMessage {
  /** Chosen by the key if missing, or arbitrarily without a key. */
  readonly partition?: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers?: readonly StreamHeader[];
}
export interface WrittenMessage {
  readonly partition: number;
  readonly offset: bigint;
}
/** The position at which reading begins. An offset belongs to one partition. `end` reads the last `limit` messages of each partition. */
export type BrowseFrom =
  | { readonly at: 'start' }
  | { readonly at: 'end' }
  | { readonly at: 'offset'; readonly offset: bigint }
  /** Partition → offset. Other partitions are not read. */
  | { readonly at: 'offsets'; readonly offsets: ReadonlyMap<number, bigint> }
  | { readonly at: 'time'; readonly time: Date };
export interface Browse {
  readonly topic: string;
  /** All partitions by default. */
  readonly partition?: number;
  readonly from: BrowseFrom;
  /** Partition → end offset (exclusive). By default, the end of the partition. */
  readonly until?: ReadonlyMap<number, bigint>;
  /** Per partition, at most 500. */
  readonly limit: number;
  /** Stops at the message that exceeds the limit. Default: 8 MiB. */
  readonly maxBytes?: number;
  /** Returns only messages with this key. Others count as scanned. */
  readonly key?: Uint8Array;
  /** Starts no further request after this time. `continueAt` then has the position reached. Default: four seconds. */
  readonly searchMs?: number;
}
export interface BrowsedPartition {
  readonly partition: number;
  readonly firstOffset: bigint;
  readonly nextOffset: bigint;
  /** Offset to continue from. Equal to `nextOffset` at the end of the partition. */
  readonly continueAt: bigint;
}
/**
 * Messages that cannot be shown. `checksum`: the checksum does not match. `broker`: the broker cannot read them. `unreadable`: the checksum
 * matches, but they cannot be decompressed or have an obsolete format. `tooLarge`: they would be too large after decompression.
 */
export interface SkippedMessages {
  readonly partition: number;
  readonly fromOffset: bigint;
  readonly toOffset: bigint;
  readonly reason: 'checksum' | 'broker' | 'unreadable' | 'tooLarge';
}
export interface BrowsedMessages {
  /** Sorted by time, and by offset within a partition. */
  readonly messages: readonly StreamMessage[];
  readonly skipped: readonly SkippedMessages[];
  readonly partitions: readonly BrowsedPartition[];
  /** Number of messages read, whether they matched or not. */
  readonly scanned: number;
}
export interface Tail {
  readonly topic: string;
  readonly partition?: number;
  /** Reading ends when it aborts, or when the caller leaves the loop. */
  readonly signal?: AbortSignal;
}

/** Refusals of a cluster, in addition to the four kinds of failure. Their texts are in the contract. */
export const streamingRefusals = [
  /** A name that Kafka does not allow. */
  'StreamingNameRefused',
  /** Fewer partitions than the topic has, zero, or more than the cluster allows. */
  'StreamingPartitionsRefused',
  /** More replicas than brokers. Context: `maxReplication`. */
  'StreamingReplicationRefused',
  /** A setting or value that the cluster does not accept. Context: `reason`. */
  'StreamingConfigRefused',
  /** Violates a policy of the cluster's operator. Context: `reason`. */
  'StreamingPolicyRefused',
  /** The platform's own user lacks a permission. Context: `operation`, the missing permission. */
  'StreamingNotAuthorized',
  /** The platform's own user or password is wrong. */
  'StreamingSignInRefused',
  /** A user name or password that the cluster does not accept. */
  'StreamingUserRefused',
  /** The cluster does not support this. Context: `operation`. */
  'StreamingUnsupported',
  'StreamingMessageTooLarge',
  /** A message that the topic does not accept, for example without a key on a compacted topic. */
  'StreamingMessageRefused',
] as const;
export type StreamingRefusal = (typeof streamingRefusals)[number];

/**
 * All methods are idempotent. Missing objects are `notFound`, except in methods that delete. `rejected` has a code of `streamingRefusals`.
 * `unavailable` means that the cluster does not answer. Writes are visible when the method resolves. The embedded broker starts with the
 * first method that needs it. `connection` and `check` don't need it.
 */
export interface Streaming {
  readonly kind: 'embedded' | 'kafka';
  /** Single-node broker for development: replication factors are recorded but not applied, and there are no transactions. */
  readonly isDevelopmentBroker: boolean;
  connection(environment: StreamingEnvironment): Promise<StreamingConnection>;
  cluster(environment: StreamingEnvironment): Promise<StreamingCluster>;

  /** Rejects with `conflict` if the name exists, also with `validateOnly`. Before retrying, check who owns the existing topic. */
  createTopic(environment: StreamingEnvironment, topic: WantedTopic, options?: { readonly validateOnly?: boolean }): Promise<void>;
  /** Only the named settings change. */
  alterTopic(
    environment: StreamingEnvironment,
    name: string,
    change: TopicChange,
    options?: { readonly validateOnly?: boolean },
  ): Promise<void>;
  /** Also deletes rules that name the topic, which would apply to the next topic with that name. Resolves when the name is free again. */
  deleteTopic(environment: StreamingEnvironment, name: string): Promise<void>;
  /** Returns existing topics by name. */
  observeTopics(environment: StreamingEnvironment, names: readonly string[]): Promise<ReadonlyMap<string, ObservedTopic>>;
  measureTopics(environment: StreamingEnvironment, names: readonly string[]): Promise<ReadonlyMap<string, readonly PartitionFigures[]>>;
  /** Gets everything in few requests, for any number of topics. Returns existing topics by name. */
  surveyTopics(environment: StreamingEnvironment, names: readonly string[]): Promise<ReadonlyMap<string, SurveyedTopic>>;
  /** Sorted names with this prefix. */
  listTopics(environment: StreamingEnvironment, prefix: string): Promise<readonly string[]>;

  /** Creates the user or replaces its password. Open connections stay open. */
  openUser(environment: StreamingEnvironment, user: string, password: string): Promise<void>;
  /** Disables the user's login and removes it from the list. Its rules stay. */
  closeUser(environment: StreamingEnvironment, user: string): Promise<void>;
  listUsers(environment: StreamingEnvironment, prefix: string): Promise<readonly string[]>;
  /** Tries to log in like a client. */
  canSignIn(environment: StreamingEnvironment, user: string, password: string): Promise<boolean>;

  /** Sets exactly these rights: adds missing rights first, then removes all others, whoever created them. */
  setRights(environment: StreamingEnvironment, user: string, rights: readonly AccessRight[]): Promise<AccessRuleChange>;
  /** Adds these rights first, then removes exactly these rules. The user's other rules stay. */
  changeRights(environment: StreamingEnvironment, user: string, change: AccessRuleChange): Promise<void>;
  /**
   * Lists the rules of a user, the rules that apply to a topic (including prefixed and wildcard rules, without those of the platform's own
   * user), or all rules.
   */
  listRules(environment: StreamingEnvironment, filter: RuleFilter): Promise<readonly AccessRule[]>;
  /** Evaluates the rules on the cluster with the broker's precedence. */
  mayAccess(environment: StreamingEnvironment, question: AccessQuestion): Promise<AccessVerdict>;

  listGroups(environment: StreamingEnvironment, prefix: string): Promise<readonly ConsumerGroup[]>;
  groupsOfTopic(environment: StreamingEnvironment, topic: string): Promise<readonly TopicGroup[]>;
  /** Rejects with `conflict` while the group has members. */
  deleteGroup(environment: StreamingEnvironment, group: string): Promise<void>;

  browse(environment: StreamingEnvironment, browse: Browse): Promise<BrowsedMessages>;
  /** Undefined if the message is no longer retained, or not written yet. */
  readMessage(environment: StreamingEnvironment, topic: string, partition: number, offset: bigint): Promise<StreamMessage | undefined>;
  /** Yields messages as they are written. Slow readers miss messages, visible as gaps in the offsets. */
  tail(environment: StreamingEnvironment, tail: Tail): AsyncIterable<StreamMessage>;
  produce(environment: StreamingEnvironment, topic: string, message: NewMessage): Promise<WrittenMessage>;

  /** Throws if a cluster is unavailable. An embedded broker that was never used passes. */
  check(): Promise<void>;
  /** One probe for each cluster. Undefined if `check` says it all. */
  probes?(): readonly EngineProbe[] | undefined;
  close(): Promise<void>;
}
