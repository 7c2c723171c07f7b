/** Converts a message for the console: decoded by schema and masked by class. Undecidable parts are masked like the strictest class. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { MessagePart, TopicFields, TopicMessage } from '@slipway/contract/streaming/message.ts';
import { dataClassifications, isMasked, type DataClassification } from '@slipway/contract/streaming/streaming.ts';
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import type { ParsedSchema } from '#ports/schema.ts';
import type { SchemaRegistry } from '#ports/schema-registry.ts';
import type { StreamMessage } from '#ports/streaming.ts';
import type { TopicRow } from '../topics/topic-rows.ts';
import { classOf, fieldsOf, maskValue, type ClassifiedField } from './masking.ts';

/** Header of the console's test messages. */
export const testHeader = 'slipway-test';
const HEX_BYTES = 1024;
const TEXT_BYTES = 64 * 1024;

export interface ShowDeps {
  readonly db: Db;
  readonly registry: SchemaRegistry;
}
interface Known {
  readonly name: string;
  readonly version: number;
}
export interface Viewing {
  readonly topic: TopicRow;
  /** Class for parts without a schema of their own. */
  readonly strictest: Readonly<Record<'key' | 'value', DataClassification>>;
  /** A user has given a reason to see unmasked values. */
  readonly isRevealed: boolean;
  /** Cache of the platform's schemas by registry id. */
  readonly known: Map<number, Known | null>;
}

const rank = (classification: DataClassification): number => dataClassifications.indexOf(classification);
const strictestOf = (fields: readonly ClassifiedField[], least: DataClassification): DataClassification =>
  fields.reduce((found, { classification, children }) => {
    const own = strictestOf(children, classOf(classification) ?? least);
    return rank(own) > rank(found) ? own : found;
  }, least);

/** Returns the newest registered versions of the topic's schemas, parsed. */
const schemasOf = async ({ db, registry }: ShowDeps, topic: TopicRow): Promise<Record<'key' | 'value', ParsedSchema | undefined>> => {
  const schemas = await db
    .selectFrom('event_schema')
    .select(['id', 'registry_id'])
    .where('id', 'in', [topic.key_schema_id ?? '', topic.value_schema_id])
    .execute();
  const parsed = async (id: string | null): Promise<ParsedSchema | undefined> => {
    const registryId = schemas.find((schema) => schema.id === id)?.registry_id ?? null;
    return registryId === null ? undefined : registry.parsed(topic.environment, registryId);
  };
  const [key, value] = await Promise.all([parsed(topic.key_schema_id), parsed(topic.value_schema_id)]);
  return { key, value };
};

/** Maximum number of fields in a response. */
const mostFields = 500;
export const topicFields = async (deps: ShowDeps, topic: TopicRow): Promise<TopicFields> => {
  const { key, value } = await schemasOf(deps, topic);
  const all = [key, value].map((schema) => fieldsOf(schema?.fields() ?? [], topic.classification));
  const [keys = [], values = []] = all;
  return { key: keys.slice(0, mostFields), value: values.slice(0, mostFields), isPartial: all.some(({ length }) => length > mostFields) };
};

/** Combines the classes of the topic and of its schemas' fields: a message without a readable schema may contain any of these fields. */
export const viewingOf = async (deps: ShowDeps, topic: TopicRow, isRevealed = false): Promise<Viewing> => {
  const { key, value } = await schemasOf(deps, topic);
  const strictest = (schema: ParsedSchema | undefined): DataClassification => strictestOf(schema?.fields() ?? [], topic.classification);
  return { topic, strictest: { key: strictest(key), value: strictest(value) }, isRevealed, known: new Map() };
};

/** Several schemas may share the same content. Prefers the topic's own schemas. */
const learn = async (db: Db, { topic, known }: Viewing, ids: readonly number[]): Promise<void> => {
  const unknown = [...new Set(ids)].filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  const { rows } = await sql<{ registry_id: number; name: string; version: number }>`
    select distinct on (version.registry_id) version.registry_id, event_schema.name, version.version
    from event_schema_version version join event_schema on event_schema.id = version.schema_id
    where event_schema.environment = ${topic.environment} and version.registry_id = any (${unknown}::integer[])
    order by version.registry_id, event_schema.id in (${topic.key_schema_id}, ${topic.value_schema_id}) desc, event_schema.id`.execute(db);
  for (const id of unknown) known.set(id, null);
  for (const { registry_id: id, name, version } of rows) known.set(id, { name, version });
};

const none = { value: null, masked: [], schema: null, hex: null, sizeBytes: null, reason: null } satisfies Omit<MessagePart, 'state'>;
const textOf = (bytes: Uint8Array): string | undefined => {
  if (bytes.length > TEXT_BYTES) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // oxlint-disable-next-line no-control-regex -- control characters tell bytes from text
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
};

const schemaView = (known: Viewing['known'], id: number): MessagePart['schema'] => {
  const found = known.get(id);
  return { registryId: id, name: found?.name ?? null, revisionId: found?.version ?? null };
};

const undecoded = (
  bytes: Uint8Array,
  viewing: Viewing,
  strictest: DataClassification,
  why: Pick<MessagePart, 'schema' | 'reason'>,
): MessagePart => {
  if (isMasked(strictest) && !viewing.isRevealed)
    return { ...none, ...why, state: 'MASKED', masked: [{ path: '', classification: strictest }] };
  const text = why.reason === null ? textOf(bytes) : undefined;
  if (text !== undefined) return { ...none, state: 'TEXT', value: text, sizeBytes: bytes.length };
  const hex = Buffer.from(bytes.subarray(0, HEX_BYTES)).toString('hex');
  return { ...none, ...why, state: 'UNREADABLE', hex, sizeBytes: bytes.length, reason: why.reason ?? 'It was written without a schema' };
};

const showPart = async (
  { db, registry }: ShowDeps,
  environment: Environment,
  viewing: Viewing,
  part: 'key' | 'value',
  bytes: Uint8Array | null,
): Promise<MessagePart> => {
  if (bytes === null) return { ...none, state: 'EMPTY' };
  const decoded = await registry.decode(environment, bytes);
  const strictest = viewing.strictest[part];
  if (decoded.state === 'UNFRAMED') return undecoded(bytes, viewing, strictest, { schema: null, reason: null });
  await learn(db, viewing, [decoded.schemaId]);
  const schema = schemaView(viewing.known, decoded.schemaId);
  if (decoded.state === 'UNREADABLE') return undecoded(bytes, viewing, strictest, { schema, reason: decoded.reason });
  const shown = viewing.isRevealed
    ? { value: decoded.value, masked: [] }
    : maskValue(decoded.value, decoded.schema.fields(), viewing.topic.classification);
  const isWhole = shown.masked.some(({ path }) => path === '');
  return {
    ...none,
    state: isWhole ? 'MASKED' : 'DECODED',
    value: shown.value,
    masked: [...shown.masked],
    schema,
    // The total length would reveal the length of masked values.
    sizeBytes: shown.masked.length > 0 ? null : bytes.length,
  };
};

const headersOf = ({ headers }: StreamMessage, { topic, isRevealed }: Viewing): TopicMessage['headers'] => {
  const isHidden = isMasked(topic.classification) && !isRevealed;
  return headers.map(({ key: name, value }) => ({
    name,
    value: value === null || (isHidden && name !== testHeader) ? null : (textOf(value) ?? `${value.length} bytes`),
  }));
};

export const showMessage = async (deps: ShowDeps, viewing: Viewing, message: StreamMessage): Promise<TopicMessage> => {
  const { environment } = viewing.topic;
  return {
    partition: message.partition,
    offset: String(message.offset),
    at: message.timestamp.toISOString(),
    key: await showPart(deps, environment, viewing, 'key', message.key),
    value: await showPart(deps, environment, viewing, 'value', message.value),
    headers: headersOf(message, viewing),
    isTest: message.headers.some(({ key }) => key === testHeader),
  };
};
