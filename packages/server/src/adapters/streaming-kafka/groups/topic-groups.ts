/** Computes the lag of a topic's groups, in messages and in time. */
import type { GroupPartition, PartitionFigures, TopicGroup } from '#ports/streaming.ts';
import type { KafkaCluster } from '../cluster.ts';
import { EARLIEST, LATEST, ledPartitions, offsetsAt, partitionKey, type LedPartition } from '../offsets.ts';
import { groupsByTopic, type GroupOnTopic } from './groups.ts';
import { positionKey, waitingSince, type Position } from './waiting.ts';

/** Maximum number of partitions whose oldest unread message is fetched, largest lag first. */
const MOST_LOOKED_AT = 50;

export async function groupsOfTopic(cluster: KafkaCluster, topic: string): Promise<readonly TopicGroup[]> {
  const led = await ledPartitions(cluster, [topic]);
  if (led.length === 0) return [];
  const [groups, firsts, ends] = await Promise.all([
    groupsByTopic(cluster, [{ name: topic, partitionIndexes: led.map(({ partition }) => partition) }]),
    offsetsAt(cluster, led, EARLIEST),
    offsetsAt(cluster, led, LATEST),
  ]);
  const rangeOf = (partition: number): OffsetRange => {
    const key = partitionKey(topic, partition);
    return { firstOffset: firsts.get(key) ?? 0n, nextOffset: ends.get(key) ?? 0n };
  };
  const placed = placedGroups(groups.get(topic) ?? [], led, rangeOf);
  const since = await waitingSince(cluster, furthestBehind(placed, MOST_LOOKED_AT));
  return placed.map((group) => withLag(group, since));
}

/** A group with its position in each partition. */
export interface PlacedGroup extends Omit<GroupOnTopic, 'committed'> {
  readonly positions: readonly Position[];
}

export type OffsetRange = Pick<PartitionFigures, 'firstOffset' | 'nextOffset'>;

/**
 * If a group has committed nothing, its lag counts from the first message. Only its clients know whether it will start there or at the
 * end.
 */
export const placedGroups = (
  groups: readonly GroupOnTopic[],
  led: readonly LedPartition[],
  rangeOf: (partition: number) => OffsetRange,
): PlacedGroup[] =>
  groups.map(({ committed, ...group }) => {
    const positions = led.map((one): Position => {
      const { firstOffset, nextOffset } = rangeOf(one.partition);
      const committedOffset = committed.get(one.partition);
      const from = committedOffset ?? firstOffset;
      return { led: one, committedOffset, nextOffset, lag: from < nextOffset ? nextOffset - from : 0n };
    });
    return { ...group, positions };
  });

/** Returns the positions with the largest lag. Omits partitions without a commit: nobody knows since when those groups wait. */
export const furthestBehind = (groups: readonly PlacedGroup[], most: number): readonly Position[] =>
  groups
    .flatMap(({ positions }) => positions)
    .filter(({ committedOffset, lag }) => committedOffset !== undefined && lag > 0n)
    .toSorted((one, other) => Number(other.lag - one.lag))
    .slice(0, most);

export function withLag({ positions, ...group }: PlacedGroup, since: ReadonlyMap<string, Date>): TopicGroup {
  const partitions = positions.map((one): GroupPartition => ({
    partition: one.led.partition,
    committedOffset: one.committedOffset,
    nextOffset: one.nextOffset,
    lag: one.lag,
    waitingSince: since.get(positionKey(one)),
  }));
  const times = partitions.flatMap(({ waitingSince: at }) => at?.getTime() ?? []);
  return {
    ...group,
    partitions,
    lag: partitions.reduce((sum, { lag }) => sum + lag, 0n),
    waitingSince: times.length > 0 ? new Date(Math.min(...times)) : undefined,
  };
}
