/** Schema rows, their form for the registry, and the subjects with their versions. */
import type { StoredUse } from '@slipway/contract/streaming/schema.ts';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { placeOf, rowAt, rowIn, type Names } from '#modules/resources/index.ts';
import type { SchemaRegistry, SchemaText } from '#ports/schema-registry.ts';

export type SchemaRow = Selectable<DB['event_schema']>;
/** A schema with its last comparison. */
export type WatchedSchema = SchemaRow & Pick<Selectable<DB['schema_watch']>, 'drift'> & { readonly compared_at: Date | null };
export interface SchemaDeps {
  readonly db: Db;
  readonly registry: SchemaRegistry;
}

export const schemaRow = (db: Db, names: Names): Promise<SchemaRow | undefined> => rowIn(db, 'event_schema', names, names['schema']);

export const watchedSchema = (db: Db, names: Names): Promise<WatchedSchema | undefined> =>
  db
    .selectFrom('event_schema')
    .leftJoin('schema_watch', 'schema_watch.schema_id', 'event_schema.id')
    .selectAll('event_schema')
    .select(['schema_watch.compared_at', 'schema_watch.drift'])
    .where(({ and }) => and(rowAt(placeOf(names), names['schema'] ?? '')))
    .executeTakeFirst();

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
  /** Name on the cluster. */
  readonly name: string;
  readonly partitions: number;
  readonly isReady: boolean;
}
/** Returns a subject's name by the convention that clients use. */
export const subjectOfPart = (topicName: string, part: 'key' | 'value'): string => `${topicName}-${part}`;

/** Topics that use the schema, with the part of their messages that has it. Each branch uses an index. */
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
 * Marks the schema's drift and that of its topics as outdated: a comparison may have seen only one of two consecutive changes. Running
 * comparisons don't count either.
 */
export const compareAnew = async (db: Db, schemaId: string): Promise<void> => {
  await sql`update schema_watch set compared_at = compared_at - interval '61 seconds' where schema_id = ${schemaId}`.execute(db);
  await sql`update topic_watch set compared_at = compared_at - interval '61 seconds'
    where topic_id in (select id from topic where key_schema_id = ${schemaId} or value_schema_id = ${schemaId})`.execute(db);
};

/** Returns the schema's own subject, then those of ready topics. Topics in creation register it themselves. */
export const subjectsOf = async (db: Db, row: Pick<SchemaRow, 'id' | 'subject'>): Promise<string[]> => {
  const topics = await topicsOf(db, row.id);
  return [row.subject, ...new Set(topics.filter(({ isReady }) => isReady).map(({ subject }) => subject))];
};
