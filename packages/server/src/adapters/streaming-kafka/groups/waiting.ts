/**
 * Finds when the oldest unread messages of groups were written. One request covers many partitions and reads only the first message of
 * each.
 */
import type { KafkaCluster } from '../cluster.ts';
import { fetchMessages } from '../messages/fetch.ts';
import type { LedPartition } from '../offsets.ts';

/** A group's position in a partition. */
export interface Position {
  readonly led: LedPartition;
  readonly committedOffset: bigint | undefined;
  readonly nextOffset: bigint;
  readonly lag: bigint;
}
/** Partitions per request. */
const AT_ONCE = 100;
/** Most batches fit. Brokers return a larger batch whole if it is the first of an answer. */
const PARTITION_BYTES = 16 * 1024;
const ANSWER_BYTES = 1024 * 1024;
const WAIT_MS = 100;

export const positionKey = ({ led, committedOffset }: Position): string => `${led.topicId}/${led.partition}@${committedOffset}`;

/** Returns position → when the message there was written. Omits messages that cannot be read now. */
export async function waitingSince(cluster: KafkaCluster, positions: readonly Position[]): Promise<ReadonlyMap<string, Date>> {
  const since = new Map<string, Date>();
  const waiting = new Map(positions.map((one) => [positionKey(one), one]));
  for (const [leader, led] of Map.groupBy(waiting.values(), ({ led: { leader: node } }) => node)) {
    for (let left: readonly Position[] = led; left.length > 0;) {
      const asked = onePerPartition(left).slice(0, AT_ONCE);
      const found = await firstMessages(cluster, leader, asked);
      for (const [key, at] of found) since.set(key, at);
      // If nothing came, nothing will: a broker always returns the first partition that has data.
      const done = found.size === 0 ? new Set(asked.map(positionKey)) : found;
      left = left.filter((one) => !done.has(positionKey(one)));
    }
  }
  return since;
}

/** Two groups may have different positions in one partition, but a request can name each partition only once. */
const onePerPartition = (positions: readonly Position[]): Position[] => [
  ...new Map(positions.map((one) => [`${one.led.topicId}/${one.led.partition}`, one])).values(),
];

async function firstMessages(cluster: KafkaCluster, leader: number, positions: readonly Position[]): Promise<ReadonlyMap<string, Date>> {
  const asked = positions.map(({ led: { topicId, partition }, committedOffset = 0n }) => ({ topicId, partition, offset: committedOffset }));
  const limits = { maxBytes: ANSWER_BYTES, partitionBytes: PARTITION_BYTES, maxWaitMs: WAIT_MS, mostMessages: 1 };
  const fetched = await cluster.read(leader, (connection) => fetchMessages(connection, asked, limits));
  const found = new Map<string, Date>();
  for (const { topicId, partition, messages } of fetched) {
    const position = positions.find(({ led }) => led.topicId === topicId && led.partition === partition);
    if (position && messages[0]) found.set(positionKey(position), messages[0].timestamp);
  }
  return found;
}
