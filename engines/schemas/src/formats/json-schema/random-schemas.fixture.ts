/** Random JSON Schemas, slightly changed copies, and values near their limits. */
import type { RandomSource } from '../random-source.fixture.ts';

export type Json = null | boolean | number | string | Json[] | JsonRecord;
export interface JsonRecord {
  [name: string]: Json;
}
/** 7 uses `definitions` and tuples as `items`. 2020 uses `$defs` and `prefixItems`. */
export type RandomDraft = 7 | 2020;

const NAMES = ['a', 'b', 'ab'] as const;
const PATTERNS = ['^a', 'b$', '^[a-c]+$'] as const;
const CONSTANTS: readonly [Json, ...Json[]] = [null, true, false, 0, 1, 2, 3, 1.5, '', 'a', 'ab', 'abc', [], [1], {}, { a: 1 }];
const isRecord = (value: Json | undefined): value is JsonRecord => typeof value === 'object' && value !== null && !Array.isArray(value);

export class SchemaMaker {
  readonly #random: RandomSource;
  readonly #draft: RandomDraft;

  constructor(random: RandomSource, draft: RandomDraft) {
    this.#random = random;
    this.#draft = draft;
  }

  /** Returns a whole schema. Only `value` refers to its definitions. */
  root(): JsonRecord {
    const value = this.schema(3);
    return {
      ...(this.#draft === 2020 ? { $schema: 'https://json-schema.org/draft/2020-12/schema' } : {}),
      [this.#definitions]: { d: this.schema(2) },
      properties: { value },
    };
  }

  get #definitions(): string {
    return this.#draft === 2020 ? '$defs' : 'definitions';
  }

  schema(depth: number): Json {
    const random = this.#random;
    if (random.isOneIn(25)) return random.one([true, false, {}]);
    if (depth === 0) return this.#leaf();
    switch (random.below(12)) {
      case 0:
      case 1:
        return this.#object(depth - 1);
      case 2:
        return this.#array(depth - 1);
      case 3:
      case 4:
        return { ...(random.isOneIn(3) ? this.#record(this.#leaf()) : {}), [random.one(['anyOf', 'oneOf'])]: this.#list(depth - 1, 3) };
      case 5:
        return { allOf: this.#list(depth - 1, 2) };
      case 6:
        return { ...this.#record(this.#leaf()), not: this.schema(depth - 1) };
      case 7:
        return random.isOneIn(2) ? this.#conditional(depth - 1) : { $ref: `#/${this.#definitions}/d` };
      default:
        return this.#leaf();
    }
  }

  #record(schema: Json): JsonRecord {
    return isRecord(schema) ? schema : {};
  }

  #list(depth: number, most: number): Json[] {
    return Array.from({ length: 1 + this.#random.below(most) }, () => this.schema(depth));
  }

  #conditional(depth: number): JsonRecord {
    const branches = ['if', 'then'].map((name) => [name, this.schema(depth)]);
    return Object.fromEntries(this.#random.isOneIn(2) ? [...branches, ['else', this.schema(depth)]] : branches);
  }

  #leaf(): Json {
    const random = this.#random;
    switch (random.below(9)) {
      case 0:
      case 1:
        return { type: 'integer', ...this.#bounds() };
      case 2:
        return { type: 'number', ...this.#bounds() };
      case 3:
      case 4:
        return { type: 'string', ...this.#maybe({ minLength: random.below(3), maxLength: 1 + random.below(3) }), ...this.#pattern() };
      case 5:
        return { enum: [random.one(CONSTANTS), ...random.some(CONSTANTS, 3)].filter(isNew) };
      case 6:
        return { const: random.one(CONSTANTS) };
      case 7:
        return { type: [random.one(['string', 'null']), random.one(['integer', 'number', 'boolean'])], ...this.#bounds() };
      default:
        return random.one<Json>([{ type: 'null' }, { type: 'boolean' }, this.#bounds(), this.#pattern()]);
    }
  }

  #maybe(keywords: JsonRecord): JsonRecord {
    return Object.fromEntries(Object.entries(keywords).filter(() => this.#random.isOneIn(2)));
  }

  #pattern(): JsonRecord {
    return this.#random.isOneIn(4) ? { pattern: this.#random.one(PATTERNS) } : {};
  }

  #bounds(): JsonRecord {
    const random = this.#random;
    const bound = () => random.one([0, 1, 2, 3, 1.5]);
    const found = this.#maybe({ minimum: bound(), maximum: bound() });
    if (random.isOneIn(4)) found[random.one(['exclusiveMinimum', 'exclusiveMaximum'])] = bound();
    if (random.isOneIn(5)) found['multipleOf'] = random.one([0.5, 1, 2, 3]);
    return found;
  }

  #object(depth: number): JsonRecord {
    const random = this.#random;
    const schemas = (names: readonly string[], most: number) =>
      Object.fromEntries(random.some(names, most).map((name) => [name, this.schema(depth)]));
    const found: JsonRecord = random.isOneIn(6) ? {} : { type: 'object' };
    if (!random.isOneIn(4)) found['properties'] = schemas(NAMES, 2);
    if (random.isOneIn(2)) found['required'] = random.some(NAMES, 2);
    if (random.isOneIn(3)) found['additionalProperties'] = random.isOneIn(2) ? false : this.schema(depth);
    if (random.isOneIn(5)) found['patternProperties'] = schemas(PATTERNS, 2);
    if (random.isOneIn(8)) found['propertyNames'] = { ...this.#maybe({ maxLength: 1 }), ...this.#pattern() };
    if (random.isOneIn(6)) found['minProperties'] = random.below(3);
    if (random.isOneIn(6)) found['maxProperties'] = random.below(3);
    if (random.isOneIn(8)) {
      const [names, dependents] = this.#draft === 2020 ? ['dependentRequired', 'dependentSchemas'] : ['dependencies', 'dependencies'];
      if (random.isOneIn(2)) found[names] = { [random.one(NAMES)]: random.some(NAMES, 2) };
      else found[dependents] = { [random.one(NAMES)]: this.schema(depth) };
    }
    if (this.#draft === 2020 && random.isOneIn(12)) found['unevaluatedProperties'] = false;
    return found;
  }

  #array(depth: number): JsonRecord {
    const random = this.#random;
    const found: JsonRecord = { ...(random.isOneIn(6) ? {} : { type: 'array' }), ...this.#maybe({ minItems: random.below(3) }) };
    if (random.isOneIn(3)) found['maxItems'] = random.below(4);
    if (random.isOneIn(5)) found['uniqueItems'] = true;
    if (random.isOneIn(4)) found['contains'] = this.schema(depth);
    if (this.#draft === 2020 && random.isOneIn(8)) found['maxContains'] = 1 + random.below(2);
    if (this.#draft === 2020 && random.isOneIn(8)) found['minContains'] = random.below(3);
    const isUniform = random.isOneIn(2);
    const isTuple = !isUniform && random.isOneIn(2);
    if (isUniform) found['items'] = this.schema(depth);
    if (isTuple) {
      found[this.#draft === 2020 ? 'prefixItems' : 'items'] = this.#list(depth, 2);
      if (random.isOneIn(2)) found[this.#draft === 2020 ? 'items' : 'additionalItems'] = random.isOneIn(2) ? false : this.schema(depth);
    }
    if (this.#draft === 2020 && random.isOneIn(6)) found['unevaluatedItems'] = random.isOneIn(2) ? false : this.schema(depth);
    return found;
  }

  /** Returns the schema with up to three small changes. */
  changed(schema: JsonRecord): JsonRecord {
    const copy = structuredClone(schema);
    for (let left = 1 + this.#random.below(3); left > 0; left--) this.#change(copy);
    if (this.#draft === 7) dropBesideReferences(copy);
    return copy;
  }

  #change(root: JsonRecord): void {
    const places = [...holders(root)];
    const place = places[this.#random.below(places.length)];
    if (place) this.#changeAt(place);
  }

  #changeAt({ holder, key, schema }: Place): void {
    const random = this.#random;
    const put = (value: Json): void => {
      if (Array.isArray(holder)) holder[Number(key)] = value;
      else holder[key] = value;
    };
    if (!isRecord(schema)) return put(this.schema(1));
    const keys = Object.keys(schema);
    const keyword = keys[random.below(keys.length)] ?? '';
    const value = schema[keyword];
    switch (random.below(9)) {
      case 0:
        return put(this.schema(1));
      case 1:
        return put({ [random.one(['anyOf', 'oneOf', 'allOf'])]: [schema, this.schema(1)] });
      case 2:
        delete schema[keyword];
        return undefined;
      case 3:
        Object.assign(schema, this.#record(this.#leaf()));
        return undefined;
      case 4: {
        const [from, to] = random.one([
          ['anyOf', 'oneOf'],
          ['oneOf', 'anyOf'],
        ]);
        const list = schema[from];
        if (list === undefined) return undefined;
        delete schema[from];
        schema[to] = list;
        return undefined;
      }
      default:
        if (typeof value === 'number') schema[keyword] = Math.max(value + random.one([-1, 1, -0.5]), keyword === 'multipleOf' ? 0.5 : -1);
        else if (Array.isArray(value) && ['anyOf', 'oneOf', 'allOf'].includes(keyword)) {
          if (random.isOneIn(2) && value.length > 1) value.splice(random.below(value.length), 1);
          else value.push(this.schema(1));
        } else if (Array.isArray(value) && keyword === 'enum') value.push(random.one(CONSTANTS));
        else if (Array.isArray(value) && keyword === 'required') schema[keyword] = random.some(NAMES, 2);
        return undefined;
    }
  }

  /** Returns a document that the schema may accept or narrowly refuse. */
  document(root: JsonRecord): Json {
    const { properties } = root;
    return { value: this.#value(isRecord(properties) ? (properties['value'] ?? true) : true, root, 5) };
  }

  #value(schema: Json, root: JsonRecord, depth: number): Json {
    const random = this.#random;
    if (!isRecord(schema) || depth === 0 || random.isOneIn(12)) return this.#anyValue(depth);
    const inner = (next: Json | undefined): Json => this.#value(next ?? true, root, depth - 1);
    if (Array.isArray(schema['enum'])) return schema['enum'][random.below(schema['enum'].length)] ?? null;
    if (schema['const'] !== undefined) return schema['const'];
    const lists = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => (Array.isArray(schema[name]) ? schema[name] : []));
    if (lists.length > 0 && !random.isOneIn(4)) return inner(lists[random.below(lists.length)]);
    if (schema['$ref'] !== undefined) {
      const definitions = root[this.#definitions];
      return inner(isRecord(definitions) ? definitions['d'] : true);
    }
    const branches = ['if', 'then', 'else'].flatMap((name) => schema[name] ?? []);
    if (branches.length > 0) return inner(branches[random.below(branches.length)]);
    const type = Array.isArray(schema['type']) ? schema['type'][random.below(schema['type'].length)] : schema['type'];
    if (type === 'object' || schema['properties'] !== undefined) return this.#objectValue(schema, inner);
    if (type === 'array' || schema['items'] !== undefined || schema['contains'] !== undefined) return this.#arrayValue(schema, inner);
    if (type === 'string') return random.one(['', 'a', 'b', 'ab', 'abc', 'ba', 'aaaa']);
    if (type === 'number' || type === 'integer' || Object.values(schema).some((value) => typeof value === 'number'))
      return this.#near(schema);
    return type === 'null' ? null : type === 'boolean' ? random.isOneIn(2) : this.#anyValue(depth);
  }

  #near(schema: JsonRecord): number {
    const numbers = Object.values(schema).filter((value) => typeof value === 'number');
    return (numbers[this.#random.below(Math.max(1, numbers.length))] ?? 1) + this.#random.one([0, 0, 1, -1, 0.5, -0.5, 2]);
  }

  #objectValue(schema: JsonRecord, inner: (schema: Json | undefined) => Json): JsonRecord {
    const { properties, patternProperties, additionalProperties } = schema;
    const required = Array.isArray(schema['required']) ? schema['required'].filter((name) => typeof name === 'string') : [];
    const names = [...this.#random.some([...NAMES, 'c', 'xb'], 3), ...required];
    const named = isRecord(properties) ? properties : {};
    const patterns = isRecord(patternProperties) ? Object.values(patternProperties) : [];
    return Object.fromEntries(names.map((name) => [name, inner(named[name] ?? patterns[this.#random.below(3)] ?? additionalProperties)]));
  }

  #arrayValue(schema: JsonRecord, inner: (schema: Json | undefined) => Json): Json[] {
    const tuple = Array.isArray(schema['items']) ? schema['items'] : Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
    const others = [
      schema['contains'],
      Array.isArray(schema['items']) ? schema['additionalItems'] : (schema['items'] ?? schema['unevaluatedItems']),
    ];
    const item = (at: number): Json => inner(tuple[at] ?? others[this.#random.below(2)] ?? others[1]);
    const found = Array.from({ length: this.#random.below(4) }, (_, at) => item(at));
    return this.#random.isOneIn(4) && found[0] !== undefined ? [...found, found[0]] : found;
  }

  #anyValue(depth: number): Json {
    const random = this.#random;
    if (depth > 0 && random.isOneIn(6)) return { [random.one(NAMES)]: this.#anyValue(depth - 1) };
    if (depth > 0 && random.isOneIn(6)) return [this.#anyValue(depth - 1)];
    return random.isOneIn(2) ? random.one([-1, 0, 0.5, 1, 1.5, 2, 3, 4, 6]) : random.one(CONSTANTS);
  }
}

const isNew = (value: Json, at: number, all: readonly Json[]): boolean =>
  all.findIndex((other) => JSON.stringify(other) === JSON.stringify(value)) === at;

/** Draft 7 ignores keywords beside `$ref`, but Ajv does not. */
const dropBesideReferences = (root: JsonRecord): void => {
  for (const { schema } of holders(root))
    if (isRecord(schema) && schema['$ref'] !== undefined) for (const name of Object.keys(schema)) if (name !== '$ref') delete schema[name];
};

interface Place {
  readonly holder: Json[] | JsonRecord;
  readonly key: string;
  readonly schema: Json;
}
const single = [
  'additionalProperties',
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
  'items',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
];
const many = ['properties', 'patternProperties', 'definitions', '$defs', 'dependentSchemas', 'anyOf', 'oneOf', 'allOf', 'prefixItems'];

/** Yields every subschema with its container. */
function* holders(schema: Json): Generator<Place> {
  if (!isRecord(schema)) return;
  for (const name of single) {
    const inner = schema[name];
    if (inner === undefined || Array.isArray(inner)) continue;
    yield { holder: schema, key: name, schema: inner };
    yield* holders(inner);
  }
  for (const name of [...many, 'items']) {
    const inner = schema[name];
    if (typeof inner !== 'object' || inner === null || (name === 'items' && !Array.isArray(inner))) continue;
    for (const [key, one] of Object.entries(inner)) {
      yield { holder: inner, key, schema: one };
      yield* holders(one);
    }
  }
}
