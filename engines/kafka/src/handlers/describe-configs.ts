/** DescribeConfigs of topics, and of a few fixed configs of the node. */
import type { Caller } from '../parts.ts';
import { NODE_ID, operations } from '../parts.ts';
import type { Request, Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import { configDefault, configTypes, topicConfigs, type Configs } from '../topics/topic-configs.ts';
import { mayCluster, mayTopic, type HandlerContext } from './context.ts';

/** Kafka's config resource types. */
export const configResources = { topic: 2, broker: 4 } as const;
const sources = { topic: 1, broker: 4, default: 5 } as const;

type Asked = Request<'DescribeConfigs'>['resources'][number];
type Result = Response<'DescribeConfigs'>['results'][number];
type Config = Result['configs'][number];

/** Configs that tools request from a broker. */
const brokerConfigs: Configs = {
  'auto.create.topics.enable': 'false',
  'broker.id': String(NODE_ID),
  'default.replication.factor': '1',
  'delete.topic.enable': 'true',
  'log.retention.ms': configDefault('retention.ms'),
  'log.segment.bytes': configDefault('segment.bytes'),
  'message.max.bytes': configDefault('max.message.bytes'),
  'min.insync.replicas': '1',
  'node.id': String(NODE_ID),
  'num.partitions': '1',
  'offsets.topic.replication.factor': '1',
};

const describe = (name: string, value: string, configSource: number, readOnly: boolean): Config => ({
  name,
  value,
  readOnly,
  isDefault: configSource === sources.default,
  configSource,
  isSensitive: false,
  synonyms: [{ name, value, source: configSource }],
  configType: configTypes[topicConfigs[name]?.type ?? 'string'],
  documentation: null,
});

/** Returns all configs of a topic: its own and the defaults. */
export const describeTopicConfigs = (configs: Configs): Config[] =>
  Object.keys(topicConfigs).map((name) => {
    const own = Object.hasOwn(configs, name) ? configs[name] : undefined;
    return describe(name, own ?? configDefault(name), own === undefined ? sources.default : sources.topic, false);
  });

const find = (
  context: HandlerContext,
  { resourceType, resourceName }: Asked,
  caller: Caller,
): Config[] | { errorCode: number; errorMessage: string } => {
  if (resourceType === configResources.topic) {
    if (!mayTopic(context, caller, operations.describeConfigs, resourceName))
      return { errorCode: errors.TOPIC_AUTHORIZATION_FAILED, errorMessage: 'Authorization failed.' };
    const topic = context.topics.get(resourceName);
    if (topic) return describeTopicConfigs(topic.row.configs);
    return { errorCode: errors.UNKNOWN_TOPIC_OR_PARTITION, errorMessage: `The topic '${resourceName}' does not exist.` };
  }
  if (resourceType === configResources.broker) {
    if (!mayCluster(context, caller, operations.describeConfigs))
      return { errorCode: errors.CLUSTER_AUTHORIZATION_FAILED, errorMessage: 'Cluster authorization failed.' };
    if (resourceName === '' || resourceName === String(NODE_ID))
      return Object.entries(brokerConfigs).map(([name, value]) => describe(name, value, sources.broker, true));
    return { errorCode: errors.INVALID_REQUEST, errorMessage: `There is one node, ${NODE_ID}.` };
  }
  return { errorCode: errors.INVALID_REQUEST, errorMessage: 'Topics and brokers have configs here.' };
};

export const describeConfigsHandler = (context: HandlerContext) =>
  handler({
    api: 'DescribeConfigs',
    versions: [0, 4],
    handle: ({ resources, includeSynonyms }, caller) => ({
      results: resources.map((asked): Result => {
        const { resourceType, resourceName } = asked;
        const wanted = asked.configurationKeys && new Set(asked.configurationKeys);
        const found = find(context, asked, caller);
        if (!Array.isArray(found)) return { resourceType, resourceName, ...found, configs: [] };
        const configs = found.filter(({ name }) => wanted?.has(name) ?? true);
        return {
          resourceType,
          resourceName,
          errorCode: errors.NONE,
          errorMessage: null,
          configs: includeSynonyms ? configs : configs.map((config) => ({ ...config, synonyms: [] })),
        };
      }),
    }),
  });
