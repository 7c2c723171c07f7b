/** Lists consumer groups, their members and their committed offsets. */
import { deleteGroupsV2, listGroupsV4, offsetFetchV8 } from '@platformatic/kafka';
import { mapLimited } from '#kernel/map-limited.ts';
import type { ConsumerGroup, ConsumerGroupMember } from '#ports/streaming.ts';
import type { KafkaCluster } from '../cluster.ts';
import { GROUP_NOT_FOUND, throwIfFailed } from '../failures.ts';
import { chunks, describeGroups, type Nodes } from './describe-groups.ts';

/** Protocol types of groups that read topics. A group that only commits has none; Kafka Streams has a type of its own since Kafka 4.2. */
const READERS = ['consumer', 'streams', ''];
const EMPTY = 'Empty';

export async function listGroups(cluster: KafkaCluster, prefix: string): Promise<readonly ConsumerGroup[]> {
  const { brokers } = await cluster.metadata([]);
  const answers = await mapLimited(brokers, ({ nodeId }) => cluster.askNode(nodeId, 'ListGroups', listGroupsV4.api, [], []));
  const groups = answers.flatMap((answer) => {
    throwIfFailed(answer.errorCode, 'ListGroups');
    return answer.groups.flatMap(({ groupId, groupState, protocolType }) =>
      groupId.startsWith(prefix) && READERS.includes(protocolType) ? [{ group: groupId, state: groupState }] : [],
    );
  });
  return groups.toSorted((one, other) => (one.group < other.group ? -1 : 1));
}

/** A topic and the partitions to query. */
export interface AskedTopic {
  readonly name: string;
  readonly partitionIndexes: number[];
}
/** A group's members and committed offsets on a topic. */
export interface GroupOnTopic extends ConsumerGroup {
  readonly members: readonly ConsumerGroupMember[] | undefined;
  /** Partition → offset. */
  readonly committed: ReadonlyMap<number, bigint>;
}

/** Returns topic → groups with members or commits there. `asked` restricts the topics and defaults to all. */
export async function groupsByTopic(cluster: KafkaCluster, asked?: readonly AskedTopic[]): Promise<ReadonlyMap<string, GroupOnTopic[]>> {
  const groups = await listGroups(cluster, '');
  const nodes = await cluster.coordinators(groups.map(({ group }) => group));
  const [described, committed] = await Promise.all([describeGroups(cluster, nodes, groups), committedOffsets(cluster, nodes, asked)]);
  const found = new Map<string, GroupOnTopic[]>();
  for (const { group, state } of groups) {
    const about = described.get(group);
    const offsets = committed.get(group) ?? new Map<string, ReadonlyMap<number, bigint>>();
    for (const topic of new Set([...(about?.members.keys() ?? []), ...offsets.keys()])) {
      // A group with members that the broker does not describe still has members.
      const members = about?.members.get(topic) ?? (about || state === EMPTY ? [] : undefined);
      const one = { group, state: about?.state ?? state, members, committed: offsets.get(topic) ?? new Map() };
      const known = found.get(topic);
      if (known) known.push(one);
      else found.set(topic, [one]);
    }
  }
  return found;
}

type Committed = ReadonlyMap<string, ReadonlyMap<number, bigint>>;
/** Group → topic → partition → offset. */
async function committedOffsets(
  cluster: KafkaCluster,
  nodes: Nodes,
  asked: readonly AskedTopic[] | undefined,
): Promise<ReadonlyMap<string, Committed>> {
  const committed = new Map<string, Committed>();
  // Null selects all topics.
  const topics = asked ? [...asked] : null;
  for (const [node, groups] of nodes)
    for (const some of chunks(groups)) {
      const wanted = some.map((groupId) => ({ groupId, memberEpoch: -1, topics }));
      const answer = await cluster.askNode(node, 'OffsetFetch', offsetFetchV8.api, wanted, false);
      for (const group of answer.groups) {
        if (group.errorCode === GROUP_NOT_FOUND) continue;
        throwIfFailed(group.errorCode, 'OffsetFetch');
        const offsets = group.topics.map(({ name, partitions }) => {
          const known = partitions.flatMap(({ partitionIndex, committedOffset }): [number, bigint][] =>
            committedOffset < 0n ? [] : [[partitionIndex, committedOffset]],
          );
          return [name, new Map(known)] as const;
        });
        committed.set(group.groupId, new Map(offsets.filter(([, known]) => known.size > 0)));
      }
    }
  return committed;
}

export async function deleteGroup(cluster: KafkaCluster, group: string): Promise<void> {
  for (const node of (await cluster.coordinators([group])).keys()) {
    const { results } = await cluster.askNode(node, 'DeleteGroups', deleteGroupsV2.api, [group]);
    for (const { errorCode } of results) if (errorCode !== GROUP_NOT_FOUND) throwIfFailed(errorCode, 'DeleteGroups');
  }
}
