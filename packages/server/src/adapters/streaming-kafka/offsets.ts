/** Start and end offsets of partitions, and offsets by time, from the brokers that lead them. */
import { FetchIsolationLevels, describeLogDirsV4, listOffsetsV7, ListOffsetTimestamps } from '@platformatic/kafka';
import { mapLimited } from '#kernel/map-limited.ts';
import type { PartitionFigures } from '#ports/streaming.ts';
import type { KafkaCluster } from './cluster.ts';
import { failureOf, NO_ERROR, throwIfFailed } from './failures.ts';
import { topicsNamed, type MetadataTopic } from './topics.ts';

/** A partition and its leader, the only broker that answers for it. */
export interface LedPartition {
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
  readonly leader: number;
}
export const EARLIEST: bigint = ListOffsetTimestamps.EARLIEST;
export const LATEST: bigint = ListOffsetTimestamps.LATEST;
const CONSUMER = -1;
const LEADER_NOT_AVAILABLE = 5;

/** Returns the partitions with their leaders. Omits missing topics. Throws `unavailable` while a partition has no leader. */
export async function ledPartitions(cluster: KafkaCluster, names: readonly string[]): Promise<readonly LedPartition[]> {
  const topics = await topicsNamed(cluster, names);
  for (const { partitions } of topics.values())
    // The leader answers even if a replica is offline.
    for (const { leaderId, errorCode } of partitions) if (leaderId < 0) throwIfFailed(errorCode || LEADER_NOT_AVAILABLE, 'Metadata');
  return ledOf(topics);
}
/** Returns the partitions that have a leader, in order. */
export const ledOf = (topics: ReadonlyMap<string, MetadataTopic>): readonly LedPartition[] =>
  [...topics].flatMap(([topic, { topicId, partitions }]) =>
    partitions
      .flatMap(({ partitionIndex, leaderId }) => (leaderId < 0 ? [] : { topic, topicId, partition: partitionIndex, leader: leaderId }))
      .toSorted((one, other) => one.partition - other.partition),
  );

export const partitionKey = (topic: string, partition: number): string => `${topic}/${partition}`;

/**
 * Returns partition key → offset of the first message at or after the time, or undefined if there is none. With `isTolerant`, also
 * undefined if the leader cannot answer now.
 */
export async function offsetsAt(
  cluster: KafkaCluster,
  partitions: readonly LedPartition[],
  timestamp: bigint,
  { isTolerant = false } = {},
): Promise<ReadonlyMap<string, bigint | undefined>> {
  const found = new Map<string, bigint | undefined>();
  const leaders = Map.groupBy(partitions, ({ leader }) => leader);
  const ask = async ([leader, led]: [number, LedPartition[]]): Promise<void> => {
    const topics = [...Map.groupBy(led, ({ topic }) => topic)].map(([name, all]) => ({
      name,
      partitions: all.map(({ partition }) => ({ partitionIndex: partition, currentLeaderEpoch: -1, timestamp })),
    }));
    const isolation = FetchIsolationLevels.READ_COMMITTED;
    const answer = await cluster.askNode(leader, 'ListOffsets', listOffsetsV7.api, CONSUMER, isolation, topics);
    for (const topic of answer.topics)
      for (const { partitionIndex, errorCode, offset } of topic.partitions) {
        if (isTolerant && errorCode !== NO_ERROR) continue;
        throwIfFailed(errorCode, 'ListOffsets');
        found.set(partitionKey(topic.name, partitionIndex), offset < 0n ? undefined : offset);
      }
  };
  await mapLimited(leaders, ask);
  return found;
}

export const measureTopics = async (cluster: KafkaCluster, names: readonly string[]) =>
  measurePartitions(cluster, await ledPartitions(cluster, names));

/** Returns topic → measurements of its partitions. With `isTolerant`, omits partitions whose leader cannot answer now. */
export async function measurePartitions(
  cluster: KafkaCluster,
  partitions: readonly LedPartition[],
  options: { readonly isTolerant?: boolean } = {},
): Promise<ReadonlyMap<string, readonly PartitionFigures[]>> {
  const [first, next, sizes] = await Promise.all([
    offsetsAt(cluster, partitions, EARLIEST, options),
    offsetsAt(cluster, partitions, LATEST, options),
    sizesOf(cluster, partitions),
  ]);
  const measured = new Map<string, PartitionFigures[]>();
  for (const { topic, partition } of partitions) {
    const key = partitionKey(topic, partition);
    const [firstOffset, nextOffset] = [first.get(key), next.get(key)];
    const known = measured.get(topic) ?? [];
    if (firstOffset === undefined || nextOffset === undefined) continue;
    known.push({ partition, firstOffset, nextOffset, sizeBytes: sizes.get(key) });
    measured.set(topic, known);
  }
  return measured;
}

/** Returns the sizes of the leaders' replicas. Empty if the platform lacks the permission or a broker does not know them. */
async function sizesOf(cluster: KafkaCluster, partitions: readonly LedPartition[]): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  const ask = async ([leader, led]: [number, LedPartition[]]): Promise<void> => {
    const topics = [...Map.groupBy(led, ({ topic }) => topic)].map(([name, all]) => ({
      name,
      partitions: all.map(({ partition }) => partition),
    }));
    const answer = await cluster.askNode(leader, 'DescribeLogDirs', describeLogDirsV4.api, topics);
    if (failureOf(answer.errorCode, 'DescribeLogDirs')) return;
    for (const directory of answer.results)
      for (const topic of directory.topics)
        for (const { partitionIndex, partitionSize, isFutureKey } of topic.partitions)
          if (!isFutureKey) sizes.set(partitionKey(topic.name, partitionIndex), Number(partitionSize));
  };
  await mapLimited(
    Map.groupBy(partitions, ({ leader }) => leader),
    ask,
  );
  return sizes;
}
