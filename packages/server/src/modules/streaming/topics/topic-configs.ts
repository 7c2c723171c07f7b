/** What a topic's settings are in Kafka's words, and back again: pure, so that making, changing and comparing cannot disagree. */
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
/** Kafka keeps a list: its order means nothing. */
const inOrder = (list: string): string =>
  list
    .split(',')
    .map((word) => word.trim())
    .sort()
    .join(',');

/**
 * A segment is deleted as a whole, and never while it is written: without a limit of time a trickle of messages would be kept for a week
 * longer than was asked for. A quarter of the retention is the most that is kept too long.
 */
const segmentMs = (retentionHours: number): number => Math.min(Math.max((retentionHours * HOUR_MS) / 4, HOUR_MS), WEEK_MS);

/** `copies`: those that the cluster really keeps. One may be down without stopping writers. */
export const configsOf = (topic: TopicSettings, copies: number): TopicConfigs => ({
  'cleanup.policy': policies[topic.cleanup_policy],
  'retention.ms': String(topic.retention_hours * HOUR_MS),
  'segment.bytes': String(topic.segment_bytes),
  'segment.ms': String(segmentMs(topic.retention_hours)),
  'min.insync.replicas': String(Math.max(1, copies - 1)),
});

export const isSameConfig = (name: string, one: string, other: string): boolean =>
  name === 'cleanup.policy' ? inOrder(one) === inOrder(other) : one === other;

/** The settings that a value of the cluster comes to; undefined where the platform has no setting for it. */
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
