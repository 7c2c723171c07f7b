/** DescribeLogDirs: the disk usage of each partition. */
import { operations } from '../parts.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import type { Topic } from '../topics/topic.ts';
import { mayCluster, type HandlerContext } from './context.ts';

/** A fixed name that reveals nothing about the machine. */
const LOG_DIR = 'topics';

const partitionsOf = (topic: Topic): number[] => Array.from({ length: topic.row.partitions }, (_, partition) => partition);

export const describeLogDirsHandler = (context: HandlerContext) =>
  handler({
    api: 'DescribeLogDirs',
    versions: [0, 4],
    handle: ({ topics }, caller) => {
      if (!mayCluster(context, caller, operations.describe)) return { errorCode: errors.CLUSTER_AUTHORIZATION_FAILED, results: [] };
      const wanted =
        topics === null
          ? [...context.topics.all()].map((topic) => ({ topic, partitions: partitionsOf(topic) }))
          : topics.flatMap(({ topic: name, partitions }) => {
              const topic = context.topics.get(name);
              return topic ? [{ topic, partitions: partitions.filter((partition) => topic.hasPartition(partition)) }] : [];
            });
      const sizes = wanted.map(({ topic, partitions }) => ({
        name: topic.row.name,
        partitions: partitions.map((partitionIndex) => ({
          partitionIndex,
          partitionSize: topic.bytesOf(partitionIndex),
          offsetLag: 0,
          isFutureKey: false,
        })),
      }));
      return { errorCode: errors.NONE, results: [{ errorCode: errors.NONE, logDir: LOG_DIR, topics: sizes, ...context.room.size() }] };
    },
  });
