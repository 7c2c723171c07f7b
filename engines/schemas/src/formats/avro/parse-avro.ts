/**
 * Parses an Avro schema by the rules of the specification 1.12, as Apache's Java parser applies them. Reports every problem, not only the
 * first.
 */
import type { SchemaProblem } from '@slipway/foundation/ports/schema.ts';
import { schemaLimits, Budget } from '../schema-limits.ts';
import type { JsonNode, JsonObject } from '../text/json-text.ts';
import { member, textMember } from '../text/json-text.ts';
import type { SourceText } from '../text/source-text.ts';
import { defaultProblem } from './avro-default.ts';
import { avroPrimitives } from './avro-type.ts';
import type { AvroEnum, AvroField, AvroFixed, AvroNamed, AvroPrimitive, AvroRecord, AvroType, AvroUnion } from './avro-type.ts';
import { isNamed } from './avro-type.ts';
import { logicalTypeOf } from './logical-type.ts';

const isPrimitive = (name: string): name is AvroPrimitive => avroPrimitives.some((known) => known === name);
const namePart = '[A-Za-z_][A-Za-z0-9_]*';
const simpleName = new RegExp(`^${namePart}$`);
/** Linear: no two parts of the pattern match the same letters. */
const dottedName = new RegExp(String.raw`^${namePart}(\.${namePart})*$`);

/** Parses one schema with its references. All of them share one set of names. */
export class AvroParser {
  readonly problems: SchemaProblem[] = [];
  /** Types by full name. */
  readonly names = new Map<string, AvroNamed>();
  readonly #budget = new Budget(schemaLimits.types, 'types and fields');
  #source: SourceText;
  #depth = 0;
  /** Defaults are checked at the end, because a type may be incomplete when a field that uses it is parsed. */
  #defaults: { field: AvroField; node: JsonNode; source: SourceText }[] = [];

  constructor(source: SourceText) {
    this.#source = source;
  }

  parse(root: JsonNode, source: SourceText): AvroType | undefined {
    this.#source = source;
    const type = this.#type(root, '');
    for (const { field, node, source: at } of this.#defaults) {
      const problem = defaultProblem(field.type, node);
      if (problem !== undefined) this.problems.push({ ...at.place(problem), message: `The default of ${field.name} ${problem.message}` });
    }
    this.#defaults = [];
    return type;
  }

  #problem(node: JsonNode, message: string): undefined {
    if (this.problems.length < schemaLimits.listed) this.problems.push({ ...this.#source.place(node), message });
    return undefined;
  }

  #type(node: JsonNode, namespace: string): AvroType | undefined {
    this.#budget.spend();
    if (this.#depth >= schemaLimits.depth) return this.#problem(node, `Types are nested more than ${schemaLimits.depth} deep.`);
    this.#depth++;
    try {
      if (node.kind === 'string') return this.#byName(node, node.value, namespace);
      if (node.kind === 'array') return this.#union(node, node.items, namespace);
      if (node.kind === 'object') return this.#complex(node, namespace);
      return this.#problem(node, 'A type is expected here: a name, an object with "type", or a list for a union.');
    } finally {
      this.#depth--;
    }
  }

  #byName(node: JsonNode, name: string, namespace: string): AvroType | undefined {
    if (isPrimitive(name)) return { kind: name, node, source: this.#source };
    const found = this.names.get(name.includes('.') || namespace === '' ? name : `${namespace}.${name}`) ?? this.names.get(name);
    return found ?? this.#problem(node, `There is no type “${name}”. A type must be defined before it is used, here or in a reference.`);
  }

  #union(node: JsonNode, items: readonly JsonNode[], namespace: string): AvroUnion {
    const branches: AvroType[] = [];
    const seen = new Set<string>();
    for (const item of items) {
      const branch = this.#type(item, namespace);
      if (branch === undefined) continue;
      const name = isNamed(branch) ? branch.fullName : branch.kind;
      if (branch.kind === 'union') this.#problem(item, 'A union cannot hold another union directly.');
      else if (seen.has(name)) this.#problem(item, `The union has “${name}” twice.`);
      seen.add(name);
      branches.push(branch);
    }
    return { kind: 'union', branches, node, source: this.#source };
  }

  #complex(node: JsonObject, namespace: string): AvroType | undefined {
    const type = member(node, 'type');
    if (type === undefined) return this.#problem(node, 'A type needs "type".');
    // Other parsers than Java's accept a nested type in "type". The Java parser refuses it, and so does this one.
    if (type.kind !== 'string') return this.#problem(type, '"type" of a type is a name, such as "record" or "string".');
    switch (type.value) {
      case 'record':
      case 'error':
        return this.#record(node, namespace);
      case 'enum':
        return this.#enum(node, namespace);
      case 'fixed':
        return this.#fixed(node, namespace);
      case 'array':
        return this.#array(node, namespace);
      case 'map':
        return this.#map(node, namespace);
      default:
        if (!isPrimitive(type.value))
          return this.#problem(type, `There is no kind of type “${type.value}”. To use a named type, write its name alone.`);
        return { kind: type.value, node, source: this.#source, ...logicalTypeOf(type.value, node) };
    }
  }

  #array(node: JsonObject, namespace: string): AvroType | undefined {
    const items = member(node, 'items');
    if (items === undefined) return this.#problem(node, 'An array needs "items".');
    const type = this.#type(items, namespace);
    return type === undefined ? undefined : { kind: 'array', items: type, node, source: this.#source };
  }

  #map(node: JsonObject, namespace: string): AvroType | undefined {
    const values = member(node, 'values');
    if (values === undefined) return this.#problem(node, 'A map needs "values".');
    const type = this.#type(values, namespace);
    return type === undefined ? undefined : { kind: 'map', values: type, node, source: this.#source };
  }

  /** Parses the name, aliases and doc of a record, enum or fixed. */
  #named(node: JsonObject, namespace: string) {
    const given = member(node, 'name');
    if (given?.kind !== 'string') return this.#problem(given ?? node, 'A record, enum or fixed needs "name".');
    const written = given.value;
    // A leading dot means no namespace.
    if (!dottedName.test(written.startsWith('.') ? written.slice(1) : written))
      return this.#problem(given, `“${written}” is no name: letters, digits and _ only, no digit first, with dots between the parts.`);
    const space = member(node, 'namespace');
    if (space !== undefined && (space.kind !== 'string' || (space.value !== '' && !dottedName.test(space.value))))
      return this.#problem(space, 'A namespace is made of names with dots between them.');
    const last = written.lastIndexOf('.');
    const ownSpace = last >= 0 ? written.slice(0, last) : space?.kind === 'string' ? space.value : namespace;
    const name = written.slice(last + 1);
    const fullName = ownSpace === '' ? name : `${ownSpace}.${name}`;
    if (isPrimitive(fullName)) return this.#problem(given, `“${fullName}” is the name of a type of Avro itself.`);
    if (this.names.has(fullName)) return this.#problem(given, `“${fullName}” is defined twice.`);
    const aliases = this.#aliases(node).map((alias) => (alias.includes('.') || ownSpace === '' ? alias : `${ownSpace}.${alias}`));
    const doc = textMember(node, 'doc');
    return { name, fullName, namespace: ownSpace, aliases, node, source: this.#source, ...(doc === undefined ? {} : { doc }) };
  }

  #aliases(node: JsonObject): string[] {
    const aliases = member(node, 'aliases');
    if (aliases === undefined) return [];
    if (aliases.kind === 'array' && aliases.items.every((alias) => alias.kind === 'string')) return aliases.items.map(({ value }) => value);
    this.#problem(aliases, '"aliases" is a list of names.');
    return [];
  }

  #record(node: JsonObject, namespace: string): AvroRecord | undefined {
    const named = this.#named(node, namespace);
    const fields = member(node, 'fields');
    if (fields?.kind !== 'array') return this.#problem(fields ?? node, 'A record needs "fields", a list.');
    if (named === undefined) return undefined;
    const record: AvroRecord = { ...named, kind: 'record', fields: [] };
    this.names.set(record.fullName, record);
    const seen = new Set<string>();
    for (const item of fields.items) {
      const field = this.#field(item, named.namespace);
      if (field === undefined) continue;
      if (seen.has(field.name)) this.#problem(item, `The record has the field “${field.name}” twice.`);
      seen.add(field.name);
      record.fields.push(field);
    }
    return record;
  }

  #field(node: JsonNode, namespace: string): AvroField | undefined {
    this.#budget.spend();
    if (node.kind !== 'object') return this.#problem(node, 'A field is an object with "name" and "type".');
    const name = member(node, 'name');
    if (name?.kind !== 'string') return this.#problem(name ?? node, 'A field needs "name".');
    if (!simpleName.test(name.value))
      this.#problem(name, `“${name.value}” is no name of a field: letters, digits and _ only, no digit first.`);
    const written = member(node, 'type');
    if (written === undefined) return this.#problem(node, `The field ${name.value} needs "type".`);
    const order = member(node, 'order');
    if (order !== undefined && !(order.kind === 'string' && ['ascending', 'descending', 'ignore'].includes(order.value.toLowerCase())))
      this.#problem(order, '"order" is ascending, descending or ignore.');
    const type = this.#type(written, namespace);
    if (type === undefined) return undefined;
    const fallback = member(node, 'default');
    const doc = textMember(node, 'doc');
    const field: AvroField = {
      name: name.value,
      aliases: this.#aliases(node),
      type,
      node,
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(doc === undefined ? {} : { doc }),
    };
    if (fallback !== undefined) this.#defaults.push({ field, node: fallback, source: this.#source });
    return field;
  }

  #enum(node: JsonObject, namespace: string): AvroEnum | undefined {
    const named = this.#named(node, namespace);
    const symbols = member(node, 'symbols');
    if (symbols?.kind !== 'array') return this.#problem(symbols ?? node, 'An enum needs "symbols", a list of names.');
    const values = new Set<string>();
    for (const symbol of symbols.items) {
      if (symbol.kind !== 'string' || !simpleName.test(symbol.value)) {
        this.#problem(symbol, 'A symbol is a name: letters, digits and _ only, no digit first.');
        continue;
      }
      if (values.has(symbol.value)) this.#problem(symbol, `The enum has “${symbol.value}” twice.`);
      this.#budget.spend();
      values.add(symbol.value);
    }
    const fallback = member(node, 'default');
    if (fallback !== undefined && !(fallback.kind === 'string' && values.has(fallback.value)))
      this.#problem(fallback, 'The default of an enum is one of its symbols.');
    if (named === undefined) return undefined;
    const found: AvroEnum = {
      ...named,
      kind: 'enum',
      symbols: [...values],
      ...(fallback?.kind === 'string' ? { default: fallback.value } : {}),
    };
    this.names.set(found.fullName, found);
    return found;
  }

  #fixed(node: JsonObject, namespace: string): AvroFixed | undefined {
    const named = this.#named(node, namespace);
    const size = member(node, 'size');
    if (size?.kind !== 'number' || !Number.isInteger(size.value) || size.value < 0 || size.value > 0x7fffffff)
      return this.#problem(size ?? node, 'A fixed needs "size", a whole number of bytes.');
    if (named === undefined) return undefined;
    const found: AvroFixed = { ...named, kind: 'fixed', size: size.value, ...logicalTypeOf('fixed', node, size.value) };
    this.names.set(found.fullName, found);
    return found;
  }
}
