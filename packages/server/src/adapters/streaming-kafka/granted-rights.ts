/** Asks a cluster which of the rights that the platform needs its user has. Changes nothing. */
import { AclOperations, createTopicsV7, DescribeClusterEndpointTypes, describeClusterV1, metadataV12 } from '@platformatic/kafka';
import { isPortFailure } from '#ports/failure.ts';
import { type KafkaCluster, WORK_MS } from './cluster.ts';
import { throwIfFailed } from './failures.ts';

type Operation = keyof typeof AclOperations;
const ON_CLUSTER: readonly Operation[] = ['ALTER', 'DESCRIBE'];
const ON_TOPICS: readonly Operation[] = ['DELETE', 'ALTER', 'DESCRIBE', 'ALTER_CONFIGS', 'DESCRIBE_CONFIGS', 'READ', 'WRITE'];
/** Kafka answers with one bit for each operation. */
const missingIn = (bits: number, wanted: readonly Operation[]): readonly Operation[] =>
  wanted.filter((operation) => (bits & (1 << AclOperations[operation])) === 0);

export async function clusterRights(cluster: KafkaCluster): Promise<readonly Operation[]> {
  const answer = await cluster.ask('DescribeCluster', describeClusterV1.api, true, DescribeClusterEndpointTypes.BROKERS);
  throwIfFailed(answer.errorCode, 'DescribeCluster', answer.errorMessage);
  return missingIn(answer.clusterAuthorizedOperations, ON_CLUSTER);
}

/** Validates a topic without creating it. Returns the refusal. */
export async function mayCreateTopics(cluster: KafkaCluster): Promise<string | undefined> {
  const wanted = { name: `slipway-doctor-${Date.now()}`, numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] };
  try {
    const { topics } = await cluster.askController('CreateTopics', createTopicsV7.api, [wanted], WORK_MS, true);
    for (const { errorCode, errorMessage } of topics) throwIfFailed(errorCode, 'CreateTopics', errorMessage);
    return undefined;
  } catch (error) {
    if (isPortFailure(error, 'rejected')) return error.message;
    throw error;
  }
}

/** Undefined if the user sees no topic. */
export async function topicRights(
  cluster: KafkaCluster,
): Promise<{ readonly topic: string; readonly missing: readonly Operation[] } | undefined> {
  const { topics } = await cluster.ask('Metadata', metadataV12.api, null, false, true);
  const topic = topics.find(({ isInternal }) => !isInternal);
  return topic && { topic: topic.name ?? '', missing: missingIn(topic.topicAuthorizedOperations, ON_TOPICS) };
}
