/** Counts which schema versions wrote the newest messages of a schema's topics, by the schema ids in their keys and values. */
import { sampleLimits, type SchemaSample } from '@slipway/contract/streaming/schema-sample.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Streaming, StreamMessage } from '#ports/streaming.ts';
import { topicsOf, type SchemaDeps, type SchemaRow } from './schema-rows.ts';

export interface SampleDeps extends SchemaDeps {
  readonly streaming: Streaming;
}
/** The port's read limit per partition. */
const PARTITION_MESSAGES = 500;
const SAMPLE_BYTES = 4 * 1024 * 1024;

/** Returns the last messages of each partition, about as many as wanted in total. Empty if the cluster has lost the topic. */
const newestOf = async ({ streaming }: SampleDeps, environment: SchemaRow['environment'], topic: string, partitions: number) => {
  const limit = Math.min(PARTITION_MESSAGES, Math.ceil(sampleLimits.messages / partitions));
  try {
    const { messages } = await streaming.browse(environment, { topic, from: { at: 'end' }, limit, maxBytes: SAMPLE_BYTES });
    return messages.slice(-sampleLimits.messages);
  } catch (error) {
    if (isPortFailure(error, 'notFound')) return [];
    throw error;
  }
};

/** Returns undefined if the message was written without a schema. */
const schemaIdOf = async (
  { registry }: SampleDeps,
  environment: SchemaRow['environment'],
  bytes: Uint8Array,
): Promise<number | undefined> => {
  const read = await registry.decode(environment, bytes);
  return read.state === 'UNFRAMED' ? undefined : read.schemaId;
};

const versionsOf = async ({ db }: SampleDeps, { id }: SchemaRow): Promise<ReadonlyMap<number | null, number>> => {
  const rows = await db.selectFrom('event_schema_version').select(['registry_id', 'version']).where('schema_id', '=', id).execute();
  return new Map(rows.map((row) => [row.registry_id, row.version]));
};

export const sampleSchema = async (deps: SampleDeps, row: SchemaRow): Promise<SchemaSample> => {
  const used = (await topicsOf(deps.db, row.id)).filter(({ isReady }) => isReady);
  const versions = await versionsOf(deps, row);
  const counts = new Map<number, number>();
  const topics: SchemaSample['topics'] = [];
  let [other, none] = [0, 0];
  for (const { topicId, topic, applicationCode, part, name, partitions } of used.slice(0, sampleLimits.topics)) {
    const found = await newestOf(deps, row.environment, name, partitions);
    // Skips tombstones and missing keys, which have no schema.
    const parts = found.flatMap((message: StreamMessage) => message[part] ?? []);
    for (const bytes of parts) {
      const schemaId = await schemaIdOf(deps, row.environment, bytes);
      const version = schemaId === undefined ? undefined : versions.get(schemaId);
      if (version !== undefined) counts.set(version, (counts.get(version) ?? 0) + 1);
      else if (schemaId === undefined) none += 1;
      else other += 1;
    }
    topics.push({ topicId, topic, applicationCode, part, messages: parts.length });
  }
  return {
    at: new Date().toISOString(),
    messages: topics.reduce((sum, { messages }) => sum + messages, 0),
    topics,
    isPartial: used.length > sampleLimits.topics,
    versions: [...counts].map(([revisionId, messages]) => ({ revisionId, messages })).sort((one, next) => next.revisionId - one.revisionId),
    other,
    none,
  };
};
