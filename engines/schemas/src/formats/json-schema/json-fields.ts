/** The properties of a JSON Schema as a tree, for columns, masking and search. Also creates sample values. */
import type { JsonValue, SchemaField } from '@slipway/foundation/ports/schema.ts';
import { Budget, schemaLimits } from '../schema-limits.ts';
import { classificationOf } from '../text/classification.ts';
import type { JsonNode, JsonObject } from '../text/json-text.ts';
import { member, textMember, valueOf } from '../text/json-text.ts';
import { namedTypes, opened, otherItems, SchemaPair } from './writer-side.ts';
import type { Resolved } from './writer-side.ts';

/** The tree repeats a schema for each use. Fields beyond this limit are omitted. */
const maxFields = 5000;
/** Maximum nesting of schemas in the tree and in a sample. */
const maxOpen = 20;

const pairOf = (schema: Resolved, steps: number): SchemaPair => new SchemaPair([schema], new Budget(steps, 'subschemas to look at'));

export const jsonFields = (schema: Resolved): SchemaField[] => new FieldTree(schema).below([schema.root], '', []);

class FieldTree {
  readonly #schema: Resolved;
  readonly #pair: SchemaPair;
  #count = 0;

  constructor(schema: Resolved) {
    this.#schema = schema;
    this.#pair = pairOf(schema, schemaLimits.steps);
  }

  below(nodes: readonly JsonNode[], path: string, open: readonly JsonNode[]): SchemaField[] {
    const all = partsOf(nodes, this.#pair);
    if (open.length > maxOpen || all.some((node) => open.includes(node))) return [];
    const within = [...open, ...all];
    const required = new Set(all.flatMap((node) => textItems(node.members.get('required'))));
    const properties = new Map<string, JsonNode[]>();
    for (const node of all) {
      const own = node.members.get('properties');
      if (own?.kind === 'object')
        for (const [name, property] of own.members) properties.set(name, [...(properties.get(name) ?? []), property]);
    }
    const fields = [...properties].flatMap(([name, schemas]) =>
      ++this.#count > maxFields ? [] : [this.#field(name, schemas, path, within, required.has(name))],
    );
    return fields.length > 0 ? fields : this.#items(all, path, within);
  }

  #items(all: readonly JsonObject[], path: string, open: readonly JsonNode[]): SchemaField[] {
    const items = all.flatMap((node) => otherItems(node) ?? []).filter(({ kind }) => kind === 'object');
    const itemPath = joined(path, '*');
    const children = items.length === 0 ? [] : this.below(items, itemPath, open);
    const [first] = items;
    if (children.length === 0 || first === undefined) return [];
    return [{ name: '*', path: itemPath, type: this.#label(items), isOptional: false, line: this.#line(first), children }];
  }

  #field(name: string, schemas: readonly JsonNode[], parent: string, open: readonly JsonNode[], isRequired: boolean): SchemaField {
    const path = joined(parent, name);
    const all = partsOf(schemas, this.#pair);
    const doc = [...schemas, ...all].map((node) => textMember(node, 'description')).find((text) => text !== undefined);
    const values = all.flatMap((node) => textItems(node.members.get('enum')));
    const [first] = schemas;
    return {
      name,
      path,
      type: this.#label(schemas),
      isOptional: !isRequired || all.some((node) => namedTypes(node)?.has('null') === true),
      ...(doc === undefined ? {} : { doc }),
      ...classificationOf(...schemas, ...all),
      ...(values.length === 0 ? {} : { symbols: values }),
      ...(all.some((node) => open.includes(node)) ? { isRecursive: true } : {}),
      line: first === undefined ? 1 : this.#line(first),
      children: this.below(schemas, path, open),
    };
  }

  #label(schemas: readonly JsonNode[]): string {
    const all = partsOf(schemas, this.#pair);
    const types = [...new Set(all.flatMap((node) => [...(namedTypes(node) ?? [])]))];
    const format = all.map((node) => textMember(node, 'format')).find((text) => text !== undefined);
    const label =
      types.length > 0
        ? types.join(' or ')
        : all.some((node) => node.members.has('enum'))
          ? 'enum'
          : all.some((node) => node.members.has('properties'))
            ? 'object'
            : 'any';
    return format === undefined ? label : `${label} (${format})`;
  }

  #line(node: JsonNode): number {
    return this.#schema.resolver.sourceOf(node)?.place(node).line ?? 1;
  }
}

/** Returns a schema with everything that it refers to, including alternatives. Good enough for display, not for proofs. */
const partsOf = (nodes: readonly JsonNode[], pair: SchemaPair): JsonObject[] => {
  const found = new Set<JsonObject>();
  const waiting = [...nodes];
  for (let node = waiting.shift(); node !== undefined && found.size < 1000; node = waiting.shift()) {
    const all = opened([node], pair);
    if (all === false) continue;
    for (const part of all) {
      if (found.has(part)) continue;
      found.add(part);
      for (const name of ['anyOf', 'oneOf']) {
        const list = part.members.get(name);
        if (list?.kind === 'array') waiting.push(...list.items);
      }
    }
  }
  return [...found];
};

const textItems = (node: JsonNode | undefined): string[] =>
  node?.kind === 'array' ? node.items.flatMap((item) => (item.kind === 'string' ? [item.value] : [])) : [];

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const formatSamples: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  uuid: '00000000-0000-0000-0000-000000000000',
  email: 'name@example.com',
  uri: 'https://example.com/',
};

export const jsonSample = (schema: Resolved): JsonValue => sampleOf([schema.root], pairOf(schema, schemaLimits.sampleValues * 4), []);

const sampleOf = (nodes: readonly JsonNode[], pair: SchemaPair, open: readonly JsonNode[]): JsonValue => {
  const all = partsOf(nodes, pair);
  const given = all.map(
    (node) =>
      node.members.get('default') ??
      node.members.get('const') ??
      firstItem(node.members.get('examples')) ??
      firstItem(node.members.get('enum')),
  );
  const value = given.find((found) => found !== undefined);
  if (value !== undefined) return valueOf(value);
  if (open.length > 6 || all.some((node) => open.includes(node))) return null;
  const types = all.flatMap((node) => [...(namedTypes(node) ?? [])]);
  const type =
    types.find((name) => name !== 'null') ?? types[0] ?? (all.some((node) => node.members.has('properties')) ? 'object' : 'null');
  switch (type) {
    case 'object':
      return sampleObject(all, pair, [...open, ...all]);
    case 'array':
      return [];
    case 'string':
      return formatSamples[all.map((node) => textMember(node, 'format')).find((text) => text !== undefined) ?? ''] ?? '';
    case 'number':
    case 'integer':
      return all.map((node) => member(node, 'minimum')).find((found) => found?.kind === 'number')?.value ?? 0;
    case 'boolean':
      return false;
    default:
      return null;
  }
};

const firstItem = (node: JsonNode | undefined): JsonNode | undefined => (node?.kind === 'array' ? node.items[0] : undefined);

const sampleObject = (all: readonly JsonObject[], pair: SchemaPair, open: readonly JsonNode[]): JsonValue => {
  const entries = new Map<string, JsonValue>();
  for (const node of all) {
    const properties = node.members.get('properties');
    if (properties?.kind === 'object')
      for (const [name, property] of properties.members) if (!entries.has(name)) entries.set(name, sampleOf([property], pair, open));
  }
  return Object.fromEntries(entries);
};
