/** A topic's current partitions and readers on the cluster, and its last comparison. */
import type { TopicDrift, TopicReader, TopicStatus } from '@slipway/contract/streaming/topic-status.ts';
import { Problem } from '#kernel/problem.ts';
import { latestDrift } from '#modules/resources/index.ts';
import { unlessAway } from '#ports/failure.ts';
import type { ObservedTopic, PartitionFigures, TopicGroup } from '#ports/streaming.ts';
import { isOwn } from './compare-topics.ts';
import { lagOf, messagesOf, sizeOf } from './figures.ts';
import { foreignTo } from './foreign.ts';
import { observeTopics } from './observe-topic.ts';
import { topicRow, type TopicDeps, type TopicRow, type WatchedTopic } from './topic-rows.ts';

const HOUR_MS = 3_600_000;
/** Group names of accounts start with `{app}.{account}.`, or with `{app}.{account}~2.` for the second user. */
const groupForm = /^([a-z][a-z0-9-]*)\.([a-z]+)(?:~2)?\./;

const readerOf = (row: TopicRow, { group, state, members, partitions, ...rest }: TopicGroup, now: number): TopicReader => {
  const [, applicationCode = null, account = null] = groupForm.exec(group) ?? [];
  const lagMs = lagOf(rest, now);
  return {
    group,
    applicationCode,
    account,
    state,
    members: members?.length ?? null,
    lagMessages: Number(rest.lag),
    lagMs,
    lagOfRetention: lagMs === null || row.cleanup_policy === 'COMPACT' ? null : lagMs / (row.retention_hours * HOUR_MS),
    lastCommitAt: null,
    partitions: partitions.map(({ partition, committedOffset, lag }) => ({
      partition,
      committed: committedOffset === undefined ? null : Number(committedOffset),
      lag: Number(lag),
    })),
  };
};
/** Sorts readers that need attention first: lagging without a client, then by lag. */
const byNeed = (one: TopicReader, other: TopicReader): number => {
  const isStuck = ({ members, lagMessages }: TopicReader): number => (members === 0 && lagMessages > 0 ? 1 : 0);
  return isStuck(other) - isStuck(one) || other.lagMessages - one.lagMessages || one.group.localeCompare(other.group);
};

const partitionsOf = (topic: ObservedTopic, figures: readonly PartitionFigures[]): TopicStatus['partitions'] =>
  topic.partitions.map(({ partition, leader, replicas, inSync }) => {
    const seen = figures.find((one) => one.partition === partition);
    return {
      partition,
      firstOffset: Number(seen?.firstOffset ?? 0n),
      nextOffset: Number(seen?.nextOffset ?? 0n),
      sizeBytes: seen?.sizeBytes ?? null,
      leader: leader ?? null,
      replicas: replicas.length,
      inSync: inSync.length,
    };
  });

export const requireTopic = async (deps: Pick<TopicDeps, 'db'>, names: Readonly<Record<string, string>>): Promise<WatchedTopic> => {
  const row = await topicRow(deps.db, names);
  if (!row) throw new Problem('TopicDoesNotExist');
  return row;
};
/** Returns a topic that exists on the cluster. */
export const requireMadeTopic = async (deps: TopicDeps, names: Readonly<Record<string, string>>): Promise<TopicRow> => {
  const row = await requireTopic(deps, names);
  if (row.state !== 'ACTIVE') throw new Problem('TopicNotCreated');
  return row;
};

/** Minimum interval between two recorded views. Viewed topics are compared more often. */
const VIEW_AGAIN_MS = 30_000;
export const noteView = async ({ db }: Pick<TopicDeps, 'db'>, row: TopicRow): Promise<void> => {
  if (Date.now() - row.viewed_at.getTime() < VIEW_AGAIN_MS) return;
  await db.updateTable('topic').set({ viewed_at: new Date() }).where('id', '=', row.id).execute();
};

export const topicStatus = async (deps: TopicDeps, names: Readonly<Record<string, string>>): Promise<TopicStatus> => {
  const row = await requireMadeTopic(deps, names);
  await noteView(deps, row);
  const { environment, topic_name: name } = row;
  const topic = (await deps.streaming.observeTopics(environment, [name])).get(name);
  if (!isOwn(row, topic)) throw new Problem('TopicNotOnCluster', { context: { topic: name } });
  const [figures = [], groups] = await Promise.all([
    deps.streaming.measureTopics(environment, [name]).then((all) => all.get(name)),
    deps.streaming.groupsOfTopic(environment, name),
  ]);
  const now = Date.now();
  const size = sizeOf(figures);
  return {
    at: new Date(now).toISOString(),
    partitions: partitionsOf(topic, figures),
    readers: groups.map((group) => readerOf(row, group, now)).sort(byNeed),
    sizeBytes: size === null ? null : size * topic.replication,
    messages: messagesOf(figures),
    replication: topic.replication,
  };
};

/** Returns the drift, and things of others that the topic's name or rules concern. Marked as outdated if an engine is unavailable. */
export const topicDrift = async (deps: TopicDeps, names: Readonly<Record<string, string>>): Promise<TopicDrift> => {
  const row = await requireTopic(deps, names);
  await noteView(deps, row);
  const [{ isStale, ...drift }, foreign] = await Promise.all([
    latestDrift(() => requireTopic(deps, names), observeTopics(deps), row),
    row.state === 'ACTIVE' ? unlessAway(foreignTo(deps, row)) : [],
  ]);
  return { ...drift, isStale: isStale || foreign === undefined, foreign: foreign ?? [] };
};
