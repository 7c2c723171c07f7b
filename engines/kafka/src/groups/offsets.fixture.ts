/** The groups of an environment with two topics, and offset requests. */
import { ask, callerNamed, contextFor } from '../access/access.fixture.ts';
import type { Authorizer, Caller, Groups, TopicDirectory } from '../parts.ts';
import type { Api, Request, Response } from '../protocol/apis.ts';
import { startGroups } from './start-groups.ts';

export const everything: Authorizer = { may: () => true, mayOnAny: () => true };

/** Topics that tests create and delete. */
export const someTopics = (partitions: Record<string, number>) => {
  const topics = new Map(Object.entries(partitions));
  const listeners: ((topic: string) => void)[] = [];
  const directory: TopicDirectory = {
    partitionCount: (topic) => topics.get(topic),
    topicId: () => undefined,
    topicName: () => undefined,
    names: () => topics.keys(),
    onDeleted: (listener) => void listeners.push(listener),
  };
  return {
    directory,
    delete(topic: string) {
      topics.delete(topic);
      for (const listener of listeners) listener(topic);
    },
  };
};

export const openGroups = (directory: string, topics: TopicDirectory, authorizer: Authorizer = everything): Promise<Groups> =>
  startGroups(contextFor(directory, topics), authorizer);

export const askGroups = <A extends Api>(
  groups: Groups,
  api: A,
  request: Request<A>,
  version: number,
  caller: Partial<Caller> = {},
): Promise<Response<A>> => ask(groups.handlers, api, request, callerNamed('berth.reader', { version, ...caller }));

export interface CommitOptions {
  readonly version?: number;
  readonly generation?: number;
  readonly memberId?: string;
  readonly metadata?: string | null;
  readonly retentionTimeMs?: number;
}

/** Returns the error codes, by partition. */
export const commitTo = async (
  groups: Groups,
  groupId: string,
  topic: string,
  offsets: Record<number, number>,
  options: CommitOptions = {},
) => {
  const { version = 9, generation = -1, memberId = '', metadata = '', retentionTimeMs = -1 } = options;
  const partitions = Object.entries(offsets).map(([partition, committedOffset]) => ({
    partitionIndex: Number(partition),
    committedOffset,
    committedLeaderEpoch: -1,
    commitTimestamp: -1,
    committedMetadata: metadata,
  }));
  const request = {
    groupId,
    generationIdOrMemberEpoch: generation,
    memberId,
    groupInstanceId: null,
    retentionTimeMs,
    topics: [{ name: topic, partitions }],
  };
  const { topics } = await askGroups(groups, 'OffsetCommit', request, version);
  return topics.flatMap((one) => one.partitions.map(({ errorCode }) => errorCode));
};

export const fetchRequest = (groupId: string, topics: Record<string, number[]> | null): Request<'OffsetFetch'> => {
  const asked = topics === null ? null : Object.entries(topics).map(([name, partitionIndexes]) => ({ name, partitionIndexes }));
  return {
    groupId,
    topics: asked,
    groups: [{ groupId, memberId: null, memberEpoch: -1, topics: asked }],
    requireStable: false,
  };
};

/** Returns `topic/partition` → offset. */
export const offsetsOf = async (
  groups: Groups,
  groupId: string,
  topics: Record<string, number[]> | null = null,
): Promise<Record<string, number>> => {
  const { groups: found } = await askGroups(groups, 'OffsetFetch', fetchRequest(groupId, topics), 8);
  const places = found.flatMap((group) =>
    group.topics.flatMap(({ name, partitions }) =>
      partitions.map((one) => [`${name}/${one.partitionIndex}`, one.committedOffset] as const),
    ),
  );
  return Object.fromEntries(places);
};
