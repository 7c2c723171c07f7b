/** ListOffsets: the ends of a partition, or the first record from a time on. OffsetForLeaderEpoch: here there is one epoch alone. */
import type { PartitionLog, TimedOffset } from '../log/partition-log.ts';
import { LEADER_EPOCH } from '../log/partition-log.ts';
import { operations } from '../parts.ts';
import type { Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import { mayTopic, type HandlerContext } from './context.ts';

/** Times that mean a place. */
const special = { latest: -1, earliest: -2, maxTimestamp: -3, earliestLocal: -4 } as const;

type PartitionResponse = Response<'ListOffsets'>['topics'][number]['partitions'][number];
const failed = (partitionIndex: number, errorCode: number): PartitionResponse => ({ partitionIndex, errorCode, oldStyleOffsets: [] });

const find = (log: PartitionLog, timestamp: number): TimedOffset | undefined => {
  switch (timestamp) {
    case special.latest:
      return { offset: log.endOffset, timestamp: -1 };
    case special.earliest:
    case special.earliestLocal:
      return { offset: log.startOffset, timestamp: -1 };
    case special.maxTimestamp:
      return log.latestTime();
    default:
      return log.offsetForTime(timestamp);
  }
};

export const listOffsetsHandler = (context: HandlerContext) =>
  handler({
    api: 'ListOffsets',
    versions: [0, 9],
    handle: ({ topics }, caller) => ({
      topics: topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex, timestamp }) => {
          if (!mayTopic(context, caller, operations.describe, name)) return failed(partitionIndex, errors.TOPIC_AUTHORIZATION_FAILED);
          const log = context.topics.get(name)?.log(partitionIndex);
          if (log === undefined) return failed(partitionIndex, errors.UNKNOWN_TOPIC_OR_PARTITION);
          if (timestamp < special.earliestLocal) return failed(partitionIndex, errors.UNSUPPORTED_VERSION);
          const found = find(log, timestamp);
          const { offset, timestamp: time } = found ?? { offset: -1, timestamp: -1 };
          return {
            partitionIndex,
            errorCode: errors.NONE,
            offset,
            timestamp: time,
            leaderEpoch: found ? LEADER_EPOCH : -1,
            oldStyleOffsets: found ? [offset] : [],
          };
        }),
      })),
    }),
  });

export const offsetForLeaderEpochHandler = (context: HandlerContext) =>
  handler({
    api: 'OffsetForLeaderEpoch',
    versions: [2, 4],
    handle: ({ topics }, caller) => ({
      topics: topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partition, leaderEpoch, currentLeaderEpoch }) => {
          if (!mayTopic(context, caller, operations.describe, topic)) return { partition, errorCode: errors.TOPIC_AUTHORIZATION_FAILED };
          const log = context.topics.get(topic)?.log(partition);
          if (log === undefined) return { partition, errorCode: errors.UNKNOWN_TOPIC_OR_PARTITION };
          if (currentLeaderEpoch > LEADER_EPOCH) return { partition, errorCode: errors.UNKNOWN_LEADER_EPOCH };
          const isKnown = leaderEpoch === LEADER_EPOCH;
          return { partition, errorCode: errors.NONE, leaderEpoch: isKnown ? LEADER_EPOCH : -1, endOffset: isKnown ? log.endOffset : -1 };
        }),
      })),
    }),
  });
