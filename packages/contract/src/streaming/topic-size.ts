/** How much disk a topic will need, guessed from its traffic: a pure function, so that the form and the plan say the same. */
import type { TopicSpec } from './topic.ts';

export interface Traffic {
  readonly messagesPerSecond: number;
  readonly averageBytes: number;
}
type Kept = Pick<TopicSpec, 'partitionNumber' | 'retentionHours' | 'replicationFactor' | 'cleanupPolicy' | 'segmentBytes'>;

export interface SizeEstimate {
  /** Of one replica, once it is full; null where messages are kept per key, since nobody knows how many keys there are. */
  readonly oneReplicaBytes: number | null;
  readonly allReplicasBytes: number | null;
  /** What one partition takes in. */
  readonly partitionBytesPerSecond: number;
  /** Below what one partition takes with ease. */
  readonly isComfortable: boolean;
}
/** A partition is written by one broker and read by one client of a group: more than this asks for more partitions. */
export const comfortablePartitionBytesPerSecond = 1_000_000;

/** Rate × size × retention × replication; with one partition at least, whatever is being typed. A partition keeps one segment more than its retention: segments are deleted as a whole. */
export const sizeEstimate = (
  { partitionNumber, retentionHours, replicationFactor, cleanupPolicy }: Kept,
  { messagesPerSecond, averageBytes }: Traffic,
): SizeEstimate => {
  const bytesPerSecond = messagesPerSecond * averageBytes;
  const partitionBytesPerSecond = bytesPerSecond / Math.max(1, partitionNumber);
  const oneReplicaBytes = cleanupPolicy === 'COMPACT' ? null : bytesPerSecond * retentionHours * 3600;
  return {
    oneReplicaBytes,
    allReplicasBytes: oneReplicaBytes === null ? null : oneReplicaBytes * replicationFactor,
    partitionBytesPerSecond,
    isComfortable: partitionBytesPerSecond <= comfortablePartitionBytesPerSecond,
  };
};
