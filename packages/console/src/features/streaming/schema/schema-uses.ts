/** References of a schema as form values: id, reference name, and version. */
import type { Schema, SchemaType, SchemaUse } from '@slipway/contract/streaming/schema.ts';

export const usesOf = (references: Schema['references']): SchemaUse[] =>
  references.map(({ name, resourceId, revisionId }) => ({ name, resourceId, revisionId }));

const textOf = (uses: readonly SchemaUse[]): string =>
  JSON.stringify(uses.map(({ name, resourceId, revisionId }) => [name, resourceId, revisionId]));
export const isSameUses = (one: readonly SchemaUse[], other: readonly SchemaUse[]): boolean => textOf(one) === textOf(other);

/** Omits references without a name, which are incomplete. */
export const namedUses = (uses: readonly SchemaUse[]): SchemaUse[] => uses.filter(({ name }) => name.trim() !== '');

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
const parsed = (content: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(content);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
};
const word = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The usual reference name for a schema of this type: a full name, a URL, or a file. */
export const usualName = ({ type, name, content }: Pick<Schema, 'type' | 'name' | 'content'>): string => {
  if (type === 'PROTOBUF') return `${name}.proto`;
  const schema = parsed(content);
  if (type === 'JSON') return word(schema['$id']) ?? `${name}.json`;
  const own = word(schema['name']) ?? name;
  const namespace = word(schema['namespace']);
  return namespace === undefined || own.includes('.') ? own : `${namespace}.${own}`;
};

/** Explains where the content uses the name. */
export const nameHints: Readonly<Record<SchemaType, string>> = {
  AVRO: 'The full name of the type, as a field’s "type" writes it.',
  JSON: 'The address that "$ref" writes.',
  PROTOBUF: 'The file that the content imports.',
};
