/** Rows of schemas: how a step finds its own, what the registry is asked for it, and which subjects have its versions. */
import type { StoredUse } from '@slipway/contract/streaming/schema.ts';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import { placeOf, rowAt, type Names } from '#modules/resources/index.ts';
import type { SchemaRegistry, SchemaText } from '#ports/schema-registry.ts';

export type SchemaRow = Selectable<DB['event_schema']>;
/** With what was compared last. */
export type WatchedSchema = SchemaRow & Pick<Selectable<DB['schema_watch']>, 'drift'> & { readonly compared_at: Date | null };
export interface SchemaDeps {
  readonly db: Db;
  readonly registry: SchemaRegistry;
}

export const schemaRow = (db: Db, names: Names): Promise<SchemaRow | undefined> =>
  db
    .selectFrom('event_schema')
    .selectAll()
    .where(({ and }) => and(rowAt(placeOf(names), names['schema'] ?? '')))
    .executeTakeFirst();

export const watchedSchema = (db: Db, names: Names): Promise<WatchedSchema | undefined> =>
  db
    .selectFrom('event_schema')
    .leftJoin('schema_watch', 'schema_watch.schema_id', 'event_schema.id')
    .selectAll('event_schema')
    .select(['schema_watch.compared_at', 'schema_watch.drift'])
    .where(({ and }) => and(rowAt(placeOf(names), names['schema'] ?? '')))
    .executeTakeFirst();

/** Of a step: a row that is gone was discarded. */
export const requireSchemaRow = async (db: Db, names: Names): Promise<SchemaRow> => {
  const row = await schemaRow(db, names);
  if (!row) throw new StepFailure('Discarded');
  return row;
};

export const textOf = (type: SchemaRow['type'], content: string, uses: readonly StoredUse[]): SchemaText => ({
  type,
  content,
  references: uses.map(({ name, subject, revisionId }) => ({ name, subject, version: revisionId })),
});

export interface UsedBy {
  readonly topicId: string;
  readonly topic: string;
  readonly applicationCode: string;
  readonly part: 'key' | 'value';
  readonly subject: string;
  /** What the cluster calls it. */
  readonly name: string;
  readonly partitions: number;
  readonly isReady: boolean;
}
/** What a topic's subjects are called: as clients look for them. */
export const subjectOfPart = (topicName: string, part: 'key' | 'value'): string => `${topicName}-${part}`;

/** Topics with the part of their messages that has the schema, each found by its index. */
export const usesOfSchema = (id: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select topic.*, 'key' as part from topic where topic.key_schema_id = ${id}
  union all select topic.*, 'value' as part from topic where topic.value_schema_id = ${id}) topic`;

export const topicsOf = async (db: Db, schemaId: string): Promise<UsedBy[]> => {
  const { rows } = await sql<Omit<UsedBy, 'subject'>>`
    select topic.id as "topicId", topic.name as topic, topic.app_id as "applicationCode", topic.topic_name as name, topic.partitions, part, state = 'ACTIVE' as "isReady"
    from ${usesOfSchema(sql`${schemaId}`)}
    order by topic.app_id, topic.name, part`.execute(db);
  return rows.map((row) => ({ ...row, subject: subjectOfPart(row.name, row.part) }));
};

/**
 * What is known of its drift and of that of its topics is old from here on: of two things that changed one after the other, a comparison may have seen one. One that
 * is under way does not count, either.
 */
export const compareAnew = async (db: Db, schemaId: string): Promise<void> => {
  await sql`update schema_watch set compared_at = compared_at - interval '61 seconds' where schema_id = ${schemaId}`.execute(db);
  await sql`update topic_watch set compared_at = compared_at - interval '61 seconds'
    where topic_id in (select id from topic where key_schema_id = ${schemaId} or value_schema_id = ${schemaId})`.execute(db);
};

/** Its own subject first, then those of topics that stand. Topics on their way register it themselves. */
export const subjectsOf = async (db: Db, row: Pick<SchemaRow, 'id' | 'subject'>): Promise<string[]> => {
  const topics = await topicsOf(db, row.id);
  return [row.subject, ...new Set(topics.filter(({ isReady }) => isReady).map(({ subject }) => subject))];
};
