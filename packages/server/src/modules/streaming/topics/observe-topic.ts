/** Observes topics: size, readers, and differences between cluster, registry and wanted state. */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { topicKind } from '@slipway/contract/kinds/topic.kind.ts';
import type { Rounds } from '#kernel/rounds.ts';
import { chunksOf, eachByItself } from '#kernel/rows/unreadable.ts';
import {
  compareEach,
  hasNewDifferences,
  watchRows,
  type ComparisonTable,
  type Drift,
  type WatchTimings,
} from '#modules/resources/index.ts';
import type { Log } from '#ports/log.ts';
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

export interface TopicTimings extends WatchTimings {
  /** Interval between two observations of a topic whose page is open. */
  readonly viewedMs: number;
}
export const topicTimings: TopicTimings = { tickMs: 2000, viewedMs: 15_000, everyMs: 45_000 };
/** Maximum number of topics per round. Each round reads all groups of the cluster once. */
const PER_ROUND = 1000;
const VIEWED_MINUTES = 2;

/**
 * Observes viewed topics every 15 seconds, the others within a minute, however many there are. Without topics there are no requests, so no
 * broker is started.
 */
export const topicWatcher = (deps: TopicDeps, log: Log, given: Partial<TopicTimings> = {}): Rounds => {
  const timings = { ...topicTimings, ...given };
  return watchRows<WatchedTopic, 'environment'>(deps.db, log, {
    ...timings,
    table: 'topic',
    beside: { table: 'topic_watch', key: 'topic_id', columns: ['compared_at'] },
    where: sql`state = 'ACTIVE'`,
    soon: { everyMs: timings.viewedMs, when: sql`viewed_at > now() - ${VIEWED_MINUTES} * interval '1 minute'` },
    engine: 'environment',
    batch: PER_ROUND,
    observe: observeTopics(deps),
    warning: 'The topics could not be looked at; trying again',
  });
};
