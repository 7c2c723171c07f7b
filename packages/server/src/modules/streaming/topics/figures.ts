/** Computes a topic's metrics from one observation. Pure. */
import type { ObservedTopic, PartitionFigures, SurveyedTopic, TopicGroup } from '#ports/streaming.ts';
import { withMark, type Mark } from './rates.ts';
import type { TopicRow, WatchedTopic } from './topic-rows.ts';

export type Figures = NonNullable<TopicRow['observed']>;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
/** Returns the size of one replica of every partition. Null if the cluster does not report sizes. */
export const sizeOf = (figures: readonly PartitionFigures[]): number | null =>
  figures.some(({ sizeBytes }) => sizeBytes === undefined) ? null : sum(figures.map(({ sizeBytes }) => sizeBytes ?? 0));
export const messagesOf = (figures: readonly PartitionFigures[]): number =>
  sum(figures.map(({ firstOffset, nextOffset }) => Number(nextOffset - firstOffset)));
const lagMsOf = ({ waitingSince }: Pick<TopicGroup, 'waitingSince' | 'lag'>, now: number): number | null =>
  waitingSince === undefined ? null : Math.max(0, now - waitingSince.getTime());
/** Returns 0 if no messages are waiting. Returns null, never 0, if messages are waiting for an unknown time. */
export const lagOf = (group: Pick<TopicGroup, 'waitingSince' | 'lag'>, now: number): number | null =>
  group.lag === 0n ? 0 : lagMsOf(group, now);

const slowestOf = (groups: readonly TopicGroup[], now: number): Figures['slowest'] => {
  const [slowest] = [...groups].sort((one, other) => Number(other.lag - one.lag));
  if (!slowest) return null;
  return {
    group: slowest.group,
    lagMessages: Number(slowest.lag),
    lagMs: lagOf(slowest, now),
    hasMembers: slowest.members?.length !== 0,
  };
};

/** Returns whether all partitions reported figures. */
const isComplete = ({ partitions }: ObservedTopic, figures: readonly PartitionFigures[]): boolean => figures.length === partitions.length;

const markOf = (ms: number, written: number): Mark => [Math.round(ms / 1000), written];
/** `row` contains the last observation, for the rate. */
export const figuresOf = (
  row: Pick<WatchedTopic, 'observed' | 'compared_at'>,
  { topic, figures, groups }: SurveyedTopic,
  now: number,
): Figures => {
  const written = sum(figures.map(({ nextOffset }) => Number(nextOffset)));
  const seconds = row.compared_at ? (now - row.compared_at.getTime()) / 1000 : 0;
  const isRate = row.observed !== null && seconds >= 1 && written >= row.observed.written;
  const last = row.observed && row.compared_at ? markOf(row.compared_at.getTime(), row.observed.written) : undefined;
  const size = isComplete(topic, figures) ? sizeOf(figures) : null;
  return {
    sizeBytes: size === null ? null : size * topic.replication,
    messages: messagesOf(figures),
    messagesPerSecond: isRate && row.observed ? (written - row.observed.written) / seconds : null,
    replication: topic.replication,
    readers: groups.length,
    slowest: isComplete(topic, figures) ? slowestOf(groups, now) : null,
    written,
    marks: withMark(row.observed?.marks ?? [], markOf(now, written), last),
  };
};
