/**
 * Observes topics periodically: viewed topics every 15 seconds, the others within a minute, however many there are. Workers claim topics by
 * separate rows. Without topics there are no requests, so no broker is started.
 */
import { sql } from 'kysely';
import type { Log } from '#ports/log.ts';
import { inEachEnvironment, Rounds } from '../rounds.ts';
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

const ago = (ms: number) => sql`now() - ${ms} * interval '1 millisecond'`;
const isViewed = sql`topic.viewed_at > now() - ${VIEWED_MINUTES} * interval '1 minute'`;

/** Claims and returns the topics to observe. The claim is part of the query, so no other worker takes the same rows. */
const claimDue = async ({ db }: TopicDeps, { viewedMs, everyMs }: TopicTimings): Promise<WatchedTopic[]> => {
  const { rows } = await sql<WatchedTopic>`
    with due as (
      select topic.id from topic left join topic_watch watch on watch.topic_id = topic.id
      where topic.state = 'ACTIVE' and (watch.watched_at is null or watch.watched_at < ${ago(everyMs)}
        or (${isViewed} and watch.watched_at < ${ago(viewedMs)}))
      order by ${isViewed} desc, watch.watched_at nulls first limit ${AT_ONCE}),
    claimed as (
      insert into topic_watch as watch (topic_id, watched_at) select id, now() from due
      on conflict (topic_id) do update set watched_at = now() where watch.watched_at < ${ago(Math.min(viewedMs, everyMs))}
      returning topic_id, compared_at)
    select topic.*, claimed.compared_at from claimed join topic on topic.id = claimed.topic_id`.execute(db);
  return rows;
};

export const topicWatcher = (deps: TopicDeps, log: Log, given: Partial<TopicTimings> = {}): Rounds => {
  const timings = { ...topicTimings, ...given };
  const round = async (isStopping: () => boolean): Promise<void> => {
    for (let isMore = true; isMore;) {
      const due = await claimDue(deps, timings);
      isMore = due.length === AT_ONCE;
      await inEachEnvironment(async (environment) => {
        const rows = due.filter((row) => row.environment === environment);
        if (rows.length > 0 && !isStopping()) await observeTopics(deps, environment, rows);
      });
      if (isStopping()) return;
    }
  };
  return new Rounds({ tickMs: timings.tickMs, round, log, warning: 'The topics could not be looked at; trying again' });
};
