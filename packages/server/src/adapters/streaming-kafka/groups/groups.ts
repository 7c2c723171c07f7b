/** Consumer groups: which there are, who is in them, and what they have committed. */
import { deleteGroupsV2, describeGroupsV5, listGroupsV4, offsetFetchV8, Reader } from '@platformatic/kafka';
import { mapLimited } from '#kernel/map-limited.ts';
import type { ConsumerGroup, ConsumerGroupMember } from '#ports/streaming.ts';
import type { KafkaCluster } from '../cluster.ts';
import { GROUP_NOT_FOUND, throwIfFailed } from '../failures.ts';

type Described = Awaited<ReturnType<typeof describeGroupsV5.api.async>>['groups'][number];

const CONSUMERS = 'consumer';
/** Of groups in one request. */
const AT_ONCE = 100;

export async function listGroups(cluster: KafkaCluster, prefix: string): Promise<readonly ConsumerGroup[]> {
  const { brokers } = await cluster.metadata([]);
  const answers = await mapLimited(brokers, ({ nodeId }) => cluster.askNode(nodeId, 'ListGroups', listGroupsV4.api, [], []));
  const groups = answers.flatMap((answer) => {
    throwIfFailed(answer.errorCode, 'ListGroups');
    return answer.groups.flatMap(({ groupId, groupState, protocolType }) =>
      // A group that only commits has no protocol.
      groupId.startsWith(prefix) && [CONSUMERS, ''].includes(protocolType) ? [{ group: groupId, state: groupState }] : [],
    );
  });
  return groups.toSorted((one, other) => (one.group < other.group ? -1 : 1));
}

/** A topic and those of its partitions that are asked for. */
export interface AskedTopic {
  readonly name: string;
  readonly partitionIndexes: number[];
}
/** What a group has to do with a topic. */
export interface GroupOnTopic extends ConsumerGroup {
  readonly members: readonly ConsumerGroupMember[];
  /** Partition → offset. */
  readonly committed: ReadonlyMap<number, bigint>;
}

/** Topic → groups with members or commits there. `asked`: of these topics alone; all of them where it is left out. */
export async function groupsByTopic(cluster: KafkaCluster, asked?: readonly AskedTopic[]): Promise<ReadonlyMap<string, GroupOnTopic[]>> {
  const groups = await listGroups(cluster, '');
  const nodes = await cluster.coordinators(groups.map(({ group }) => group));
  const [described, committed] = await Promise.all([describeGroups(cluster, nodes), committedOffsets(cluster, nodes, asked)]);
  const found = new Map<string, GroupOnTopic[]>();
  for (const { group, state } of groups) {
    const about = described.get(group);
    const members = membersByTopic(about);
    const offsets = committed.get(group) ?? new Map<string, ReadonlyMap<number, bigint>>();
    for (const topic of new Set([...members.keys(), ...offsets.keys()])) {
      const one = {
        group,
        state: about?.groupState ?? state,
        members: members.get(topic) ?? [],
        committed: offsets.get(topic) ?? new Map(),
      };
      const known = found.get(topic);
      if (known) known.push(one);
      else found.set(topic, [one]);
    }
  }
  return found;
}

type Nodes = Awaited<ReturnType<KafkaCluster['coordinators']>>;

async function describeGroups(cluster: KafkaCluster, nodes: Nodes): Promise<ReadonlyMap<string, Described>> {
  const described = new Map<string, Described>();
  for (const [node, groups] of nodes)
    for (const some of chunks(groups)) {
      const answer = await cluster.askNode(node, 'DescribeGroups', describeGroupsV5.api, some, false);
      for (const group of answer.groups) {
        // Of the newer protocol (KIP-848), or gone in between.
        if (group.errorCode === GROUP_NOT_FOUND) continue;
        throwIfFailed(group.errorCode, 'DescribeGroups');
        described.set(group.groupId, group);
      }
    }
  return described;
}

type Committed = ReadonlyMap<string, ReadonlyMap<number, bigint>>;
/** Group → topic → partition → offset. */
async function committedOffsets(
  cluster: KafkaCluster,
  nodes: Nodes,
  asked: readonly AskedTopic[] | undefined,
): Promise<ReadonlyMap<string, Committed>> {
  const committed = new Map<string, Committed>();
  // Null is all of them.
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

function* chunks(names: readonly string[]): Generator<string[]> {
  for (let first = 0; first < names.length; first += AT_ONCE) yield names.slice(first, first + AT_ONCE);
}

function membersByTopic(group: Described | undefined): ReadonlyMap<string, readonly ConsumerGroupMember[]> {
  const members = (group?.members ?? []).flatMap(({ memberId, clientId, clientHost, memberAssignment }) =>
    assignedOf(memberAssignment).map(({ name, partitions }) => ({
      topic: name,
      // Kafka writes the address as Java does.
      member: { memberId, clientId, host: clientHost.replace(/^\//, ''), partitions },
    })),
  );
  const byTopic = Map.groupBy(members, ({ topic }) => topic);
  return new Map([...byTopic].map(([topic, all]) => [topic, all.map(({ member }) => member)]));
}

/** What a client's leader wrote: a version, then topics with their partitions. Whatever else stands there says nothing. */
function assignedOf(assignment: Buffer): readonly { readonly name: string; readonly partitions: readonly number[] }[] {
  if (assignment.length === 0) return [];
  try {
    const reader = Reader.from(assignment);
    reader.readInt16();
    const topics = reader.readArray(
      (r) => ({ name: r.readString(false), partitions: r.readArray((one) => one.readInt32(), false, false) }),
      false,
      false,
    );
    return topics.filter(({ partitions }) => partitions.length > 0);
  } catch {
    return [];
  }
}

export async function deleteGroup(cluster: KafkaCluster, group: string): Promise<void> {
  for (const node of (await cluster.coordinators([group])).keys()) {
    const { results } = await cluster.askNode(node, 'DeleteGroups', deleteGroupsV2.api, [group]);
    for (const { errorCode } of results) if (errorCode !== GROUP_NOT_FOUND) throwIfFailed(errorCode, 'DeleteGroups');
  }
}
