/** Observes topics: size, readers, and differences between cluster, registry and wanted state. */
import { topicKind } from '@slipway/contract/streaming/topic.kind.ts';
import { sql } from 'kysely';
import { transaction } from '#db/database.ts';
import { notifyChanges } from '#kernel/changes.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import type { ObservedTopic, SurveyedTopic } from '#ports/streaming.ts';
import { compareTopics, type Drift } from './compare-topics.ts';
import { figuresOf, type Figures } from './figures.ts';
import type { TopicDeps, TopicRow, WatchedTopic } from './topic-rows.ts';

/** Maximum number of topics in one statement. */
const AT_ONCE = 250;

interface Look {
  readonly row: WatchedTopic;
  /** Null if the cluster has no such topic. */
  readonly figures: Figures | null;
  readonly drift: Drift;
}

const visible = (figures: Figures) => {
  const { written: _written, marks: _marks, ...seen } = figures;
  return seen;
};
/** Returns whether viewers of the topic must be notified. */
const isNew = ({ row, figures, drift }: Look): boolean =>
  row.drift === null ||
  JSON.stringify(drift.differences) !== JSON.stringify(row.drift.differences) ||
  JSON.stringify(figures && visible(figures)) !== JSON.stringify(row.observed && visible(row.observed));

/**
 * Saves observations; rows without changes stay as they are. Returns the ids of the saved topics. Skips topics that someone observed or
 * changed since their row was read, because the observation may be outdated.
 */
const save = async ({ db }: TopicDeps, looks: readonly Look[], at: Date): Promise<ReadonlySet<string>> =>
  transaction(db, async (trx) => {
    const seen = looks.map(({ row, figures, drift }) => ({
      id: row.id,
      before: row.compared_at,
      partitions: row.partitions,
      retention_hours: row.retention_hours,
      segment_bytes: row.segment_bytes,
      cleanup_policy: row.cleanup_policy,
      observed: figures,
      drift,
    }));
    const { rows } = await sql<{ id: string }>`
      with seen as (
        select * from jsonb_to_recordset(${JSON.stringify(seen)}::jsonb) as seen (id text, before timestamptz, partitions integer,
          retention_hours integer, segment_bytes bigint, cleanup_policy text, observed jsonb, drift jsonb)),
      current as (select seen.* from seen join topic using (id, partitions, retention_hours, segment_bytes, cleanup_policy)),
      kept as (
        insert into topic_watch as watch (topic_id, watched_at, compared_at) select id, now(), ${at}::timestamptz from current
        on conflict (topic_id) do update set compared_at = excluded.compared_at
          where watch.compared_at is not distinct from (select before from current where current.id = watch.topic_id)
        returning topic_id),
      changed as (
        update topic set observed = current.observed, drift = current.drift from current join kept on kept.topic_id = current.id
        where topic.id = current.id
          and (topic.observed is distinct from current.observed or topic.drift is distinct from current.drift))
      select topic_id as id from kept`.execute(trx);
    const kept = new Set(rows.map(({ id }) => id));
    const hints = looks
      .filter((look) => kept.has(look.row.id) && isNew(look))
      .map(({ row }) => ({ kind: topicKind.kind, app: row.app_id, env: row.environment, topic: row.name }));
    await notifyChanges(trx, hints);
    return kept;
  });

const observedIn = (surveyed: ReadonlyMap<string, SurveyedTopic>): ReadonlyMap<string, ObservedTopic> =>
  new Map([...surveyed].map(([name, { topic }]) => [name, topic]));

/**
 * Observes topics of one environment and saves the results. Returns whether all were saved. A topic that cannot be compared does not stop the
 * others: its error is thrown at the end. Throws at once if an engine is unavailable.
 */
export const observeTopics = async (
  deps: TopicDeps,
  environment: TopicRow['environment'],
  rows: readonly WatchedTopic[],
): Promise<boolean> => {
  const surveyed = await deps.streaming.surveyTopics(
    environment,
    rows.map(({ topic_name: name }) => name),
  );
  const topics = observedIn(surveyed);
  const chunks = Array.from({ length: Math.ceil(rows.length / AT_ONCE) }, (_, index) => rows.slice(index * AT_ONCE, (index + 1) * AT_ONCE));
  let isAll = true;
  await eachByItself(chunks, async (some) => {
    const drifts = new Map<string, Drift>();
    try {
      await compareTopics(deps, some, topics, drifts);
    } finally {
      const at = new Date();
      const looks = some.flatMap((row): Look[] => {
        const [found, drift] = [surveyed.get(row.topic_name), drifts.get(row.id)];
        return drift ? [{ row, figures: found ? figuresOf(row, found, at.getTime()) : null, drift }] : [];
      });
      const kept = await save(deps, looks, at);
      isAll &&= kept.size === some.length;
    }
  });
  return isAll;
};

const TRIES = 3;
/** Observes a topic now. Retries if another observation ran at the same time. */
export const observeNow = async (deps: TopicDeps, read: () => Promise<WatchedTopic>): Promise<void> => {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const row = await read();
    if (await observeTopics(deps, row.environment, [row])) return;
  }
};
