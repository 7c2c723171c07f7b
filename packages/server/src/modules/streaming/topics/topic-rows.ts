/** Rows of topics: how a step finds its own, what the cluster is asked for it, and the subjects of its schemas. */
import type { TopicDraft } from '@slipway/contract/streaming/topic.ts';
import type { Selectable } from 'kysely';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import { placeOf, rowAt, type Names } from '#modules/resources/index.ts';
import type { SchemaRegistry, SchemaText } from '#ports/schema-registry.ts';
import type { Streaming, WantedTopic } from '#ports/streaming.ts';
import type { LinkDeps } from '../links.ts';
import { subjectOfPart, textOf, type SchemaRow } from '../schemas/schema-rows.ts';
import { configsOf, type TopicSettings } from './topic-configs.ts';

export type TopicRow = Selectable<DB['topic']>;
/** With when it was compared last. */
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

/** Of a step: a row that is gone was discarded. */
export const requireTopicRow = async (db: Db, names: Names): Promise<WatchedTopic> => {
  const row = await topicRow(db, names);
  if (!row) throw new StepFailure('Discarded');
  return row;
};

/** The embedded broker keeps one copy of whatever is asked for. */
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
/** What the cluster has of an update. */
export const clusterSettingsOf = ({ spec }: TopicDraft, replication: number): TopicSettings => ({
  partitions: spec.partitionNumber,
  retention_hours: spec.retentionHours,
  replication_factor: replication,
  segment_bytes: spec.segmentBytes,
  cleanup_policy: spec.cleanupPolicy,
});
/** Everything but the partitions: those are added last, since there is no way back. */
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
/** The subjects under which clients look for its schemas, key first. */
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
