/**
 * CreateTopics and CreatePartitions. Accepts and records replication factors up to three, so that the same request works here and in
 * production. There is always one replica.
 */
import type { Caller } from '../parts.ts';
import { NODE_ID, operations } from '../parts.ts';
import type { Request, Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import { configProblem, type Configs } from '../topics/topic-configs.ts';
import { nameProblem } from '../topics/topic-name.ts';
import { mayCluster, mayTopic, type HandlerContext } from './context.ts';
import { describeTopicConfigs } from './describe-configs.ts';
import { NO_TOPIC_ID } from './metadata.ts';
import { done, outcomeOf, refuse, repeated, type Outcome } from './outcome.ts';

type Asked = Request<'CreateTopics'>['topics'][number];
type TopicResponse = Response<'CreateTopics'>['topics'][number];

const PARTITIONS_OF_TOPIC = 1000;
const PARTITIONS = 100_000;
const REPLICATION = 3;
const BY_DEFAULT = -1;

const partitionsOf = ({ numPartitions, assignments }: Asked): number =>
  assignments.length || (numPartitions === BY_DEFAULT ? 1 : numPartitions);
const configsOf = ({ configs }: Asked): Configs =>
  Object.fromEntries(configs.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])));

const problemOf = (context: HandlerContext, asked: Asked): Outcome | undefined => {
  const { name, configs, replicationFactor } = asked;
  const wrongName = nameProblem(name);
  if (wrongName) return refuse(errors.INVALID_TOPIC_EXCEPTION, wrongName);
  if (context.topics.get(name)) return refuse(errors.TOPIC_ALREADY_EXISTS, `Topic '${name}' already exists.`);
  const other = context.topics.collidesWith(name);
  if (other) return refuse(errors.INVALID_TOPIC_EXCEPTION, `Topic '${name}' collides with existing topic: ${other}`);
  const wrongAssignment = assignmentProblem(asked);
  if (wrongAssignment) return refuse(errors.INVALID_REPLICA_ASSIGNMENT, wrongAssignment);
  if (replicationFactor !== BY_DEFAULT && (replicationFactor < 1 || replicationFactor > REPLICATION))
    return refuse(
      errors.INVALID_REPLICATION_FACTOR,
      `The replication factor is ${replicationFactor}; this broker takes 1 to ${REPLICATION}.`,
    );
  const wrongCount = countProblem(context, partitionsOf(asked), 0);
  if (wrongCount) return wrongCount;
  const wrongConfig = configs.map((config) => configProblem(config.name, config.value)).find((problem) => problem !== undefined);
  return wrongConfig === undefined ? undefined : refuse(errors.INVALID_CONFIG, wrongConfig);
};

const countProblem = (context: HandlerContext, count: number, before: number): Outcome | undefined => {
  if (count < 1) return refuse(errors.INVALID_PARTITIONS, 'Number of partitions must be larger than 0.');
  if (count > PARTITIONS_OF_TOPIC)
    return refuse(errors.INVALID_PARTITIONS, `A topic of this broker has at most ${PARTITIONS_OF_TOPIC} partitions.`);
  if (context.topics.partitions + count - before > PARTITIONS)
    return refuse(errors.POLICY_VIOLATION, `This broker has at most ${PARTITIONS} partitions.`);
  return undefined;
};

/** Explicit assignments must name this node, for partitions from 0 on. */
const assignmentProblem = ({ assignments, numPartitions, replicationFactor }: Asked): string | undefined => {
  if (assignments.length === 0) return undefined;
  if (numPartitions !== BY_DEFAULT || replicationFactor !== BY_DEFAULT)
    return 'With assignments, partitions and replication factor are -1.';
  const indices = new Set(assignments.map(({ partitionIndex }) => partitionIndex));
  const isWhole = indices.size === assignments.length && assignments.every((_, index) => indices.has(index));
  if (!isWhole || assignments.some(({ brokerIds }) => !isThisNode(brokerIds)))
    return `Partitions are assigned from 0 on, each to node ${NODE_ID} alone.`;
  return undefined;
};
const isThisNode = (brokerIds: readonly number[]): boolean => brokerIds.length === 1 && brokerIds[0] === NODE_ID;

export const createTopicsHandler = (context: HandlerContext) => {
  const createOne = async (asked: Asked, validateOnly: boolean): Promise<Outcome> => {
    const problem = problemOf(context, asked);
    if (problem) return problem;
    if (!validateOnly && !context.room.has(0))
      return refuse(errors.KAFKA_STORAGE_ERROR, 'There is too little room left on the disk of the broker.');
    if (!validateOnly) {
      const replication = asked.replicationFactor === BY_DEFAULT ? 1 : asked.replicationFactor;
      await context.topics.create({ name: asked.name, partitions: partitionsOf(asked), replication, configs: configsOf(asked) });
    }
    return done;
  };
  const answer = async (asked: Asked, isRepeated: boolean, validateOnly: boolean, caller: Caller): Promise<TopicResponse> => {
    const { name } = asked;
    const outcome = await (isRepeated
      ? refuse(errors.INVALID_REQUEST, 'Duplicate topic name.')
      : outcomeOf(
          () => createOne(asked, validateOnly),
          (error) => context.log('error', 'a topic could not be created', { topic: name, error: String(error) }),
        ));
    if (outcome.errorCode !== errors.NONE) return { ...failed(name), ...outcome };
    const mayDescribe = mayTopic(context, caller, operations.describeConfigs, name);
    return {
      ...failed(name),
      ...outcome,
      topicId: context.topics.topicId(name) ?? NO_TOPIC_ID,
      ...(mayDescribe
        ? { numPartitions: partitionsOf(asked), replicationFactor: 1, configs: describeTopicConfigs(configsOf(asked)) }
        : { topicConfigErrorCode: errors.TOPIC_AUTHORIZATION_FAILED }),
    };
  };
  const failed = (name: string) => ({ name, topicId: NO_TOPIC_ID, configs: null });
  return handler({
    api: 'CreateTopics',
    versions: [0, 7],
    handle: ({ topics, validateOnly }, caller) =>
      context.topics.inTurn(async () => {
        const isForAll = mayCluster(context, caller, operations.create);
        const twice = repeated(topics.map(({ name }) => name));
        const responses: TopicResponse[] = [];
        for (const asked of topics)
          responses.push(
            isForAll || mayTopic(context, caller, operations.create, asked.name)
              ? await answer(asked, twice.has(asked.name), validateOnly, caller)
              : { ...failed(asked.name), ...refuse(errors.TOPIC_AUTHORIZATION_FAILED, 'Authorization failed.') },
          );
        return { topics: responses };
      }),
  });
};

export const createPartitionsHandler = (context: HandlerContext) => {
  const grow = async (
    { name, count, assignments }: Request<'CreatePartitions'>['topics'][number],
    validateOnly: boolean,
  ): Promise<Outcome> => {
    const topic = context.topics.get(name);
    if (topic === undefined) return refuse(errors.UNKNOWN_TOPIC_OR_PARTITION, `The topic '${name}' does not exist.`);
    const before = topic.row.partitions;
    if (count <= before)
      return refuse(errors.INVALID_PARTITIONS, `The topic '${name}' has ${before} partitions already; their number can only grow.`);
    const problem = countProblem(context, count, before);
    if (problem) return problem;
    if (assignments && (assignments.length !== count - before || assignments.some(({ brokerIds }) => !isThisNode(brokerIds))))
      return refuse(errors.INVALID_REPLICA_ASSIGNMENT, `Each new partition is assigned to node ${NODE_ID} alone.`);
    if (!validateOnly) await context.topics.change(topic, { partitions: count });
    return done;
  };
  return handler({
    api: 'CreatePartitions',
    versions: [0, 3],
    handle: ({ topics, validateOnly }, caller) =>
      context.topics.inTurn(async () => {
        const twice = repeated(topics.map(({ name }) => name));
        const results: Response<'CreatePartitions'>['results'][number][] = [];
        for (const asked of topics) {
          const { name } = asked;
          const outcome = await (twice.has(name)
            ? refuse(errors.INVALID_REQUEST, 'Duplicate topic in request.')
            : mayTopic(context, caller, operations.alter, name)
              ? outcomeOf(
                  () => grow(asked, validateOnly),
                  (error) => context.log('error', 'partitions could not be added', { topic: name, error: String(error) }),
                )
              : refuse(errors.TOPIC_AUTHORIZATION_FAILED, 'Authorization failed.'));
          results.push({ name, ...outcome });
        }
        return { results };
      }),
  });
};
