/** Compares topics with cluster and registry. The number of requests does not depend on the number of topics. */
import { sql } from 'kysely';
import type { TopicDrift } from '@slipway/contract/streaming/topic-status.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import type { ObservedTopic } from '#ports/streaming.ts';
import { seenSubject, type ComparedSchema, type SeenSubject, type WantedSubject } from '../schemas/compare-subject.ts';
import { subjectOfPart } from '../schemas/schema-rows.ts';
import { compareTopic } from './drift.ts';
import { copiesOf, type TopicDeps, type TopicRow } from './topic-rows.ts';

export type Drift = Pick<TopicDrift, 'differences' | 'same'>;
/** Returns whether the topic is ours. Someone else may have created a topic with the same name since. */
export const isOwn = (row: Pick<TopicRow, 'cluster_topic_id'>, topic: ObservedTopic | undefined): topic is ObservedTopic =>
  topic !== undefined && (row.cluster_topic_id === null || row.cluster_topic_id === topic.topicId);

const schemasOf = async ({ db }: TopicDeps, rows: readonly TopicRow[]): Promise<ReadonlyMap<string, ComparedSchema>> => {
  const ids = [...new Set(rows.flatMap(({ key_schema_id: key, value_schema_id: value }) => [key ?? value, value]))];
  const found = await db
    .selectFrom('event_schema')
    .select(['id', 'subject', 'registry_id', 'compatibility'])
    .where('id', '=', sql<string>`any (${ids})`)
    .execute();
  return new Map(found.map((schema) => [schema.id, schema]));
};

/** Returns the subjects that clients look for, and the schemas' own subjects. */
const wantedSubjects = (row: TopicRow, schemas: ReadonlyMap<string, ComparedSchema>): WantedSubject[] => {
  const parts = [
    ['key', row.key_schema_id],
    ['value', row.value_schema_id],
  ] as const;
  const used = parts.flatMap(([part, id]) => {
    const schema = schemas.get(id ?? '');
    return schema ? [{ subject: subjectOfPart(row.topic_name, part), schema }] : [];
  });
  const own = new Map(used.map(({ schema }) => [schema.subject, { subject: schema.subject, schema }]));
  return [...used, ...own.values()];
};

/**
 * Adds topic id → drift to `drifts`. All rows are of one environment. `topics`: name → topic on the cluster. A topic that the registry
 * fails for is left out, and the first error is thrown at the end.
 */
export const compareTopics = async (
  deps: TopicDeps,
  rows: readonly TopicRow[],
  topics: ReadonlyMap<string, ObservedTopic>,
  drifts: Map<string, Drift>,
): Promise<void> => {
  const [first] = rows;
  if (!first) return;
  const schemas = await schemasOf(deps, rows);
  const wanted = rows.map((row) => ({ row, subjects: wantedSubjects(row, schemas) }));
  const names = new Set(wanted.flatMap(({ subjects }) => subjects.map(({ subject }) => subject)));
  const heads = await deps.registry.heads(first.environment, [...names]);
  await eachByItself(wanted, async ({ row, subjects }) => {
    const found = topics.get(row.topic_name);
    const seen: SeenSubject[] = [];
    for (const one of subjects) seen.push(await seenSubject(deps, row.environment, one, heads.get(one.subject)));
    const topic = isOwn(row, found) ? found : undefined;
    const copies = copiesOf(deps, row.replication_factor);
    drifts.set(row.id, compareTopic(row, { topic, isTaken: found !== undefined && !topic, copies, subjects: seen }));
  });
};

/** Compares a single topic. */
export const compare = async (deps: TopicDeps, row: TopicRow, topic: ObservedTopic | undefined): Promise<Drift> => {
  const drifts = new Map<string, Drift>();
  await compareTopics(deps, [row], new Map(topic ? [[row.topic_name, topic]] : []), drifts);
  return drifts.get(row.id) ?? { differences: [], same: [] };
};
