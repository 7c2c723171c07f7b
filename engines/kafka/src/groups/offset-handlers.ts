/**
 * OffsetCommit, OffsetFetch and OffsetDelete. Each checks the right on the group first (READ, DESCRIBE, DELETE), then on every topic. A
 * topic that the caller may not see is refused, whether it exists or not.
 */
import { operations, resourceTypes, type AnyHandler, type Authorizer, type Caller, type TopicDirectory } from '../parts.ts';
import type { Request, Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import type { Committing } from './committing.ts';
import type { Coordinator } from './coordinator.ts';
import type { Commit, GroupOffsets, Place } from './offset-table.ts';

export interface OffsetParts {
  readonly coordinator: Coordinator;
  readonly committing: Committing;
  readonly topics: TopicDirectory;
  readonly authorizer: Authorizer;
  readonly now: () => number;
}
type FetchGroup = Pick<Request<'OffsetFetch'>['groups'][number], 'groupId' | 'topics'>;
type FetchedGroup = Response<'OffsetFetch'>['groups'][number];
type FetchedPartition = FetchedGroup['topics'][number]['partitions'][number];
interface AskedTopic {
  readonly name: string;
  readonly partitions: readonly { readonly partitionIndex: number }[];
}

const MAX_METADATA_LENGTH = 4096;
/** Since this version of OffsetFetch, the answer has a top-level error code. Before, the partitions carry it. */
const CODE_SINCE = 2;
const GROUPS_SINCE = 8;

/** Returns an error code if the offset may not be committed. Checks the right first, so that unauthorized callers learn nothing. */
const placeFault = ({ authorizer, topics }: OffsetParts, caller: Caller, { topic, partition }: Place): number => {
  if (!authorizer.may(caller, operations.read, resourceTypes.topic, topic)) return errors.TOPIC_AUTHORIZATION_FAILED;
  const count = topics.partitionCount(topic);
  return count === undefined || partition < 0 || partition >= count ? errors.UNKNOWN_TOPIC_OR_PARTITION : errors.NONE;
};

/** Returns a code for each partition, in the order of the request. */
const answered = (asked: readonly AskedTopic[], codes: readonly number[]) => {
  const next = codes.values();
  return asked.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode: next.next().value ?? errors.NONE })),
  }));
};

const commit = async (parts: OffsetParts, request: Request<'OffsetCommit'>, caller: Caller): Promise<Response<'OffsetCommit'>> => {
  const { authorizer, committing, now } = parts;
  const expiresAt = request.retentionTimeMs < 0 ? undefined : now() + request.retentionTimeMs;
  const wanted = request.topics.flatMap(({ name: topic, partitions }) =>
    partitions.map((one) => ({
      topic,
      partition: one.partitionIndex,
      offset: one.committedOffset,
      leaderEpoch: one.committedLeaderEpoch,
      metadata: one.committedMetadata ?? '',
      expiresAt,
    })),
  );
  const answer = (codes: readonly number[]) => ({ throttleTimeMs: 0, topics: answered(request.topics, codes) });
  if (!authorizer.may(caller, operations.read, resourceTypes.group, request.groupId)) {
    return answer(wanted.map(() => errors.GROUP_AUTHORIZATION_FAILED));
  }
  const faults = wanted.map((one) => {
    const fault = placeFault(parts, caller, one);
    return fault === errors.NONE && one.metadata.length > MAX_METADATA_LENGTH ? errors.OFFSET_METADATA_TOO_LARGE : fault;
  });
  const good = wanted.filter((_, index) => faults[index] === errors.NONE);
  if (good.length === 0) return answer(faults);
  const refused = committing.check(request, caller.version) ?? (await committing.commit(request.groupId, good));
  return answer(faults.map((fault) => (fault === errors.NONE ? refused : fault)));
};

const noCommit = (partitionIndex: number, errorCode: number): FetchedPartition => ({
  partitionIndex,
  committedOffset: -1,
  committedLeaderEpoch: -1,
  metadata: '',
  errorCode,
});
const fetchPartition = (partitionIndex: number, found: Commit | undefined): FetchedPartition =>
  found === undefined
    ? noCommit(partitionIndex, errors.NONE)
    : {
        partitionIndex,
        committedOffset: found.offset,
        committedLeaderEpoch: found.leaderEpoch,
        metadata: found.metadata,
        errorCode: errors.NONE,
      };

const fetchAll = (offsets: GroupOffsets, maySee: (topic: string) => boolean): FetchedGroup['topics'] =>
  [...offsets]
    .filter(([name]) => maySee(name))
    .map(([name, partitions]) => ({ name, partitions: [...partitions].map(([partition, found]) => fetchPartition(partition, found)) }));

const fetchGroup = ({ authorizer, committing }: OffsetParts, { groupId, topics }: FetchGroup, caller: Caller): FetchedGroup => {
  if (!authorizer.may(caller, operations.describe, resourceTypes.group, groupId)) {
    return { groupId, errorCode: errors.GROUP_AUTHORIZATION_FAILED, topics: [] };
  }
  const offsets = committing.offsets(groupId);
  const maySee = (topic: string): boolean => authorizer.may(caller, operations.describe, resourceTypes.topic, topic);
  if (topics === null) return { groupId, errorCode: errors.NONE, topics: fetchAll(offsets, maySee) };
  const found = topics.map(({ name, partitionIndexes }) => {
    const isSeen = maySee(name);
    const partitions = partitionIndexes.map((partition) =>
      isSeen ? fetchPartition(partition, offsets.get(name)?.get(partition)) : noCommit(partition, errors.TOPIC_AUTHORIZATION_FAILED),
    );
    return { name, partitions };
  });
  return { groupId, errorCode: errors.NONE, topics: found };
};

const fetch = (parts: OffsetParts, request: Request<'OffsetFetch'>, caller: Caller): Response<'OffsetFetch'> => {
  const none = { throttleTimeMs: 0, topics: [], groups: [] };
  if (caller.version >= GROUPS_SINCE) return { ...none, groups: request.groups.map((group) => fetchGroup(parts, group, caller)) };
  const { topics, errorCode = errors.NONE } = fetchGroup(parts, request, caller);
  if (errorCode === errors.NONE || caller.version >= CODE_SINCE) return { ...none, topics, errorCode };
  const refused = (request.topics ?? []).map(({ name, partitionIndexes }) => ({
    name,
    partitions: partitionIndexes.map((partition) => noCommit(partition, errorCode)),
  }));
  return { ...none, topics: refused };
};

const remove = async (parts: OffsetParts, request: Request<'OffsetDelete'>, caller: Caller): Promise<Response<'OffsetDelete'>> => {
  const { authorizer, committing, coordinator } = parts;
  const refuse = (errorCode: number) => ({ throttleTimeMs: 0, errorCode, topics: [] });
  if (!authorizer.may(caller, operations.delete, resourceTypes.group, request.groupId)) return refuse(errors.GROUP_AUTHORIZATION_FAILED);
  const group = coordinator.find(request.groupId);
  if (group === undefined) return refuse(errors.GROUP_ID_NOT_FOUND);
  // The subscriptions of programs other than consumers are unknown.
  if (group.state !== 'Empty' && !group.isConsumers) return refuse(errors.NON_EMPTY_GROUP);
  const places = request.topics.flatMap(({ name: topic, partitions }) =>
    partitions.map((one) => ({ topic, partition: one.partitionIndex })),
  );
  const faults = places.map((place) => {
    const fault = placeFault(parts, caller, place);
    return fault === errors.NONE && group.isSubscribedTo(place.topic) ? errors.GROUP_SUBSCRIBED_TO_TOPIC : fault;
  });
  const failed = await committing.deleteOffsets(
    request.groupId,
    places.filter((_, index) => faults[index] === errors.NONE),
  );
  return { throttleTimeMs: 0, errorCode: failed, topics: answered(request.topics, faults) };
};

export const offsetHandlers = (parts: OffsetParts): readonly AnyHandler[] => [
  handler({ api: 'OffsetCommit', versions: [2, 9], handle: (request, caller) => commit(parts, request, caller) }),
  handler({ api: 'OffsetFetch', versions: [1, 9], handle: (request, caller) => fetch(parts, request, caller) }),
  handler({ api: 'OffsetDelete', versions: [0, 0], handle: (request, caller) => remove(parts, request, caller) }),
];
