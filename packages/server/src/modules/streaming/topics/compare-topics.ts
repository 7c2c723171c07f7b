/** Compares topics with cluster and registry. The number of requests does not depend on the number of topics. */
import { sql } from 'kysely';
import type { ObservedTopic } from '#ports/streaming.ts';
import {
  seenSubject,
  type Compared as Drift,
  type ComparedSchema,
  type SeenSubject,
  type WantedSubject,
} from '../schemas/compare-subject.ts';
import { subjectOfPart } from '../schemas/schema-rows.ts';
import { compareTopic } from './drift.ts';
import { copiesOf, type TopicDeps, type TopicRow } from './topic-rows.ts';

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
 * Reads what a comparison of topics of one environment needs: a fixed number of requests for any number of topics. Returns a function that
 * compares one of them with the topic on the cluster.
 */
export const topicComparison = async (
  deps: TopicDeps,
  environment: TopicRow['environment'],
  rows: readonly TopicRow[],
): Promise<(row: TopicRow, found: ObservedTopic | undefined) => Promise<Drift>> => {
  const schemas = await schemasOf(deps, rows);
  const names = new Set(rows.flatMap((row) => wantedSubjects(row, schemas).map(({ subject }) => subject)));
  const heads = await deps.registry.heads(environment, [...names]);
  return async (row, found) => {
    const subjects: SeenSubject[] = [];
    for (const one of wantedSubjects(row, schemas)) subjects.push(await seenSubject(deps, environment, one, heads.get(one.subject)));
    const topic = isOwn(row, found) ? found : undefined;
    const copies = copiesOf(deps, row.replication_factor);
    return compareTopic(row, { topic, isTaken: found !== undefined && !topic, copies, subjects });
  };
};

/** Compares a single topic. */
export const compare = async (deps: TopicDeps, row: TopicRow, topic: ObservedTopic | undefined): Promise<Drift> =>
  (await topicComparison(deps, row.environment, [row]))(row, topic);
