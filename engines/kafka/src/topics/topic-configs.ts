/**
 * Topic configs, with Apache Kafka's names, defaults and limits. Configs that have no effect on one node are accepted and reported, so that
 * a topic's settings are the same here and in production. Configs that the broker cannot honor (recompression) are refused.
 */
import type { LogSettings } from '../log/log-settings.ts';

const LONGEST = Number.MAX_SAFE_INTEGER;
const LARGEST_INT = 2_147_483_647;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Kafka's config types, as in DescribeConfigs. */
export const configTypes = { boolean: 1, string: 2, int: 3, long: 5, double: 6, list: 7 } as const;

interface Definition {
  readonly type: keyof typeof configTypes;
  readonly default: string;
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
}
const long = (value: number | string, min: number): Definition => ({ type: 'long', default: String(value), min, max: LONGEST });
const int = (value: number, min: number): Definition => ({ type: 'int', default: String(value), min, max: LARGEST_INT });
const boolean = (value: boolean): Definition => ({ type: 'boolean', default: String(value), values: ['true', 'false'] });
const oneOf = (...values: [string, ...string[]]): Definition => ({ type: 'string', default: values[0], values });

const FOREVER = '9223372036854775807';

export const topicConfigs: Readonly<Record<string, Definition>> = {
  'cleanup.policy': { type: 'list', default: 'delete', values: ['delete', 'compact'] },
  'compression.type': oneOf('producer'),
  'delete.retention.ms': long(DAY_MS, 0),
  'file.delete.delay.ms': long(60_000, 0),
  'flush.messages': long(FOREVER, 1),
  'flush.ms': long(FOREVER, 0),
  'follower.replication.throttled.replicas': { type: 'list', default: '' },
  'index.interval.bytes': int(4096, 0),
  'leader.replication.throttled.replicas': { type: 'list', default: '' },
  'local.retention.bytes': long(-2, -2),
  'local.retention.ms': long(-2, -2),
  'max.compaction.lag.ms': long(FOREVER, 1),
  'max.message.bytes': int(1_048_588, 0),
  'message.timestamp.after.max.ms': long(HOUR_MS, 0),
  'message.timestamp.before.max.ms': long(FOREVER, 0),
  'message.timestamp.type': oneOf('CreateTime', 'LogAppendTime'),
  'min.cleanable.dirty.ratio': { type: 'double', default: '0.5', min: 0, max: 1 },
  'min.compaction.lag.ms': long(0, 0),
  'min.insync.replicas': int(1, 1),
  preallocate: boolean(false),
  'remote.storage.enable': { type: 'boolean', default: 'false', values: ['false'] },
  'retention.bytes': long(-1, -1),
  'retention.ms': long(7 * DAY_MS, -1),
  'segment.bytes': int(1_073_741_824, 1_048_576),
  'segment.index.bytes': int(10_485_760, 4),
  'segment.jitter.ms': long(0, 0),
  'segment.ms': long(7 * DAY_MS, 1),
  'unclean.leader.election.enable': boolean(false),
};

export type Configs = Readonly<Record<string, string>>;

const isKnown = (name: string): boolean => Object.hasOwn(topicConfigs, name);
export const configDefault = (name: string): string => (isKnown(name) ? (topicConfigs[name]?.default ?? '') : '');

/** Returns why a value is invalid, or undefined if it is valid. */
export const configProblem = (name: string, value: string | null): string | undefined => {
  const definition = isKnown(name) ? topicConfigs[name] : undefined;
  if (definition === undefined) return `Unknown topic config name: ${name}`;
  if (value === null) return `Null value not supported for topic configs: ${name}`;
  const reason = valueProblem(definition, value);
  return reason && `Invalid value ${value} for configuration ${name}: ${reason}`;
};

const valueProblem = ({ type, values, min = -Infinity, max = Infinity }: Definition, value: string): string | undefined => {
  switch (type) {
    case 'list':
      return values && listOf(value).some((one) => !values.includes(one)) ? `must be of ${values.join(', ')}` : undefined;
    case 'boolean':
    case 'string':
      return values?.includes(value) ? undefined : `must be ${values?.join(' or ')}`;
    default:
      return numberProblem(type, value, min, max);
  }
};

const numberProblem = (type: 'int' | 'long' | 'double', value: string, min: number, max: number): string | undefined => {
  const pattern = type === 'double' ? /^-?\d+(\.\d+)?$/ : /^-?\d{1,19}$/;
  if (!pattern.test(value.trim())) return `is no ${type}`;
  const number = Number(value);
  if (number < min) return `must be at least ${min}`;
  // A long beyond 2^53 is effectively unlimited. Kafka's maximum long is one.
  return type !== 'long' && number > max ? `must be at most ${max}` : undefined;
};

const LIST_SEPARATOR = ',';
export const listOf = (value: string): string[] =>
  value
    .split(LIST_SEPARATOR)
    .map((one) => one.trim())
    .filter((one) => one !== '');
export const isList = (name: string): boolean => isKnown(name) && topicConfigs[name]?.type === 'list';

/** Computes the settings of a topic's logs. */
export const logSettings = (configs: Configs): LogSettings => {
  const value = (name: string): string => (Object.hasOwn(configs, name) ? configs[name] : undefined) ?? configDefault(name);
  const number = (name: string): number => Number(value(name));
  const policy = listOf(value('cleanup.policy'));
  return {
    segmentBytes: number('segment.bytes'),
    segmentMs: number('segment.ms'),
    retentionMs: number('retention.ms'),
    retentionBytes: number('retention.bytes'),
    isDeleted: policy.includes('delete'),
    isCompacted: policy.includes('compact'),
    maxMessageBytes: number('max.message.bytes'),
    deleteRetentionMs: number('delete.retention.ms'),
    minCleanableRatio: number('min.cleanable.dirty.ratio'),
    minCompactionLagMs: number('min.compaction.lag.ms'),
    maxCompactionLagMs: number('max.compaction.lag.ms'),
    hasAppendTime: value('message.timestamp.type') === 'LogAppendTime',
    timestampBeforeMaxMs: number('message.timestamp.before.max.ms'),
    timestampAfterMaxMs: number('message.timestamp.after.max.ms'),
  };
};
