/** Schemas that another one builds on, as a form has them: by id, under the name by which the content speaks of each, at a version. */
import type { Schema, SchemaType, SchemaUse } from '@slipway/contract/streaming/schema.ts';

export const usesOf = (references: Schema['references']): SchemaUse[] =>
  references.map(({ name, resourceId, revisionId }) => ({ name, resourceId, revisionId }));

const textOf = (uses: readonly SchemaUse[]): string =>
  JSON.stringify(uses.map(({ name, resourceId, revisionId }) => [name, resourceId, revisionId]));
export const isSameUses = (one: readonly SchemaUse[], other: readonly SchemaUse[]): boolean => textOf(one) === textOf(other);

/** One whose name is not typed yet is not asked about. */
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

/** The name by which contents of its type usually speak of a schema: a full name, an address, a file. */
export const usualName = ({ type, name, content }: Pick<Schema, 'type' | 'name' | 'content'>): string => {
  if (type === 'PROTOBUF') return `${name}.proto`;
  const schema = parsed(content);
  if (type === 'JSON') return word(schema['$id']) ?? `${name}.json`;
  const own = word(schema['name']) ?? name;
  const namespace = word(schema['namespace']);
  return namespace === undefined || own.includes('.') ? own : `${namespace}.${own}`;
};

/** Where the name stands in the content. */
export const nameHints: Readonly<Record<SchemaType, string>> = {
  AVRO: 'The full name of the type, as a field’s "type" writes it.',
  JSON: 'The address that "$ref" writes.',
  PROTOBUF: 'The file that the content imports.',
};
