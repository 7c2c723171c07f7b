/** Converts a topic's settings to Kafka's configuration and back. Pure, and shared, so that creation and comparison agree. */
import type { CleanupPolicy } from '@slipway/contract/streaming/streaming.ts';
import type { TopicConfigs } from '#ports/streaming.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

export interface TopicSettings {
  readonly partitions: number;
  readonly retention_hours: number;
  readonly replication_factor: number;
  readonly segment_bytes: number;
  readonly cleanup_policy: CleanupPolicy;
}

const policies: Readonly<Record<CleanupPolicy, string>> = { DELETE: 'delete', COMPACT: 'compact', COMPACT_DELETE: 'compact,delete' };
/** Sorts a list value, since the order has no meaning in Kafka. */
const inOrder = (list: string): string =>
  list
    .split(',')
    .map((word) => word.trim())
    .sort()
    .join(',');

/**
 * Returns `segment.ms`. Kafka deletes whole segments, and never the active one. Without a time limit, a slow topic would keep messages a
 * week too long. With this limit, messages outlive the retention by at most a quarter.
 */
const segmentMs = (retentionHours: number): number => Math.min(Math.max((retentionHours * HOUR_MS) / 4, HOUR_MS), WEEK_MS);

/** `copies`: number of replicas that the cluster actually keeps. One may be down without blocking writers. */
export const configsOf = (topic: TopicSettings, copies: number): TopicConfigs => ({
  'cleanup.policy': policies[topic.cleanup_policy],
  'retention.ms': String(topic.retention_hours * HOUR_MS),
  'segment.bytes': String(topic.segment_bytes),
  'segment.ms': String(segmentMs(topic.retention_hours)),
  'min.insync.replicas': String(Math.max(1, copies - 1)),
});

export const isSameConfig = (name: string, one: string, other: string): boolean =>
  name === 'cleanup.policy' ? inOrder(one) === inOrder(other) : one === other;

/** Converts a cluster value to settings. Undefined if no platform setting can express it. */
export const settingOf = (name: string, value: string): Partial<TopicSettings> | undefined => {
  if (name === 'retention.ms') {
    const hours = Number(value) / HOUR_MS;
    return Number.isInteger(hours) && hours >= 1 ? { retention_hours: hours } : undefined;
  }
  if (name === 'segment.bytes') return Number.isInteger(Number(value)) ? { segment_bytes: Number(value) } : undefined;
  if (name !== 'cleanup.policy') return undefined;
  const found = Object.entries(policies).find(([, text]) => isSameConfig(name, text, value))?.[0];
  return found === 'DELETE' || found === 'COMPACT' || found === 'COMPACT_DELETE' ? { cleanup_policy: found } : undefined;
};
