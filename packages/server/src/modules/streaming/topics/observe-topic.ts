/** Observes topics: size, readers, and differences between cluster, registry and wanted state. */
import { isDeepStrictEqual } from 'node:util';
import { topicKind } from '@slipway/contract/streaming/topic.kind.ts';
import { chunksOf, eachByItself } from '#kernel/rows/unreadable.ts';
import { compareEach, hasNewDifferences, type ComparisonTable, type Drift } from '#modules/resources/index.ts';
import { topicComparison } from './compare-topics.ts';
import { figuresOf, type Figures } from './figures.ts';
import type { TopicDeps, TopicRow, WatchedTopic } from './topic-rows.ts';

/** Maximum number of topics in one statement. */
const AT_ONCE = 250;

interface Seen {
  /** Null if the cluster has no such topic. */
  readonly observed: Figures | null;
  readonly drift: Drift;
}

const visible = (figures: Figures) => {
  const { written: _written, marks: _marks, ...seen } = figures;
  return seen;
};

const comparisons: ComparisonTable<WatchedTopic, Seen> = {
  kind: topicKind,
  table: 'topic',
  beside: { table: 'topic_watch', key: 'topic_id' },
  resultsIn: 'table',
  wanted: ['partitions', 'retention_hours', 'segment_bytes', 'cleanup_policy'],
  results: ['observed', 'drift'],
  isNew: (look) =>
    hasNewDifferences(look) ||
    !isDeepStrictEqual(look.seen.observed && visible(look.seen.observed), look.row.observed && visible(look.row.observed)),
};

/**
 * Observes topics of one environment and saves the results. Returns whether all were saved. A topic that cannot be compared does not stop the
 * others: its error is thrown at the end. Throws at once if an engine is unavailable.
 */
export const observeTopics =
  (deps: TopicDeps) =>
  async (rows: readonly WatchedTopic[], environment: TopicRow['environment']): Promise<boolean> => {
    const surveyed = await deps.streaming.surveyTopics(
      environment,
      rows.map(({ topic_name: name }) => name),
    );
    const at = new Date();
    let isAll = true;
    await eachByItself(chunksOf(rows, AT_ONCE), async (some) => {
      const compare = await topicComparison(deps, environment, some);
      const look = async (row: WatchedTopic): Promise<Seen> => {
        const found = surveyed.get(row.topic_name);
        return { observed: found ? figuresOf(row, found, at.getTime()) : null, drift: await compare(row, found?.topic) };
      };
      const areSaved = await compareEach(deps.db, comparisons, some, look, at);
      isAll &&= areSaved;
    });
    return isAll;
  };
