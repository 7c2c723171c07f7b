import { mapLimited } from '#kernel/map-limited.ts';
/** Event streaming on clusters that speak Kafka's protocol. The same code serves an operator's Apache Kafka and the embedded broker. */
import type {
  AccessQuestion,
  AccessRight,
  AccessRuleChange,
  Browse,
  NewMessage,
  RuleFilter,
  Streaming,
  StreamingEnvironment,
  Tail,
  TopicChange,
  WantedTopic,
} from '#ports/streaming.ts';
import type { EngineProbe } from '#ports/engine-probe.ts';
import { reportBroker } from './broker-failure.ts';
import type { ClusterSource } from './cluster-source.ts';
import type * as operations from './operations.ts';

const ENVIRONMENTS: readonly StreamingEnvironment[] = ['development', 'production'];
/** The answer may get lost after the operation has succeeded, so the operation is not repeated. */
const ONCE = { isRepeatable: false };

type Operations = typeof operations;

export interface KafkaStreamingOptions {
  readonly kind: Streaming['kind'];
  readonly source: ClusterSource;
}

export class KafkaStreaming implements Streaming {
  readonly kind: Streaming['kind'];
  readonly #source: ClusterSource;
  readonly #clusters = new Map<StreamingEnvironment, operations.KafkaCluster>();
  #operations: Promise<Operations> | undefined;

  constructor({ kind, source }: KafkaStreamingOptions) {
    this.kind = kind;
    this.#source = source;
  }

  get isDevelopmentBroker(): boolean {
    return this.kind === 'embedded';
  }

  connection(environment: StreamingEnvironment) {
    return this.#source.connection(environment);
  }

  cluster(environment: StreamingEnvironment) {
    return this.#ask(environment, async (_, at) => {
      const { clusterId, brokers } = await at.metadata([]);
      return { clusterId: clusterId ?? '', brokers: brokers.map(({ host, port }) => ({ host, port })), maxReplication: brokers.length };
    });
  }

  createTopic(environment: StreamingEnvironment, topic: WantedTopic, { validateOnly = false } = {}) {
    return this.#ask(environment, (to, at) => to.createTopic(at, topic, validateOnly), ONCE);
  }

  alterTopic(environment: StreamingEnvironment, name: string, change: TopicChange, { validateOnly = false } = {}) {
    return this.#ask(environment, (to, at) => to.alterTopic(at, name, change, validateOnly));
  }

  async deleteTopic(environment: StreamingEnvironment, name: string) {
    await this.#ask(environment, (to, at) => to.deleteTopic(at, name));
    await this.#ask(environment, (to, at) => to.removeRulesOfTopic(at, name));
  }

  observeTopics(environment: StreamingEnvironment, names: readonly string[]) {
    return this.#ask(environment, (to, at) => to.observeTopics(at, names));
  }

  measureTopics(environment: StreamingEnvironment, names: readonly string[]) {
    return this.#ask(environment, (to, at) => to.measureTopics(at, names));
  }

  surveyTopics(environment: StreamingEnvironment, names: readonly string[]) {
    return this.#ask(environment, (to, at) => to.surveyTopics(at, names));
  }

  listTopics(environment: StreamingEnvironment, prefix: string) {
    return this.#ask(environment, (to, at) => to.listTopics(at, prefix));
  }

  openUser(environment: StreamingEnvironment, user: string, password: string) {
    return this.#ask(environment, (to, at) => to.openUser(at, user, password));
  }

  closeUser(environment: StreamingEnvironment, user: string) {
    return this.#ask(environment, (to, at) => to.closeUser(at, user));
  }

  listUsers(environment: StreamingEnvironment, prefix: string) {
    return this.#ask(environment, (to, at) => to.listUsers(at, prefix));
  }

  canSignIn(environment: StreamingEnvironment, user: string, password: string) {
    return this.#ask(environment, (to, at) => to.canSignIn(at, user, password));
  }

  setRights(environment: StreamingEnvironment, user: string, rights: readonly AccessRight[]) {
    return this.#ask(environment, (to, at) => to.setRights(at, user, rights));
  }

  changeRights(environment: StreamingEnvironment, user: string, change: AccessRuleChange) {
    return this.#ask(environment, (to, at) => to.changeRights(at, user, change));
  }

  listRules(environment: StreamingEnvironment, filter: RuleFilter) {
    return this.#ask(environment, (to, at) => to.listRules(at, filter));
  }

  mayAccess(environment: StreamingEnvironment, question: AccessQuestion) {
    return this.#ask(environment, (to, at) => to.mayAccess(at, question));
  }

  listGroups(environment: StreamingEnvironment, prefix: string) {
    return this.#ask(environment, (to, at) => to.listGroups(at, prefix));
  }

  groupsOfTopic(environment: StreamingEnvironment, topic: string) {
    return this.#ask(environment, (to, at) => to.groupsOfTopic(at, topic));
  }

  deleteGroup(environment: StreamingEnvironment, group: string) {
    return this.#ask(environment, (to, at) => to.deleteGroup(at, group));
  }

  browse(environment: StreamingEnvironment, browse: Browse) {
    return this.#ask(environment, (to, at) => to.browseMessages(at, browse));
  }

  readMessage(environment: StreamingEnvironment, topic: string, partition: number, offset: bigint) {
    return this.#ask(environment, (to, at) => to.readOneMessage(at, topic, partition, offset));
  }

  async *tail(environment: StreamingEnvironment, tail: Tail) {
    const to = await this.#load(environment);
    yield* to.tailMessages(this.#at(environment, to), tail);
  }

  produce(environment: StreamingEnvironment, topic: string, message: NewMessage) {
    return this.#ask(environment, (to, at) => to.produceMessage(at, topic, message), ONCE);
  }

  async check() {
    for (const environment of ENVIRONMENTS) if (this.#source.isInUse(environment)) await this.#check(environment);
  }

  /** The embedded broker has no address that an operator could correct. */
  probes(): EngineProbe[] | undefined {
    if (this.kind === 'embedded') return undefined;
    return ENVIRONMENTS.filter((one) => this.#source.isInUse(one)).map((place) => ({
      place,
      probe: async (findings) => {
        await this.#check(place).catch((error: unknown) =>
          reportBroker(findings, error, { name: 'The cluster', suffix: place.toUpperCase() }),
        );
        return undefined;
      },
    }));
  }

  async #check(environment: StreamingEnvironment): Promise<void> {
    await this.#at(environment, await this.#load(environment)).metadata([]);
  }

  async close() {
    await mapLimited(this.#clusters.values(), (cluster) => cluster.close());
    await this.#source.close();
  }

  async #ask<Answer>(
    environment: StreamingEnvironment,
    question: (to: Operations, at: operations.KafkaCluster) => Promise<Answer>,
    options?: { readonly isRepeatable: boolean },
  ): Promise<Answer> {
    const to = await this.#load(environment);
    return to.steadily(() => question(to, this.#at(environment, to)), options);
  }

  /**
   * Loads the client on first use: loading takes half a second, which must not delay the platform's start. A broker that the platform runs
   * starts in parallel.
   */
  #load(environment: StreamingEnvironment): Promise<Operations> {
    if (this.#operations) return this.#operations;
    // The request to the cluster reports this error.
    this.#source.access(environment).catch(() => undefined);
    this.#operations = import('./operations.ts');
    return this.#operations;
  }

  #at(environment: StreamingEnvironment, { KafkaCluster }: Operations): operations.KafkaCluster {
    const known = this.#clusters.get(environment);
    if (known) return known;
    const cluster = new KafkaCluster(() => this.#source.access(environment));
    this.#clusters.set(environment, cluster);
    return cluster;
  }
}
