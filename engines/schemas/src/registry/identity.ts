/**
 * The identity of a schema: its type, meaning and references, but not its layout. Clients look up schemas as their library writes them, and
 * Avro libraries write names differently: Apache's Java library splits full names into namespace and name.
 */
import { hash } from 'node:crypto';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { ParsedSchema } from '@slipway/foundation/ports/schema.ts';
import type { SchemaReference } from '@slipway/foundation/ports/schema-registry.ts';

const PRIMITIVES = new Set(['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string']);
const NAMED = new Set(['record', 'error', 'enum', 'fixed']);

/** Keeps the source text of numbers that a double cannot represent exactly. */
const readExactly = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && !(Number.isFinite(value) && value % 1 !== 0) ? `number ${source}` : value,
  );

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
};

const fullName = (name: string, namespace: string): string =>
  name.includes('.') || namespace === '' || PRIMITIVES.has(name) ? name : `${namespace}.${name}`;

const inNames = (type: unknown, namespace: string): unknown => {
  if (typeof type === 'string') return fullName(type, namespace);
  if (Array.isArray(type)) return type.map((branch) => inNames(branch, namespace));
  if (!isRecord(type)) return type;
  const { type: kind, ...others } = type;
  if (typeof kind === 'string' && NAMED.has(kind)) return namedType(kind, others, namespace);
  const parts = [
    ['type', kind === 'array' || kind === 'map' ? kind : inNames(kind, namespace)],
    ...Object.entries(others).map(([key, value]) => [key, key === 'items' || key === 'values' ? inNames(value, namespace) : sorted(value)]),
  ];
  // An object that contains only a type is equivalent to that type.
  return parts.length === 1 ? parts[0]?.[1] : sorted(Object.fromEntries(parts));
};

const namedType = (kind: string, { namespace: space, ...others }: Record<string, unknown>, around: string): unknown => {
  const written = typeof others['name'] === 'string' ? others['name'] : '';
  const own = typeof space === 'string' ? space : around;
  const name = fullName(written, own);
  const inside = name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : '';
  const aliases = Array.isArray(others['aliases']) ? { aliases: others['aliases'].map((alias) => fullName(String(alias), inside)) } : {};
  const fields = Array.isArray(others['fields']) ? { fields: others['fields'].map((field) => fieldOf(field, inside)) } : {};
  return sorted({ ...others, ...aliases, ...fields, type: kind, name });
};

const fieldOf = (field: unknown, namespace: string): unknown => {
  if (!isRecord(field)) return field;
  const { type, order, ...others } = field;
  return { ...others, type: inNames(type, namespace), ...(order === undefined || order === 'ascending' ? {} : { order }) };
};

/** Apache's parser accepts the unquoted name of a primitive as a schema. */
const avroMeaning = (content: string): string => {
  const text = content.trim();
  return JSON.stringify(inNames(PRIMITIVES.has(text) ? text : readExactly(text), ''));
};

const meaningOf = ({ type, content, canonical }: ParsedSchema): string => (type === 'AVRO' ? avroMeaning(content) : canonical);

/** Hashes the schema with its `references`, which must have resolved versions. */
export const identityOf = (schema: ParsedSchema, references: readonly SchemaReference[]): Buffer => {
  const used = references
    .map(({ name, subject, version }) => [name, subject, version])
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return hash('sha256', JSON.stringify([schema.type, meaningOf(schema), used]), 'buffer');
};
