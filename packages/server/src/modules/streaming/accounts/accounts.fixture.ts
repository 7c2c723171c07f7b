/** Seeds topics as pipelines would leave them: a row, and the topic on the cluster. For tests of access to topics. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { physicalName, type DataClassification } from '@slipway/contract/streaming/streaming.ts';
import type { Db } from '#db/database.ts';
import type { Streaming } from '#ports/streaming.ts';

export interface SeededTopic {
  readonly app: string;
  readonly name: string;
  readonly environment?: Environment;
  readonly classification?: DataClassification;
  readonly isSharable?: boolean;
}

const by = { created_by: 'olga', created_by_name: 'Olga Owner', updated_by: 'olga', updated_by_name: 'Olga Owner' };

/** Returns the topic's id. Without a cluster only the row is inserted. */
export const seedTopic = async (
  db: Db,
  streaming: Streaming | undefined,
  { app, name, environment = 'development', classification = 'INTERNAL', isSharable = true }: SeededTopic,
): Promise<string> => {
  const topicName = physicalName(app, name);
  await streaming?.createTopic(environment, { name: topicName, partitions: 1, replication: 1, configs: {} });
  const [id, schema] = [`tp_${app}_${environment}_${name}`, `es_${app}_${environment}_${name}`];
  const place = { app_id: app, environment, name, ...by, state: 'ACTIVE' } as const;
  await db
    .insertInto('event_schema')
    .values({ ...place, id: schema, type: 'AVRO', compatibility: 'BACKWARD', subject: `${topicName}-value`, content: '"string"' })
    .execute();
  await db
    .insertInto('topic')
    .values({
      ...place,
      id,
      topic_name: topicName,
      description: `Events of ${name}`,
      classification,
      is_sharable: isSharable,
      partitions: 1,
      retention_hours: 24,
      replication_factor: 1,
      segment_bytes: 1_073_741_824,
      cleanup_policy: 'DELETE',
      value_schema_id: schema,
    })
    .execute();
  return id;
};
