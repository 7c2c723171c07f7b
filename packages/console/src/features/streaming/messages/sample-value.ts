/** Creates the smallest valid value of a schema, so that a test message starts with the right fields. Unknown values stay empty. */
import type { SchemaType } from '@slipway/contract/streaming/schema.ts';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const mostDeep = 8;

const avroPlain: Readonly<Record<string, unknown>> = {
  null: null,
  boolean: false,
  int: 0,
  long: 0,
  float: 0,
  double: 0,
  bytes: '',
  string: '',
};

const avro = (type: unknown, named: Map<string, unknown>, depth: number): unknown => {
  if (depth > mostDeep) return null;
  // In Avro, the default of a union belongs to its first branch.
  if (Array.isArray(type)) return avro(type[0], named, depth);
  if (typeof type === 'string')
    return Object.hasOwn(avroPlain, type) ? avroPlain[type] : named.has(type) ? avro(named.get(type), named, depth + 1) : null;
  if (!isRecord(type)) return null;
  const { name, namespace } = type;
  if (typeof name === 'string') {
    named.set(name, type);
    if (typeof namespace === 'string') named.set(`${namespace}.${name}`, type);
  }
  switch (type['type']) {
    case 'record': {
      const fields: unknown[] = Array.isArray(type['fields']) ? type['fields'] : [];
      return Object.fromEntries(
        fields
          .filter(isRecord)
          .map((field) => [String(field['name']), 'default' in field ? field['default'] : avro(field['type'], named, depth + 1)]),
      );
    }
    case 'enum':
      return Array.isArray(type['symbols']) ? type['symbols'][0] : null;
    case 'array':
      return [];
    case 'map':
      return {};
    default:
      return avro(type['type'], named, depth + 1);
  }
};

const jsonPlain: Readonly<Record<string, unknown>> = { string: '', number: 0, integer: 0, boolean: false, null: null, array: [] };

const json = (schema: unknown, depth: number): unknown => {
  if (!isRecord(schema) || depth > mostDeep) return null;
  if ('default' in schema) return schema['default'];
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const { type, properties } = schema;
  if (isRecord(properties)) return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, json(inner, depth + 1)]));
  const word = Array.isArray(type) ? type[0] : type;
  return typeof word === 'string' && Object.hasOwn(jsonPlain, word) ? jsonPlain[word] : {};
};

export const sampleOf = (type: SchemaType, content: string): unknown => {
  try {
    const schema: unknown = JSON.parse(content);
    return type === 'AVRO' ? avro(schema, new Map(), 0) : json(schema, 0);
  } catch {
    return {};
  }
};
