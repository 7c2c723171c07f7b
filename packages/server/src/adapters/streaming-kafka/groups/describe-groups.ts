/**
 * Members of groups, by topic. A broker describes groups of the classic protocol and of the newer one (KIP-848) in separate requests. The
 * classic request reports a group of the newer protocol as dead.
 */
import { apiVersionsV3, consumerGroupDescribeV0, describeGroupsV5, Reader } from '@platformatic/kafka';
import type { ConsumerGroup, ConsumerGroupMember } from '#ports/streaming.ts';
import { CLIENT_ID, type KafkaCluster } from '../cluster.ts';
import { GROUP_NOT_FOUND, throwIfFailed } from '../failures.ts';

export type Nodes = Awaited<ReturnType<KafkaCluster['coordinators']>>;
export interface DescribedGroup {
  readonly state: string;
  /** Topic → members that read the topic. */
  readonly members: ReadonlyMap<string, readonly ConsumerGroupMember[]>;
}
type Assigned = ReadonlyMap<string, readonly number[]>;
interface Member extends Omit<ConsumerGroupMember, 'partitions'> {
  readonly assigned: Assigned;
}

const DEAD = 'Dead';
const CONSUMER_GROUP_DESCRIBE = 69;
/** Groups per request. */
const AT_ONCE = 100;

/** Returns group → its members. Omits groups that no request describes. `listed` contains all existing groups. */
export async function describeGroups(
  cluster: KafkaCluster,
  nodes: Nodes,
  listed: readonly ConsumerGroup[],
): Promise<ReadonlyMap<string, DescribedGroup>> {
  const described = new Map<string, DescribedGroup>();
  const alive = new Set(listed.filter(({ state }) => state !== DEAD).map(({ group }) => group));
  for (const [node, groups] of nodes) {
    for (const some of chunks(groups)) for (const [group, about] of await describeClassic(cluster, node, some)) described.set(group, about);
    const newer = groups.filter((group) => alive.has(group) && (described.get(group)?.state ?? DEAD) === DEAD);
    for (const group of newer) described.delete(group);
    if (newer.length === 0 || !(await describesNewer(cluster, node))) continue;
    for (const some of chunks(newer)) for (const [group, about] of await describeNewer(cluster, node, some)) described.set(group, about);
  }
  return described;
}

export function* chunks(names: readonly string[]): Generator<string[]> {
  for (let first = 0; first < names.length; first += AT_ONCE) yield names.slice(first, first + AT_ONCE);
}

async function describeClassic(cluster: KafkaCluster, node: number, names: string[]): Promise<[string, DescribedGroup][]> {
  const { groups } = await cluster.askNode(node, 'DescribeGroups', describeGroupsV5.api, names, false);
  return groups.flatMap(({ errorCode, groupId, groupState, members }) => {
    if (errorCode === GROUP_NOT_FOUND) return [];
    throwIfFailed(errorCode, 'DescribeGroups');
    const known = members.map((member) => ({ ...clientOf(member), assigned: assignedBy(member.memberAssignment) }));
    return [[groupId, { state: groupState, members: byTopic(known) }]];
  });
}

/** A member that subscribes to a topic counts as a reader, even before it has a partition of the topic. */
async function describeNewer(cluster: KafkaCluster, node: number, names: string[]): Promise<[string, DescribedGroup][]> {
  const { groups } = await cluster.askNode(node, 'ConsumerGroupDescribe', consumerGroupDescribeV0.api, names, false);
  return groups.flatMap(({ errorCode, errorMessage, groupId, groupState, members }) => {
    // A group of neither protocol, or one that was deleted in the meantime.
    if (errorCode === GROUP_NOT_FOUND) return [];
    throwIfFailed(errorCode, 'ConsumerGroupDescribe', errorMessage);
    const known = members.map(({ subscribedTopicNames, assignment, targetAssignment, ...member }) => ({
      ...clientOf(member),
      assigned: new Map([
        ...subscribedTopicNames.map((topic): [string, number[]] => [topic, []]),
        ...[targetAssignment, assignment].flatMap(({ topicPartitions }) =>
          topicPartitions.map(({ topicName, partitions }): [string, number[]] => [topicName, partitions]),
        ),
      ]),
    }));
    return [[groupId, { state: groupState, members: byTopic(known) }]];
  });
}

/** Checks for support first: a broker closes the connection on an unsupported request. */
async function describesNewer(cluster: KafkaCluster, node: number): Promise<boolean> {
  const { apiKeys } = await cluster.askNode(node, 'ApiVersions', apiVersionsV3.api, CLIENT_ID, '1');
  return apiKeys.some(({ apiKey, minVersion }) => apiKey === CONSUMER_GROUP_DESCRIBE && minVersion === 0);
}

/** Strips the formatting of Java's addresses. */
const clientOf = ({ memberId, clientId, clientHost }: { memberId: string; clientId: string; clientHost: string }) => ({
  memberId,
  clientId,
  host: clientHost.replace(/^\//, ''),
});

function byTopic(members: readonly Member[]): DescribedGroup['members'] {
  const found = members.flatMap(({ assigned, ...member }) =>
    [...assigned].map(([topic, partitions]) => ({ topic, member: { ...member, partitions } })),
  );
  return new Map([...Map.groupBy(found, ({ topic }) => topic)].map(([topic, all]) => [topic, all.map(({ member }) => member)]));
}

/**
 * Parses an assignment that a client's leader wrote: a version, then topics with their partitions. Returns nothing for any other content.
 */
function assignedBy(assignment: Buffer): Assigned {
  if (assignment.length === 0) return new Map();
  try {
    const reader = Reader.from(assignment);
    reader.readInt16();
    const topics = reader.readArray(
      (r): [string, number[]] => [r.readString(false), r.readArray((one) => one.readInt32(), false, false)],
      false,
      false,
    );
    return new Map(topics.filter(([, partitions]) => partitions.length > 0));
  } catch {
    return new Map();
  }
}
