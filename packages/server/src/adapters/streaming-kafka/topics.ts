/**
 * Creates, changes, deletes and observes topics. Changes send only the differences, and deletion also removes the rules that name the
 * topic.
 */
import {
  ConfigResourceTypes,
  ConfigSources,
  createPartitionsV3,
  createTopicsV7,
  deleteTopicsV6,
  describeConfigsV4,
  IncrementalAlterConfigOperationTypes,
  incrementalAlterConfigsV1,
} from '@platformatic/kafka';
import { PortFailure } from '#ports/failure.ts';
import type { ObservedTopic, TopicChange, TopicConfigs, WantedTopic } from '#ports/streaming.ts';
import { type KafkaCluster, WORK_MS } from './cluster.ts';
import { failureOf, INVALID_REPLICATION, throwIfFailed, UNKNOWN_TOPIC } from './failures.ts';
import { untilShown } from './patience.ts';

export type MetadataTopic = Awaited<ReturnType<KafkaCluster['metadata']>>['topics'][number];
const { SET, DELETE } = IncrementalAlterConfigOperationTypes;
/** Topics per request. */
const AT_ONCE = 500;

export async function createTopic(cluster: KafkaCluster, topic: WantedTopic, isValidatedOnly: boolean): Promise<void> {
  const { name, partitions: numPartitions, replication: replicationFactor } = topic;
  const configs = Object.entries(topic.configs).map(([key, value]) => ({ name: key, value }));
  const wanted = { name, numPartitions, replicationFactor, assignments: [], configs };
  const { topics } = await cluster.askController('CreateTopics', createTopicsV7.api, [wanted], WORK_MS, isValidatedOnly);
  for (const { errorCode, errorMessage } of topics) {
    if (errorCode === INVALID_REPLICATION) throw await replicationRefused(cluster, errorMessage ?? '');
    throwIfFailed(errorCode, 'CreateTopics', errorMessage);
  }
  if (!isValidatedOnly) await untilShown(async () => (await observeTopics(cluster, [name])).get(name)?.isReady ?? false);
}

async function replicationRefused(cluster: KafkaCluster, reason: string): Promise<PortFailure> {
  const maxReplication = String((await cluster.metadata([])).brokers.length);
  const context = { maxReplication, operation: 'CreateTopics', reason };
  return new PortFailure('rejected', `CreateTopics: ${reason}`, { code: 'StreamingReplicationRefused', context });
}

export async function alterTopic(cluster: KafkaCluster, name: string, change: TopicChange, isValidatedOnly: boolean): Promise<void> {
  const { partitions, configs = {}, reset = [] } = change;
  const before = (await observeTopics(cluster, [name])).get(name);
  if (!before) throw new PortFailure('notFound', `There is no topic ${name}`);
  const isMore = partitions !== undefined && partitions !== before.partitions.length;
  // Adding partitions cannot be undone. It is validated first and done last.
  if (isMore) await createPartitions(cluster, name, partitions, true);
  await alterConfigs(cluster, name, configs, reset, isValidatedOnly);
  if (isValidatedOnly) return;
  if (isMore) await createPartitions(cluster, name, partitions, false);
  await untilShown(async () => {
    const now = (await observeTopics(cluster, [name])).get(name);
    return (
      now !== undefined &&
      now.partitions.length >= (partitions ?? 0) &&
      now.isReady &&
      Object.entries(configs).every(([key, value]) => now.configs[key] === value) &&
      reset.every((key) => now.configs[key] === undefined)
    );
  });
}

async function alterConfigs(
  cluster: KafkaCluster,
  resourceName: string,
  configs: TopicConfigs,
  reset: readonly string[],
  isValidatedOnly: boolean,
): Promise<void> {
  const set = Object.entries(configs).map(([name, value]) => ({ name, value, configOperation: SET }));
  const changes = [...set, ...reset.map((name) => ({ name, configOperation: DELETE }))];
  if (changes.length === 0) return;
  const resource = { resourceType: ConfigResourceTypes.TOPIC, resourceName, configs: changes };
  const answer = await cluster.askController('IncrementalAlterConfigs', incrementalAlterConfigsV1.api, [resource], isValidatedOnly);
  for (const { errorCode, errorMessage } of answer.responses) throwIfFailed(errorCode, 'IncrementalAlterConfigs', errorMessage);
}

async function createPartitions(cluster: KafkaCluster, name: string, count: number, isValidatedOnly: boolean): Promise<void> {
  const { results } = await cluster.askController('CreatePartitions', createPartitionsV3.api, [{ name, count }], WORK_MS, isValidatedOnly);
  for (const { errorCode, errorMessage } of results) throwIfFailed(errorCode, 'CreatePartitions', errorMessage);
}

export async function deleteTopic(cluster: KafkaCluster, name: string): Promise<void> {
  const { responses } = await cluster.askController('DeleteTopics', deleteTopicsV6.api, [{ name }], WORK_MS);
  for (const { errorCode, errorMessage } of responses)
    if (errorCode !== UNKNOWN_TOPIC) throwIfFailed(errorCode, 'DeleteTopics', errorMessage);
  await untilShown(async () => !(await observeTopics(cluster, [name])).has(name));
}

export async function observeTopics(cluster: KafkaCluster, names: readonly string[]): Promise<ReadonlyMap<string, ObservedTopic>> {
  const observed = new Map<string, ObservedTopic>();
  for (let first = 0; first < names.length; first += AT_ONCE) {
    const topics = await topicsNamed(cluster, names.slice(first, first + AT_ONCE));
    const configs = await configsOf(cluster, [...topics.keys()]);
    for (const [name, topic] of topics) {
      const own = configs.get(name);
      // Deleted in the meantime.
      if (own) observed.set(name, observedOf(name, topic, own));
    }
  }
  return observed;
}

/** Returns the topics that exist. */
export async function topicsNamed(cluster: KafkaCluster, names: readonly string[]): Promise<ReadonlyMap<string, MetadataTopic>> {
  if (names.length === 0) return new Map();
  const { topics } = await cluster.metadata([...names]);
  const found = new Map<string, MetadataTopic>();
  for (const topic of topics) {
    const failure = failureOf(topic.errorCode, 'Metadata');
    if (failure?.kind === 'notFound') continue;
    // A topic whose partitions have no leader yet exists.
    if (failure && topic.partitions.length === 0) throw failure;
    if (topic.name) found.set(topic.name, topic);
  }
  return found;
}

export const observedOf = (name: string, { topicId, partitions }: MetadataTopic, configs: TopicConfigs): ObservedTopic => ({
  name,
  topicId,
  partitions: partitions
    .map(({ partitionIndex, leaderId, replicaNodes, isrNodes }) => ({
      partition: partitionIndex,
      leader: leaderId < 0 ? undefined : leaderId,
      replicas: replicaNodes,
      inSync: isrNodes,
    }))
    .toSorted((one, other) => one.partition - other.partition),
  replication: Math.min(...partitions.map(({ replicaNodes }) => replicaNodes.length)),
  configs,
  isReady: partitions.length > 0 && partitions.every(({ leaderId }) => leaderId >= 0),
});

export async function configsOf(cluster: KafkaCluster, names: readonly string[]): Promise<ReadonlyMap<string, TopicConfigs>> {
  if (names.length === 0) return new Map();
  const resources = names.map((resourceName) => ({ resourceType: ConfigResourceTypes.TOPIC, resourceName }));
  const { results } = await cluster.ask('DescribeConfigs', describeConfigsV4.api, resources, false, false);
  const configs = new Map<string, TopicConfigs>();
  for (const { resourceName, errorCode, errorMessage, configs: all } of results) {
    if (errorCode === UNKNOWN_TOPIC) continue;
    throwIfFailed(errorCode, 'DescribeConfigs', errorMessage);
    const own = all.filter(({ configSource, value }) => configSource === ConfigSources.TOPIC_CONFIG && value !== null);
    configs.set(resourceName, Object.fromEntries(own.map(({ name, value }): [string, string] => [name, value ?? ''])));
  }
  return configs;
}

export async function listTopics(cluster: KafkaCluster, prefix: string): Promise<readonly string[]> {
  const { topics } = await cluster.metadata(null);
  return topics.flatMap(({ name, isInternal }) => (!isInternal && name?.startsWith(prefix) ? [name] : [])).toSorted();
}
