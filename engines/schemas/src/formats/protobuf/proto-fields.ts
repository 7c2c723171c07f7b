/** The fields of a Protobuf schema's first message as a tree, and a sample value in Protobuf's JSON. */
import type { JsonValue, SchemaField } from '@slipway/foundation/ports/schema.ts';
import { Budget, schemaLimits } from '../schema-limits.ts';
import { jsonName } from './proto-rules.ts';
import type { ProtoField, ProtoMessage } from './proto-file.ts';
import type { LinkedSchema } from './link-proto.ts';

/** The tree repeats a message for each use. Fields beyond this limit are omitted. */
const maxFields = 5000;
const maxOpen = 20;

export const protoFields = (schema: LinkedSchema): SchemaField[] => {
  const [root] = schema.file.messages;
  return root === undefined ? [] : new FieldTree(schema).below(root, '', []);
};

class FieldTree {
  readonly #schema: LinkedSchema;
  #count = 0;

  constructor(schema: LinkedSchema) {
    this.#schema = schema;
  }

  below(message: ProtoMessage, path: string, open: readonly ProtoMessage[]): SchemaField[] {
    if (open.length > maxOpen || open.includes(message) || message.fullName.startsWith('google.protobuf.')) return [];
    return message.fields.flatMap((field) => (++this.#count > maxFields ? [] : [this.#field(field, message, path, [...open, message])]));
  }

  /** Uses JSON names, because messages are displayed as JSON. */
  #field(field: ProtoField, parent: ProtoMessage, outer: string, open: readonly ProtoMessage[]): SchemaField {
    const name = jsonName(field);
    const path = outer === '' ? name : `${outer}.${name}`;
    const type = this.#schema.linker.typeOf(field);
    const message = typeof type === 'object' && type.kind === 'message' ? type : undefined;
    const isMany = field.label === 'repeated' || field.keyType !== undefined;
    const inner = message === undefined ? [] : this.below(message, isMany ? `${path}.*` : path, open);
    const source = this.#schema.linker.homeOf(parent)?.source ?? this.#schema.source;
    const { line } = source.place(field.span);
    const label = typeof type === 'object' ? type.name : (type ?? field.typeName);
    return {
      name,
      path,
      type: field.keyType !== undefined ? `map of ${label}` : field.label === 'repeated' ? `list of ${label}` : label,
      isOptional: field.label !== 'required',
      ...(field.doc === undefined ? {} : { doc: field.doc }),
      ...classificationIn(field),
      ...(typeof type === 'object' && type.kind === 'enum' ? { symbols: type.values.map((value) => value.name) } : {}),
      ...(message !== undefined && open.includes(message) ? { isRecursive: true } : {}),
      line,
      children:
        isMany && inner.length > 0 ? [{ name: '*', path: `${path}.*`, type: label, isOptional: false, line, children: inner }] : inner,
    };
  }
}

/**
 * Returns the classification from an option with that name, the tags of Confluent's field_meta, or `@classification CONFIDENTIAL` in the
 * comment.
 */
const classificationIn = (field: ProtoField): { classification?: string } => {
  const option = field.options.find(({ name }) => /classification\)?$|field_meta\)(\.tags)?$/.test(name));
  const word = option === undefined ? /@classification\s+([A-Za-z_]{1,50})/.exec(field.doc ?? '')?.[1] : (option.texts[0] ?? option.value);
  return word === undefined || word.length > 50 || word.startsWith('{') ? {} : { classification: word.toUpperCase() };
};

const wellKnownSamples: Readonly<Record<string, JsonValue>> = {
  'google.protobuf.Timestamp': '2026-01-31T12:00:00Z',
  'google.protobuf.Duration': '60s',
  'google.protobuf.Struct': {},
  'google.protobuf.Value': null,
  'google.protobuf.ListValue': [],
  'google.protobuf.FieldMask': '',
  'google.protobuf.Any': {},
  'google.protobuf.StringValue': '',
  'google.protobuf.BytesValue': '',
  'google.protobuf.BoolValue': false,
  'google.protobuf.Int64Value': '0',
  'google.protobuf.UInt64Value': '0',
};

export const protoSample = (schema: LinkedSchema): JsonValue => {
  const [root] = schema.file.messages;
  return root === undefined
    ? {}
    : sampleOf(root, { schema, open: [], budget: new Budget(schemaLimits.sampleValues, 'values in a sample') });
};

interface Within {
  readonly schema: LinkedSchema;
  readonly open: readonly ProtoMessage[];
  readonly budget: Budget;
}

const sampleOf = (message: ProtoMessage, { schema, open, budget }: Within): JsonValue => {
  if (Object.hasOwn(wellKnownSamples, message.fullName)) return wellKnownSamples[message.fullName] ?? null;
  if (/^google\.protobuf\.\w+Value$/.test(message.fullName)) return 0;
  const within: Within = { schema, open: [...open, message], budget };
  const oneofs = new Set<string>();
  return Object.fromEntries(
    message.fields.flatMap((field): [string, JsonValue][] => {
      // Only the first field of a oneof is set.
      if (field.oneof !== undefined && oneofs.has(field.oneof)) return [];
      const value = fieldSample(field, within);
      if (value === undefined) return [];
      if (field.oneof !== undefined) oneofs.add(field.oneof);
      return [[jsonName(field), value]];
    }),
  );
};

/** Returns undefined if the sample would recurse forever. */
const fieldSample = (field: ProtoField, within: Within): JsonValue | undefined => {
  within.budget.spend();
  if (field.keyType !== undefined) return {};
  if (field.label === 'repeated') return [];
  const { schema, open } = within;
  const type = schema.linker.typeOf(field);
  if (typeof type === 'object') {
    if (type.kind === 'enum') return type.values[0]?.name ?? 0;
    return open.includes(type) || open.length > 6 ? undefined : sampleOf(type, within);
  }
  if (type === 'string' || type === 'bytes') return '';
  if (type === 'bool') return false;
  return type !== undefined && type.endsWith('64') ? '0' : 0;
};
