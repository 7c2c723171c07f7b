/** Topic rows, their form for the cluster, and the subjects of their schemas. */
import type { TopicDraft } from '@slipway/contract/streaming/topic.ts';
import type { Selectable } from 'kysely';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { placeOf, rowAt, type Names } from '#modules/resources/index.ts';
import type { SchemaRegistry, SchemaText } from '#ports/schema-registry.ts';
import type { Streaming, WantedTopic } from '#ports/streaming.ts';
import type { LinkDeps } from '../links.ts';
import { subjectOfPart, textOf, type SchemaRow } from '../schemas/schema-rows.ts';
import { configsOf, type TopicSettings } from './topic-configs.ts';

export type TopicRow = Selectable<DB['topic']>;
/** A topic with the time of its last comparison. */
export type WatchedTopic = TopicRow & { readonly compared_at: Date | null };
export interface TopicDeps extends LinkDeps {
  readonly db: Db;
  readonly streaming: Streaming;
  readonly registry: SchemaRegistry;
}

export const topicRow = (db: Db, names: Names): Promise<WatchedTopic | undefined> =>
  db
    .selectFrom('topic')
    .leftJoin('topic_watch', 'topic_watch.topic_id', 'topic.id')
    .selectAll('topic')
    .select('topic_watch.compared_at')
    .where(({ and }) => and(rowAt(placeOf(names), names['topic'] ?? '')))
    .executeTakeFirst();

/** Returns the actual number of replicas: the embedded broker always keeps one. */
export const copiesOf = ({ streaming }: Pick<TopicDeps, 'streaming'>, wanted: number): number =>
  streaming.isDevelopmentBroker ? 1 : wanted;

export const wantedTopic = (deps: Pick<TopicDeps, 'streaming'>, row: TopicRow): WantedTopic => ({
  name: row.topic_name,
  partitions: row.partitions,
  replication: row.replication_factor,
  configs: configsOf(row, copiesOf(deps, row.replication_factor)),
});

export const settingsOf = (row: TopicRow): TopicDraft => ({
  description: row.description,
  tags: row.tags,
  spec: {
    dataSecurityClassification: row.classification,
    isSharable: row.is_sharable,
    partitionNumber: row.partitions,
    retentionHours: row.retention_hours,
    segmentBytes: row.segment_bytes,
    cleanupPolicy: row.cleanup_policy,
  },
});
/** Returns the part of an update that the cluster stores. */
export const clusterSettingsOf = ({ spec }: TopicDraft, replication: number): TopicSettings => ({
  partitions: spec.partitionNumber,
  retention_hours: spec.retentionHours,
  replication_factor: replication,
  segment_bytes: spec.segmentBytes,
  cleanup_policy: spec.cleanupPolicy,
});
/** Returns all columns except partitions, which are added last because they cannot be removed. */
export const columnsOf = ({ description, tags, spec }: TopicDraft) => ({
  description,
  tags,
  classification: spec.dataSecurityClassification,
  is_sharable: spec.isSharable,
  retention_hours: spec.retentionHours,
  segment_bytes: spec.segmentBytes,
  cleanup_policy: spec.cleanupPolicy,
});

export interface TopicSubject {
  readonly part: 'key' | 'value';
  readonly subject: string;
  readonly schema: SchemaRow;
  readonly text: SchemaText;
}
/** Returns the subjects that clients look for, key first. */
export const topicSubjects = async (db: Db, row: TopicRow): Promise<TopicSubject[]> => {
  const ids = { key: row.key_schema_id, value: row.value_schema_id };
  const schemas = await db
    .selectFrom('event_schema')
    .selectAll()
    .where('id', 'in', [ids.key ?? '', ids.value])
    .execute();
  return (['key', 'value'] as const).flatMap((part) => {
    const schema = schemas.find(({ id }) => id === ids[part]);
    if (!schema) return [];
    return [{ part, schema, subject: subjectOfPart(row.topic_name, part), text: textOf(schema.type, schema.content, schema.uses) }];
  });
};
