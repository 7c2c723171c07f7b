/**
 * Observes topics periodically: viewed topics every 15 seconds, the others within a minute, however many there are. Workers claim topics by
 * separate rows. Without topics there are no requests, so no broker is started.
 */
import { sql } from 'kysely';
import type { Rounds } from '#kernel/rounds.ts';
import { watchRows } from '#modules/resources/index.ts';
import type { Log } from '#ports/log.ts';
import { observeTopics } from './observe-topic.ts';
import type { TopicDeps, WatchedTopic } from './topic-rows.ts';

export interface TopicTimings {
  readonly tickMs: number;
  /** Interval between two observations of a topic whose page is open. */
  readonly viewedMs: number;
  readonly everyMs: number;
}
export const topicTimings: TopicTimings = { tickMs: 2000, viewedMs: 15_000, everyMs: 45_000 };
/** Maximum number of topics per round. Each round reads all groups of the cluster once. */
const AT_ONCE = 1000;
const VIEWED_MINUTES = 2;

export const topicWatcher = (deps: TopicDeps, log: Log, given: Partial<TopicTimings> = {}): Rounds => {
  const { tickMs, viewedMs, everyMs } = { ...topicTimings, ...given };
  return watchRows<WatchedTopic, 'environment'>(deps.db, log, {
    table: 'topic',
    beside: { table: 'topic_watch', key: 'topic_id', columns: ['compared_at'] },
    where: sql`state = 'ACTIVE'`,
    everyMs,
    soon: { everyMs: viewedMs, when: sql`viewed_at > now() - ${VIEWED_MINUTES} * interval '1 minute'` },
    engine: 'environment',
    tickMs,
    batch: AT_ONCE,
    observe: observeTopics(deps),
    warning: 'The topics could not be looked at; trying again',
  });
};
