/** When the messages that groups wait for were written: many partitions in one request, and of each the first message alone. */
import type { KafkaCluster } from '../cluster.ts';
import { fetchMessages } from '../messages/fetch.ts';
import type { LedPartition } from '../offsets.ts';

/** Where a group stands in a partition. */
export interface Position {
  readonly led: LedPartition;
  readonly committedOffset: bigint | undefined;
  readonly nextOffset: bigint;
  readonly lag: bigint;
}
/** Of partitions in one request. */
const AT_ONCE = 100;
/** Most batches fit; one that does not is given whole where it is the first of an answer. */
const PARTITION_BYTES = 16 * 1024;
const ANSWER_BYTES = 1024 * 1024;
const WAIT_MS = 100;

export const positionKey = ({ led, committedOffset }: Position): string => `${led.topicId}/${led.partition}@${committedOffset}`;

/** Position → when the message there was written. What cannot be read now has none. */
export async function waitingSince(cluster: KafkaCluster, positions: readonly Position[]): Promise<ReadonlyMap<string, Date>> {
  const since = new Map<string, Date>();
  const waiting = new Map(positions.map((one) => [positionKey(one), one]));
  for (const [leader, led] of Map.groupBy(waiting.values(), ({ led: { leader: node } }) => node)) {
    for (let left: readonly Position[] = led; left.length > 0;) {
      const asked = onePerPartition(left).slice(0, AT_ONCE);
      const found = await firstMessages(cluster, leader, asked);
      for (const [key, at] of found) since.set(key, at);
      // Where nothing came, nothing will: the first that has something is always answered.
      const done = found.size === 0 ? new Set(asked.map(positionKey)) : found;
      left = left.filter((one) => !done.has(positionKey(one)));
    }
  }
  return since;
}

/** Two groups may stand at different places of one partition, which a request asks once. */
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
