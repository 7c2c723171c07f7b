/** The estimate matches the texts in the form. */
import { expect, test } from 'vitest';
import { sizeEstimate } from './topic-size.ts';
import { topicDefaults } from './topic.ts';

const kept = { ...topicDefaults, retentionHours: 72 };
test('rate × size × retention × replication', () => {
  const { oneReplicaBytes, allReplicasBytes, partitionBytesPerSecond, isComfortable } = sizeEstimate(kept, {
    messagesPerSecond: 40,
    averageBytes: 640,
  });
  expect([oneReplicaBytes, allReplicasBytes]).toEqual([6_635_520_000, 19_906_560_000]);
  expect(partitionBytesPerSecond).toBeCloseTo(8533.3, 1);
  expect(isComfortable).toBe(true);
});
test('more than a partition takes with ease asks for more partitions', () => {
  const traffic = { messagesPerSecond: 10_000, averageBytes: 1000 };
  expect(sizeEstimate(kept, traffic).isComfortable).toBe(false);
  expect(sizeEstimate({ ...kept, partitionNumber: 10 }, traffic).isComfortable).toBe(true);
});
test('what is kept per key has no size that follows from traffic', () => {
  expect(sizeEstimate({ ...kept, cleanupPolicy: 'COMPACT' }, { messagesPerSecond: 1, averageBytes: 1 })).toMatchObject({
    oneReplicaBytes: null,
    allReplicasBytes: null,
  });
});
test('a number of partitions that is still being typed makes no endless flow', () => {
  const traffic = { messagesPerSecond: 10, averageBytes: 500 };
  expect(sizeEstimate({ ...kept, partitionNumber: 0 }, traffic)).toMatchObject({ partitionBytesPerSecond: 5000, isComfortable: true });
});
