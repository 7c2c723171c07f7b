/** Metadata and DescribeCluster: one node, which leads all partitions. Topics that the caller may not see are answered as missing. */
import type { Caller } from '../parts.ts';
import { NODE_ID, operations } from '../parts.ts';
import type { Request, Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import { LEADER_EPOCH } from '../log/partition-log.ts';
import type { Topic } from '../topics/topic.ts';
import { nameProblem } from '../topics/topic-name.ts';
import { clusterBits, mayTopic, topicBits, type HandlerContext } from './context.ts';

type TopicResponse = Response<'Metadata'>['topics'][number];
type Asked = NonNullable<Request<'Metadata'>['topics']>[number];

export const NO_TOPIC_ID = 'AAAAAAAAAAAAAAAAAAAAAA';

const failed = (errorCode: number, name: string | null, topicId = NO_TOPIC_ID): TopicResponse => ({
  errorCode,
  name,
  topicId,
  partitions: [],
});

const describe = (context: HandlerContext, caller: Caller, { row }: Topic, hasOperations: boolean): TopicResponse => ({
  errorCode: errors.NONE,
  name: row.name,
  topicId: row.id,
  partitions: Array.from({ length: row.partitions }, (_, partitionIndex) => ({
    errorCode: errors.NONE,
    partitionIndex,
    leaderId: NODE_ID,
    leaderEpoch: LEADER_EPOCH,
    replicaNodes: [NODE_ID],
    isrNodes: [NODE_ID],
    offlineReplicas: [],
  })),
  ...(hasOperations && { topicAuthorizedOperations: topicBits(context, caller, row.name) }),
});

const find = (context: HandlerContext, caller: Caller, { name, topicId }: Asked, hasOperations: boolean): TopicResponse => {
  if (name === null) {
    const topic = context.topics.byId(topicId);
    if (topic === undefined) return failed(errors.UNKNOWN_TOPIC_ID, null, topicId);
    // A topic id is not secret, but a name may be.
    if (!mayTopic(context, caller, operations.describe, topic.row.name)) return failed(errors.TOPIC_AUTHORIZATION_FAILED, null, topicId);
    return describe(context, caller, topic, hasOperations);
  }
  if (!mayTopic(context, caller, operations.describe, name)) return failed(errors.TOPIC_AUTHORIZATION_FAILED, name);
  const topic = context.topics.get(name);
  if (topic) return describe(context, caller, topic, hasOperations);
  return failed(nameProblem(name) === undefined ? errors.UNKNOWN_TOPIC_OR_PARTITION : errors.INVALID_TOPIC_EXCEPTION, name);
};

/** Version 0 requests all topics with an empty list, later versions with null. */
const isAll = ({ topics }: Request<'Metadata'>, version: number): boolean => topics === null || (version === 0 && topics.length === 0);

export const metadataHandler = (context: HandlerContext) =>
  handler({
    api: 'Metadata',
    versions: [0, 12],
    handle: (request, caller) => {
      const hasOperations = request.includeTopicAuthorizedOperations;
      const visible = ({ row }: Topic): boolean => mayTopic(context, caller, operations.describe, row.name);
      return {
        brokers: [{ nodeId: NODE_ID, ...context.advertised }],
        clusterId: context.clusterId,
        controllerId: NODE_ID,
        topics:
          isAll(request, caller.version) || request.topics === null
            ? [...context.topics.all()].filter(visible).map((topic) => describe(context, caller, topic, hasOperations))
            : request.topics.map((asked) => find(context, caller, asked, hasOperations)),
        ...(request.includeClusterAuthorizedOperations && { clusterAuthorizedOperations: clusterBits(context, caller) }),
      };
    },
  });

export const describeClusterHandler = (context: HandlerContext) =>
  handler({
    api: 'DescribeCluster',
    versions: [0, 1],
    handle: ({ includeClusterAuthorizedOperations }, caller) => ({
      errorCode: errors.NONE,
      clusterId: context.clusterId,
      controllerId: NODE_ID,
      brokers: [{ brokerId: NODE_ID, ...context.advertised }],
      ...(includeClusterAuthorizedOperations && { clusterAuthorizedOperations: clusterBits(context, caller) }),
    }),
  });
