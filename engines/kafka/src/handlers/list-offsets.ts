/** ListOffsets: the start and end of a partition, or the first record from a time on. OffsetForLeaderEpoch: there is only one epoch. */
import type { PartitionLog, TimedOffset } from '../log/partition-log.ts';
import { LEADER_EPOCH } from '../log/partition-log.ts';
import { TooMuchWaiting } from '../log/records/turns.ts';
import { operations, type Caller } from '../parts.ts';
import type { Request, Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import { mayTopic, type HandlerContext } from './context.ts';
import { repeated } from './outcome.ts';

/** Special timestamps that select a position. */
const special = { latest: -1, earliest: -2, maxTimestamp: -3, earliestLocal: -4 } as const;

type PartitionResponse = Response<'ListOffsets'>['topics'][number]['partitions'][number];
const failed = (partitionIndex: number, errorCode: number): PartitionResponse => ({ partitionIndex, errorCode, oldStyleOffsets: [] });

const find = async (log: PartitionLog, timestamp: number, principal: string): Promise<TimedOffset | undefined> => {
  switch (timestamp) {
    case special.latest:
      return { offset: log.endOffset, timestamp: -1 };
    case special.earliest:
    case special.earliestLocal:
      return { offset: log.startOffset, timestamp: -1 };
    case special.maxTimestamp:
      return log.latestTime(principal);
    default:
      return log.offsetForTime(timestamp, principal);
  }
};

export const listOffsetsHandler = (context: HandlerContext) =>
  handler({
    api: 'ListOffsets',
    versions: [0, 9],
    async handle({ topics }, caller) {
      const answered: Response<'ListOffsets'>['topics'][number][] = [];
      for (const { name, partitions } of topics) {
        const twice = repeated(partitions.map(({ partitionIndex }) => partitionIndex));
        const answers: PartitionResponse[] = [];
        // Sequential: finding a time may need a whole batch.
        for (const asked of partitions) {
          if (caller.closed.aborted) break;
          answers.push(
            twice.has(asked.partitionIndex)
              ? failed(asked.partitionIndex, errors.INVALID_REQUEST)
              : await listPartition(context, caller, name, asked),
          );
        }
        answered.push({ name, partitions: answers });
      }
      return { topics: answered };
    },
  });

const listPartition = async (
  context: HandlerContext,
  caller: Caller,
  name: string,
  { partitionIndex, timestamp }: Request<'ListOffsets'>['topics'][number]['partitions'][number],
): Promise<PartitionResponse> => {
  if (!mayTopic(context, caller, operations.describe, name)) return failed(partitionIndex, errors.TOPIC_AUTHORIZATION_FAILED);
  const log = context.topics.get(name)?.log(partitionIndex);
  if (log === undefined) return failed(partitionIndex, errors.UNKNOWN_TOPIC_OR_PARTITION);
  if (timestamp < special.earliestLocal) return failed(partitionIndex, errors.UNSUPPORTED_VERSION);
  try {
    const found = await find(log, timestamp, caller.principal);
    const { offset, timestamp: time } = found ?? { offset: -1, timestamp: -1 };
    const leaderEpoch = found ? LEADER_EPOCH : -1;
    return { partitionIndex, errorCode: errors.NONE, offset, timestamp: time, leaderEpoch, oldStyleOffsets: found ? [offset] : [] };
  } catch (error) {
    if (error instanceof TooMuchWaiting) return failed(partitionIndex, errors.REQUEST_TIMED_OUT);
    throw error;
  }
};

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
