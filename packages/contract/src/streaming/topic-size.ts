/** Estimates a topic's disk usage from its traffic. A pure function, so the form and the plan show the same numbers. */
import type { TopicSpec } from './topic.ts';

export interface Traffic {
  readonly messagesPerSecond: number;
  readonly averageBytes: number;
}
type Kept = Pick<TopicSpec, 'partitionNumber' | 'retentionHours' | 'replicationFactor' | 'cleanupPolicy' | 'segmentBytes'>;

export interface SizeEstimate {
  /** Bytes of one replica at full retention. Null for compacted topics, because the number of keys is unknown. */
  readonly oneReplicaBytes: number | null;
  readonly allReplicasBytes: number | null;
  /** Write rate of one partition. */
  readonly partitionBytesPerSecond: number;
  /** True if a partition's write rate is below `comfortablePartitionBytesPerSecond`. */
  readonly isComfortable: boolean;
}
/** One broker writes a partition and one client of a group reads it, so a higher rate calls for more partitions. */
export const comfortablePartitionBytesPerSecond = 1_000_000;

/**
 * Computes rate × size × retention × replication. Assumes at least one partition, because the form may be incomplete. A partition can hold
 * one segment beyond its retention, because Kafka deletes whole segments.
 */
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
