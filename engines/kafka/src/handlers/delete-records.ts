/** DeleteRecords: advances the start offset of a partition. */
import { deleteBefore } from '../log/retention.ts';
import { operations } from '../parts.ts';
import type { Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import { mayTopic, type HandlerContext } from './context.ts';

type PartitionResponse = Response<'DeleteRecords'>['topics'][number]['partitions'][number];
const failed = (partitionIndex: number, errorCode: number): PartitionResponse => ({ partitionIndex, errorCode, lowWatermark: -1 });
/** Deletes all existing records. */
const TO_THE_END = -1;

const deleteOf = (context: HandlerContext, name: string, partitionIndex: number, offset: number): PartitionResponse => {
  const topic = context.topics.get(name);
  const log = topic?.log(partitionIndex);
  if (topic === undefined || log === undefined) return failed(partitionIndex, errors.UNKNOWN_TOPIC_OR_PARTITION);
  // A topic that is only compacted promises to keep the newest record of each key, so deletion is refused.
  if (!topic.settings.isDeleted) return failed(partitionIndex, errors.POLICY_VIOLATION);
  const to = offset === TO_THE_END ? log.endOffset : offset;
  if (to < 0 || to > log.endOffset) return failed(partitionIndex, errors.OFFSET_OUT_OF_RANGE);
  try {
    deleteBefore(log, to);
    return { partitionIndex, errorCode: errors.NONE, lowWatermark: log.startOffset };
  } catch (error) {
    context.log('error', 'records could not be deleted', { topic: name, partition: partitionIndex, error: String(error) });
    return failed(partitionIndex, errors.KAFKA_STORAGE_ERROR);
  }
};

export const deleteRecordsHandler = (context: HandlerContext) =>
  handler({
    api: 'DeleteRecords',
    versions: [0, 2],
    handle: ({ topics }, caller) => ({
      topics: topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex, offset }) =>
          mayTopic(context, caller, operations.delete, name)
            ? deleteOf(context, name, partitionIndex, offset)
            : failed(partitionIndex, errors.TOPIC_AUTHORIZATION_FAILED),
        ),
      })),
    }),
  });
