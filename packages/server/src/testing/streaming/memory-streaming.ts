/** A Kafka cluster in memory, for tests of what the platform does with one: faults and drift can be planted. Adapters are tried by their suite. */
import { PortFailure } from '#ports/failure.ts';
import type {
  AccessRule,
  Browse,
  BrowsedMessages,
  GroupPartition,
  NewMessage,
  ObservedTopic,
  PartitionFigures,
  SkippedMessages,
  Streaming,
  StreamingEnvironment,
  StreamMessage,
  TopicGroup,
  WantedTopic,
} from '#ports/streaming.ts';

interface Kept {
  readonly topicId: string;
  partitions: StreamMessage[][];
  readonly replication: number;
  configs: Record<string, string>;
}
/** A reader as a test plants it. */
export interface PlantedGroup {
  readonly group: string;
  readonly topic: string;
  /** Undefined: it has some, and the cluster does not describe them. */
  readonly members: number | undefined;
  readonly committed: readonly number[];
}

/** Environments share nothing. Tests look into development, by the name alone. */
const keyOf = (environment: StreamingEnvironment, name: string): string =>
  environment === 'development' ? name : `${environment}/${name}`;

export class MemoryStreaming {
  readonly topics = new Map<string, Kept>();
  groups: PlantedGroup[] = [];
  /** Rules that every request for rules returns. */
  rules: AccessRule[] = [];
  /** Messages that the broker's disk has corrupted. */
  damaged: readonly (SkippedMessages & { readonly topic: string })[] = [];
  isAway = false;
  #count = 0;
  readonly #listeners = new Set<(topic: string, message: StreamMessage) => void>();

  make({ name, partitions, replication, configs }: WantedTopic): void {
    this.#count += 1;
    this.topics.set(name, {
      topicId: `id-${this.#count}`,
      partitions: Array.from({ length: partitions }, () => []),
      replication,
      configs: { ...configs },
    });
  }
  require(name: string): Kept {
    const found = this.topics.get(name);
    if (!found) throw new PortFailure('notFound', `There is no topic ${name}`);
    return found;
  }
  #ask<T>(answer: () => T): Promise<T> {
    if (this.isAway) return Promise.reject(new PortFailure('unavailable', 'The cluster is away', { context: { engine: 'Kafka cluster' } }));
    return Promise.resolve().then(answer);
  }
  #each<T>(environment: StreamingEnvironment, names: readonly string[], seen: (name: string, topic: Kept) => T): Map<string, T> {
    const found = names.map((name) => [name, this.topics.get(keyOf(environment, name))] as const);
    return new Map(found.flatMap(([name, topic]) => (topic ? [[name, seen(name, topic)] as const] : [])));
  }
  #observe(name: string, { topicId, partitions, configs }: Kept): ObservedTopic {
    const all = partitions.map((_, partition) => ({ partition, leader: 0, replicas: [0], inSync: [0] }));
    return { name, topicId, partitions: all, replication: 1, configs: { ...configs }, isReady: true };
  }
  #measure({ partitions }: Kept): PartitionFigures[] {
    return partitions.map((messages, partition) => ({
      partition,
      firstOffset: 0n,
      nextOffset: BigInt(messages.length),
      sizeBytes: messages.reduce((sum, { value }) => sum + (value?.length ?? 0), 0),
    }));
  }
  #group({ group, members, committed, topic }: PlantedGroup): TopicGroup {
    const kept = this.require(topic);
    const partitions = kept.partitions.map((messages, partition): GroupPartition => {
      const at = committed[partition] ?? 0;
      return {
        partition,
        committedOffset: BigInt(at),
        nextOffset: BigInt(messages.length),
        lag: BigInt(messages.length - at),
        waitingSince: messages[at]?.timestamp,
      };
    });
    const [waitingSince] = partitions.flatMap((one) => one.waitingSince ?? []).sort((one, other) => one.getTime() - other.getTime());
    return {
      group,
      state: members !== 0 ? 'Stable' : 'Empty',
      members:
        members === undefined
          ? undefined
          : Array.from({ length: members }, (_, at) => ({ memberId: `m-${at}`, clientId: 'test', host: '127.0.0.1', partitions: [] })),
      partitions,
      lag: partitions.reduce((sum, { lag }) => sum + lag, 0n),
      waitingSince,
    };
  }
  #browse({ topic, partition, from, until, limit, key }: Browse): BrowsedMessages {
    const { partitions } = this.require(topic);
    const isAsked = (at: number): boolean => (from.at === 'offsets' ? from.offsets.has(at) : partition === undefined || partition === at);
    const asked = partitions.flatMap((messages, at) => (isAsked(at) ? [{ at, messages }] : []));
    const found = asked.map(({ at, messages }) => {
      const starts = {
        start: () => 0,
        end: () => Math.max(0, messages.length - limit),
        offset: () => Number('offset' in from ? from.offset : 0n),
        offsets: () => Number('offsets' in from ? (from.offsets.get(at) ?? 0n) : 0n),
        time: () => messages.findIndex(({ timestamp }) => 'time' in from && timestamp >= from.time),
      };
      const begin = starts[from.at]();
      const end = Number(until?.get(at) ?? messages.length);
      const isMeant = (message: StreamMessage): boolean =>
        key === undefined || (message.key !== null && Buffer.compare(message.key, key) === 0);
      const damaged = this.damaged.filter((one) => one.topic === topic && one.partition === at);
      const isWhole = ({ offset }: StreamMessage): boolean => !damaged.some((one) => one.fromOffset <= offset && offset <= one.toOffset);
      const behind = begin < 0 ? [] : messages.slice(begin, end).filter((message) => isMeant(message) && isWhole(message));
      const kept = behind.slice(0, limit);
      const continueAt = behind[limit]?.offset ?? BigInt(end);
      const scanned = key ? Number(continueAt) - Math.max(0, begin) : kept.length;
      const skipped = damaged.flatMap(({ partition: of, reason, fromOffset: from, toOffset: to }) => {
        const fromOffset = from < begin ? BigInt(begin) : from;
        const toOffset = to < continueAt ? to : continueAt - 1n;
        return fromOffset > toOffset ? [] : [{ partition: of, reason, fromOffset, toOffset }];
      });
      return { kept, scanned, skipped, partition: { partition: at, firstOffset: 0n, nextOffset: BigInt(messages.length), continueAt } };
    });
    const scanned = found.reduce((sum, one) => sum + one.scanned, 0);
    const skipped = found.flatMap((one) => one.skipped);
    return { messages: found.flatMap(({ kept }) => kept), partitions: found.map((one) => one.partition), skipped, scanned };
  }
  produce(topic: string, { partition = 0, key, value, headers = [] }: NewMessage, timestamp = new Date()) {
    const messages = this.require(topic).partitions[partition];
    if (!messages) throw new PortFailure('rejected', 'There is no such partition');
    const message = { partition, offset: BigInt(messages.length), timestamp, key, value, headers };
    messages.push(message);
    for (const heard of this.#listeners) heard(topic, message);
    return { partition, offset: message.offset };
  }
  async *#tail(topic: string, signal: AbortSignal | undefined): AsyncGenerator<StreamMessage> {
    const waiting: StreamMessage[] = [];
    let wake = (): void => {};
    const listener = (of: string, message: StreamMessage): void => {
      if (of === topic) waiting.push(message);
      wake();
    };
    this.#listeners.add(listener);
    signal?.addEventListener('abort', () => wake());
    try {
      while (!signal?.aborted) {
        const next = waiting.shift();
        if (next) yield next;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.#listeners.delete(listener);
    }
  }
  #alter(name: string, { partitions, configs = {}, reset = [] }: Parameters<Streaming['alterTopic']>[2]): void {
    const topic = this.require(name);
    if (partitions !== undefined && partitions <= topic.partitions.length)
      throw new PortFailure('rejected', 'Fewer', { code: 'StreamingPartitionsRefused' });
    while (partitions !== undefined && topic.partitions.length < partitions) topic.partitions.push([]);
    Object.assign(topic.configs, configs);
    for (const gone of reset) delete topic.configs[gone];
  }

  /** Implements only the calls that these tests make. Every other call throws. */
  readonly port: Streaming = {
    kind: 'embedded',
    isDevelopmentBroker: true,
    connection: async () => ({
      bootstrapServers: [{ host: 'localhost', port: 19092 }],
      securityProtocol: 'SASL_PLAINTEXT',
      mechanism: 'SCRAM-SHA-512',
    }),
    cluster: () => this.#ask(() => ({ clusterId: 'memory', brokers: [{ host: 'localhost', port: 19092 }], maxReplication: 3 })),
    createTopic: (environment, topic, options) =>
      this.#ask(() => {
        const name = keyOf(environment, topic.name);
        if (this.topics.has(name)) throw new PortFailure('conflict', `${name} is there`);
        if (!options?.validateOnly) this.make({ ...topic, name });
      }),
    alterTopic: (environment, name, change) => this.#ask(() => this.#alter(keyOf(environment, name), change)),
    deleteTopic: (environment, name) => this.#ask(() => void this.topics.delete(keyOf(environment, name))),
    observeTopics: (environment, names) => this.#ask(() => this.#each(environment, names, (name, topic) => this.#observe(name, topic))),
    measureTopics: (environment, names) => this.#ask(() => this.#each(environment, names, (_, topic) => this.#measure(topic))),
    surveyTopics: (environment, names) =>
      this.#ask(() =>
        this.#each(environment, names, (name, topic) => ({
          topic: this.#observe(name, topic),
          figures: this.#measure(topic),
          groups: this.groups.filter((one) => one.topic === keyOf(environment, name)).map((one) => this.#group(one)),
        })),
      ),
    listTopics: (environment, prefix) =>
      this.#ask(() => [...this.topics.keys()].filter((name) => name.startsWith(keyOf(environment, prefix))).toSorted()),
    groupsOfTopic: (environment, topic) =>
      this.#ask(() => this.groups.filter((one) => one.topic === keyOf(environment, topic)).map((one) => this.#group(one))),
    browse: (environment, browse) => this.#ask(() => this.#browse({ ...browse, topic: keyOf(environment, browse.topic) })),
    readMessage: (environment, topic, partition, offset) =>
      this.#ask(() => {
        const found = this.#browse({ topic: keyOf(environment, topic), partition, from: { at: 'offset', offset }, limit: 1 });
        return found.messages.find((message) => message.offset === offset);
      }),
    tail: (environment, { topic, signal }) => this.#tail(keyOf(environment, topic), signal),
    produce: (environment, topic, message) => this.#ask(() => this.produce(keyOf(environment, topic), message)),
    listRules: () => this.#ask(() => this.rules),
    check: () => this.#ask(() => undefined),
    close: async () => {},
    ...absent(['openUser', 'closeUser', 'listUsers', 'canSignIn', 'setRights', 'changeRights', 'mayAccess', 'listGroups', 'deleteGroup']),
  };
}

type Unasked =
  | 'openUser'
  | 'closeUser'
  | 'listUsers'
  | 'canSignIn'
  | 'setRights'
  | 'changeRights'
  | 'mayAccess'
  | 'listGroups'
  | 'deleteGroup';
const absent = (verbs: readonly Unasked[]): Pick<Streaming, Unasked> => {
  const refuse = (): never => {
    throw new Error('No test of topics asks this');
  };
  return Object.fromEntries(verbs.map((verb) => [verb, refuse])) as unknown as Pick<Streaming, Unasked>;
};
