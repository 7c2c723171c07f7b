/**
 * Event streaming on brokers that speak Kafka's protocol: topics, users, access rules, consumer groups and messages, one cluster (or one
 * namespace of the embedded broker) per environment. Names are the physical ones (`berth.orders`); who stores them never makes them up again.
 */

export type StreamingEnvironment = 'development' | 'production';

/** Where a broker listens for clients: the same from inside an instance, whose runtime opens a way to it. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}
/** What a client needs to know beside its user name and password. */
export interface StreamingConnection {
  readonly bootstrapServers: readonly BrokerAddress[];
  readonly securityProtocol: 'SASL_PLAINTEXT' | 'SASL_SSL';
  /** As clients name it. */
  readonly mechanism: 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
  /** PEM of the authority that signed the brokers' certificates, where it is none that every machine knows. */
  readonly certificateAuthority?: string;
}
export interface StreamingCluster {
  readonly clusterId: string;
  /** Every broker, as it tells clients to find it. A client may be sent to each of them. */
  readonly brokers: readonly BrokerAddress[];
  /** What a topic's replication can be at most. */
  readonly maxReplication: number;
}

/** Settings by Kafka's names, as texts: `retention.ms`: `86400000`. */
export type TopicConfigs = Readonly<Record<string, string>>;
export interface WantedTopic {
  readonly name: string;
  readonly partitions: number;
  readonly replication: number;
  readonly configs: TopicConfigs;
}
export interface TopicChange {
  /** More than there are. */
  readonly partitions?: number;
  /** Only these change. */
  readonly configs?: TopicConfigs;
  /** Back to what the cluster does by itself. */
  readonly reset?: readonly string[];
}
export interface TopicPartition {
  readonly partition: number;
  /** Undefined while none leads: nothing can be read or written. */
  readonly leader: number | undefined;
  readonly replicas: readonly number[];
  readonly inSync: readonly number[];
}
export interface ObservedTopic {
  readonly name: string;
  /** Another one after a deletion, also under the same name. */
  readonly topicId: string;
  readonly partitions: readonly TopicPartition[];
  /** Of the partition with the fewest copies. The embedded broker accepts more than the one that it keeps. */
  readonly replication: number;
  /** What was set for this topic. What the cluster does by itself is not listed. */
  readonly configs: TopicConfigs;
  /** Every partition has a leader. */
  readonly isReady: boolean;
}
export interface PartitionFigures {
  readonly partition: number;
  /** Of the oldest message that is kept. */
  readonly firstOffset: bigint;
  /** Of the message that is written next. */
  readonly nextOffset: bigint;
  /** Of one copy; undefined where the cluster does not say. */
  readonly sizeBytes: number | undefined;
}

/** What an account of the platform may be given. Reading and writing include describing. */
export interface AccessRight {
  readonly resource: 'topic' | 'group' | 'transactionalId';
  /** `prefixed`: everything whose name begins so. End it with a dot, or `app.a` is `app.ab`, too. */
  readonly pattern: 'literal' | 'prefixed';
  readonly name: string;
  readonly operation: 'read' | 'write' | 'describe';
}
/** A rule as it is found on the cluster, whoever made it, in Kafka's words: `topic`, `literal`, `read`, `allow`. */
export interface AccessRule {
  readonly resource: string;
  readonly pattern: string;
  readonly name: string;
  /** Without `User:`; `*` is everybody. */
  readonly user: string;
  readonly host: string;
  readonly operation: string;
  readonly permission: 'allow' | 'deny';
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
export interface AccessVerdict {
  readonly isAllowed: boolean;
  /** What decided; undefined where no rule says anything, which is a refusal. */
  readonly rule: AccessRule | undefined;
}

export interface ConsumerGroupMember {
  readonly memberId: string;
  readonly clientId: string;
  readonly host: string;
  /** Of the topic that was asked for. */
  readonly partitions: readonly number[];
}
export interface GroupPartition {
  readonly partition: number;
  /** Of the message that is read next; undefined where nothing was committed. */
  readonly committedOffset: bigint | undefined;
  readonly nextOffset: bigint;
  /** From the first message where nothing was committed: at most so many. */
  readonly lag: bigint;
  /** When the first message that is not read yet was written; undefined where all is read, or nothing was committed. */
  readonly waitingSince: Date | undefined;
}
/** A group with members or commits on one topic. */
export interface TopicGroup {
  readonly group: string;
  /** As Kafka calls it: `Stable`, `Empty`, `PreparingRebalance`, `CompletingRebalance`, `Assigning`, `Reconciling`, `Dead`. */
  readonly state: string;
  /** Undefined where there are some, and the cluster does not describe them. */
  readonly members: readonly ConsumerGroupMember[] | undefined;
  readonly partitions: readonly GroupPartition[];
  readonly lag: bigint;
  readonly waitingSince: Date | undefined;
}
export interface ConsumerGroup {
  readonly group: string;
  readonly state: string;
}
/** Everything that is looked at again and again, of one topic. */
export interface SurveyedTopic {
  readonly topic: ObservedTopic;
  /** A partition that no broker leads now is left out. */
  readonly figures: readonly PartitionFigures[];
  /** Since when the furthest behind waits is looked up for those with the most waiting messages. */
  readonly groups: readonly TopicGroup[];
}

export interface StreamHeader {
  readonly key: string;
  readonly value: Uint8Array | null;
}
/** A message as its producer wrote it: bytes, not decoded. */
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
  /** By the key where it is left out, or any. */
  readonly partition?: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers?: readonly StreamHeader[];
}
export interface WrittenMessage {
  readonly partition: number;
  readonly offset: bigint;
}
/** Where reading begins. An offset belongs to one partition; `end` reads the last `limit` messages of each partition. */
export type BrowseFrom =
  | { readonly at: 'start' }
  | { readonly at: 'end' }
  | { readonly at: 'offset'; readonly offset: bigint }
  /** Partition → offset: of no other partition is read. */
  | { readonly at: 'offsets'; readonly offsets: ReadonlyMap<number, bigint> }
  | { readonly at: 'time'; readonly time: Date };
export interface Browse {
  readonly topic: string;
  /** All of them where it is left out. */
  readonly partition?: number;
  readonly from: BrowseFrom;
  /** Partition → the offset before which reading ends; at the end of the partition where none is named. */
  readonly until?: ReadonlyMap<number, bigint>;
  /** Of each partition: at most 500. */
  readonly limit: number;
  /** Stops at the message that goes beyond; 8 MiB where it is left out. */
  readonly maxBytes?: number;
  /** Only messages with this key; the others count as scanned, not as found. */
  readonly key?: Uint8Array;
  /** No request begins after so long: `continueAt` says how far it came, which is somewhere. Four seconds where it is left out. */
  readonly searchMs?: number;
}
export interface BrowsedPartition {
  readonly partition: number;
  readonly firstOffset: bigint;
  readonly nextOffset: bigint;
  /** Where to go on; equal to `nextOffset` when the end was reached. */
  readonly continueAt: bigint;
}
/**
 * What was written and cannot be shown. `checksum`: its bytes are not those that were written. `broker`: the broker itself cannot read it.
 * `unreadable`: its checksum is right, and it cannot be opened, or is of a format of long ago. `tooLarge`: it would be when it is opened.
 */
export interface SkippedMessages {
  readonly partition: number;
  readonly fromOffset: bigint;
  readonly toOffset: bigint;
  readonly reason: 'checksum' | 'broker' | 'unreadable' | 'tooLarge';
}
export interface BrowsedMessages {
  /** By time, and by offset within a partition. */
  readonly messages: readonly StreamMessage[];
  readonly skipped: readonly SkippedMessages[];
  readonly partitions: readonly BrowsedPartition[];
  /** Messages that were looked at, found or not. */
  readonly scanned: number;
}
export interface Tail {
  readonly topic: string;
  readonly partition?: number;
  /** Aborting ends the reading; so does leaving the loop. */
  readonly signal?: AbortSignal;
}

/** What a cluster refuses, beside the four kinds of failure. The texts stand in the contract. */
export const streamingRefusals = [
  /** A name that Kafka cannot hold. */
  'StreamingNameRefused',
  /** Fewer partitions than there are, none, or more than the cluster allows. */
  'StreamingPartitionsRefused',
  /** More copies than there are brokers. Context: `maxReplication`. */
  'StreamingReplicationRefused',
  /** A setting that the cluster does not know, or a value that it does not take. Context: `reason`. */
  'StreamingConfigRefused',
  /** A policy of the cluster's operator. Context: `reason`. */
  'StreamingPolicyRefused',
  /** The platform's own user may not do this. Context: `operation`, what is missing. */
  'StreamingNotAuthorized',
  /** The platform's own user or password is wrong. */
  'StreamingSignInRefused',
  /** A user name or password that the cluster does not take. */
  'StreamingUserRefused',
  /** The cluster cannot do this. Context: `operation`. */
  'StreamingUnsupported',
  'StreamingMessageTooLarge',
  /** A message that the topic does not take: without a key on a compacted topic, say. */
  'StreamingMessageRefused',
] as const;
export type StreamingRefusal = (typeof streamingRefusals)[number];

/**
 * Every verb is safe to repeat. What is not there is `notFound`, except where a verb takes something away. `rejected` carries one of
 * `streamingRefusals` as its code; a cluster that does not answer is `unavailable`. What a verb wrote is visible when it answers.
 * The embedded broker starts with the first verb that needs it: `connection` and `check` need none.
 */
export interface Streaming {
  readonly kind: 'embedded' | 'kafka';
  /** One node, for development: replication is recorded and not kept, and there are no transactions. */
  readonly isDevelopmentBroker: boolean;
  connection(environment: StreamingEnvironment): Promise<StreamingConnection>;
  cluster(environment: StreamingEnvironment): Promise<StreamingCluster>;

  /** `conflict` where there is one of that name, also when it is validated only: whoever repeats looks first whose it is. */
  createTopic(environment: StreamingEnvironment, topic: WantedTopic, options?: { readonly validateOnly?: boolean }): Promise<void>;
  /** The configs that are named change, no others. */
  alterTopic(
    environment: StreamingEnvironment,
    name: string,
    change: TopicChange,
    options?: { readonly validateOnly?: boolean },
  ): Promise<void>;
  /** The rules that name it go with it: they would hold for the next topic of that name. Answers when the name is free again. */
  deleteTopic(environment: StreamingEnvironment, name: string): Promise<void>;
  /** Those that are there, by name. */
  observeTopics(environment: StreamingEnvironment, names: readonly string[]): Promise<ReadonlyMap<string, ObservedTopic>>;
  measureTopics(environment: StreamingEnvironment, names: readonly string[]): Promise<ReadonlyMap<string, readonly PartitionFigures[]>>;
  /** All of it in few requests, however many there are. Those that are there, by name. */
  surveyTopics(environment: StreamingEnvironment, names: readonly string[]): Promise<ReadonlyMap<string, SurveyedTopic>>;
  /** Names that begin so, sorted. */
  listTopics(environment: StreamingEnvironment, prefix: string): Promise<readonly string[]>;

  /** Makes the user, or gives it this password alone. Connections that are open stay. */
  openUser(environment: StreamingEnvironment, user: string, password: string): Promise<void>;
  /** Nobody signs in as the user any more, and it is not listed; its rules stay. */
  closeUser(environment: StreamingEnvironment, user: string): Promise<void>;
  listUsers(environment: StreamingEnvironment, prefix: string): Promise<readonly string[]>;
  /** Tried, as a client does it. */
  canSignIn(environment: StreamingEnvironment, user: string, password: string): Promise<boolean>;

  /** The user has exactly these rights afterwards: what is missing is added first, then the rest is removed, whoever made it. */
  setRights(environment: StreamingEnvironment, user: string, rights: readonly AccessRight[]): Promise<AccessRuleChange>;
  /** Adds those rights first, then removes exactly these rules; whatever else holds for the user stays. */
  changeRights(environment: StreamingEnvironment, user: string, change: AccessRuleChange): Promise<void>;
  /** Of a user, about a topic (prefixed and wildcard rules that hold for it, too, without those of the platform's own user), or all there are. */
  listRules(environment: StreamingEnvironment, filter: RuleFilter): Promise<readonly AccessRule[]>;
  /** By the rules as they are on the cluster, with the broker's own precedence. */
  mayAccess(environment: StreamingEnvironment, question: AccessQuestion): Promise<AccessVerdict>;

  listGroups(environment: StreamingEnvironment, prefix: string): Promise<readonly ConsumerGroup[]>;
  groupsOfTopic(environment: StreamingEnvironment, topic: string): Promise<readonly TopicGroup[]>;
  /** `conflict` while it has members. */
  deleteGroup(environment: StreamingEnvironment, group: string): Promise<void>;

  browse(environment: StreamingEnvironment, browse: Browse): Promise<BrowsedMessages>;
  /** Undefined where it is not kept any more, or not written yet. */
  readMessage(environment: StreamingEnvironment, topic: string, partition: number, offset: bigint): Promise<StreamMessage | undefined>;
  /** Messages that are written from now on, as they come. Whoever reads slower than they are written does not get all: offsets show it. */
  tail(environment: StreamingEnvironment, tail: Tail): AsyncIterable<StreamMessage>;
  produce(environment: StreamingEnvironment, topic: string, message: NewMessage): Promise<WrittenMessage>;

  /** Throws where a cluster that should answer does not. An embedded broker that nobody has used yet is fine. */
  check(): Promise<void>;
  close(): Promise<void>;
}
