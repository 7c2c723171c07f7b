/**
 * The writer's side of a comparison: schemas that all hold at once, with `$ref` and `allOf` opened. A value that was written satisfies each of them, so of
 * two lengths the shorter counts, and a property has the schemas of all.
 */
import type { Budget } from '../schema-limits.ts';
import type { JsonNode, JsonObject } from '../text/json-text.ts';
import { canonicalJson, member } from '../text/json-text.ts';
import { typeNames } from './dialect.ts';
import type { Draft } from './dialect.ts';
import { propertyPattern } from './property-pattern.ts';
import type { ReferenceResolver } from './resolve-reference.ts';

export type TypeName = (typeof typeNames)[number];

/** Where the nodes of both sides come from: a node is known to the resolver of its own schema. */
export class SchemaPair {
  readonly budget: Budget;
  readonly #schemas: readonly Resolved[];

  constructor(schemas: readonly Resolved[], budget: Budget) {
    this.#schemas = schemas;
    this.budget = budget;
  }

  target(node: JsonObject): JsonNode | undefined {
    return this.#home(node)?.resolver.target(node);
  }

  /** A schema's own keywords count, but for drafts before 2019-09, where nothing beside `$ref` does. */
  hasOwnKeywords(node: JsonObject): boolean {
    return !node.members.has('$ref') || (this.#home(node)?.draft ?? 7) >= 2019;
  }

  #home(node: JsonObject): Resolved | undefined {
    return this.#schemas.find(({ resolver }) => resolver.sourceOf(node) !== undefined);
  }
}

/** A schema with what its references lead to. */
export interface Resolved {
  readonly root: JsonNode;
  readonly resolver: ReferenceResolver;
  readonly draft: Draft;
}

/** A schema with what it leads to: `false` where nothing can satisfy it, else objects whose keywords all hold. */
export const opened = (schemas: readonly JsonNode[], pair: SchemaPair): JsonObject[] | false => {
  const found = new Set<JsonObject>();
  const waiting = [...schemas];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    pair.budget.spend();
    if (node.kind === 'boolean' && !node.value) return false;
    if (node.kind !== 'object' || found.has(node)) continue;
    found.add(node);
    const target = pair.target(node);
    if (target !== undefined) waiting.push(target);
    const all = pair.hasOwnKeywords(node) ? member(node, 'allOf') : undefined;
    if (all?.kind === 'array') waiting.push(...all.items);
  }
  return [...found].filter((node) => pair.hasOwnKeywords(node));
};

const allTypes: ReadonlySet<TypeName> = new Set<TypeName>(['null', 'boolean', 'object', 'array', 'number', 'string']);
const isTypeName = (name: string): name is TypeName => typeNames.some((known) => known === name);

/** The types that a schema names; undefined where it names none. */
export const namedTypes = (node: JsonObject): ReadonlySet<TypeName> | undefined => {
  const type = member(node, 'type');
  const names = type?.kind === 'array' ? type.items : type === undefined ? undefined : [type];
  return names === undefined
    ? undefined
    : new Set(names.flatMap((name) => (name.kind === 'string' && isTypeName(name.value) ? [name.value] : [])));
};

export const typeOfValue = (node: JsonNode): TypeName => (node.kind === 'number' && Number.isInteger(node.value) ? 'integer' : node.kind);

/** What is known beside the schemas, of one case that they were split into. */
interface Case {
  readonly taken?: ReadonlySet<JsonNode>;
  readonly type?: TypeName | undefined;
  readonly refused?: readonly JsonNode[];
}

export class WriterSide {
  readonly nodes: readonly JsonObject[];
  /** Lists of alternatives of which one was taken. */
  readonly taken: ReadonlySet<JsonNode>;
  /** Taken where the types were looked at one by one. */
  readonly type: TypeName | undefined;
  /** Schemas that no value satisfies: the alternatives of a `oneOf` beside the one that was taken. */
  readonly refused: readonly JsonNode[];
  readonly pair: SchemaPair;

  constructor(nodes: readonly JsonObject[], pair: SchemaPair, { taken = new Set<JsonNode>(), type, refused = [] }: Case = {}) {
    this.nodes = nodes;
    this.pair = pair;
    this.taken = taken;
    this.type = type;
    this.refused = refused;
  }

  /** Schemas that no value satisfies. */
  never(): readonly JsonNode[] {
    return [...this.keyword('not'), ...this.refused];
  }

  keyword(name: string): JsonNode[] {
    this.pair.budget.spend(this.nodes.length / 4);
    return this.nodes.flatMap((node) => node.members.get(name) ?? []);
  }

  types(): ReadonlySet<TypeName> {
    if (this.type !== undefined) return new Set([this.type]);
    const named = this.nodes.flatMap((node) => namedTypes(node) ?? []);
    const values = named.length > 0 ? undefined : this.values();
    if (values !== undefined) return new Set(values.map(typeOfValue));
    const [first = allTypes, ...more] = named;
    return more.reduce(commonTypes, first);
  }

  /** The values of `enum` or `const`, the shortest list of them; undefined where any value may come. */
  values(): readonly JsonNode[] | undefined {
    const lists = [
      ...this.keyword('const').map((value) => [value]),
      ...this.keyword('enum').flatMap((list) => (list.kind === 'array' ? [[...list.items]] : [])),
    ];
    const own = lists.sort((a, b) => a.length - b.length)[0];
    const type = this.type;
    return own === undefined || type === undefined
      ? own
      : own.filter((value) => typeOfValue(value) === type || (type === 'number' && value.kind === 'number'));
  }

  /** The schemas that the value of a property satisfies. */
  property(name: string): JsonNode[] {
    this.pair.budget.spend(this.nodes.length / 4);
    return this.nodes.flatMap((node) => schemasOfProperty(node, name, this.pair.budget));
  }

  /** The schemas of any property whose name none of `patterns` and no property describes. */
  otherProperties(): JsonNode[] {
    return this.keyword('additionalProperties');
  }

  item(index: number): JsonNode[] {
    return this.nodes.flatMap((node) => itemSchema(node, index) ?? []);
  }

  otherItems(): JsonNode[] {
    return this.nodes.flatMap((node) => otherItems(node) ?? []);
  }

  /** Each way to split what was written into cases; what holds in each case of one of them holds. */
  splits(): WriterSide[][] {
    const { taken, type } = this;
    const lists = this.nodes.flatMap((node) =>
      ['anyOf', 'oneOf'].flatMap((name) => {
        const list = node.members.get(name);
        return list?.kind === 'array' && !taken.has(list) ? [{ list, isExclusive: name === 'oneOf' }] : [];
      }),
    );
    const byAlternative = lists.map(({ list, isExclusive }) =>
      list.items.flatMap((item) => {
        this.pair.budget.spend(this.nodes.length);
        const nodes = opened([item], this.pair);
        if (nodes === false) return [];
        const refused = isExclusive ? [...this.refused, ...list.items.filter((other) => other !== item)] : this.refused;
        return [new WriterSide([...new Set([...this.nodes, ...nodes])], this.pair, { taken: new Set([...taken, list]), type, refused })];
      }),
    );
    const types = [...this.types()];
    if (types.length < 2 || type !== undefined) return byAlternative;
    return [...byAlternative, types.map((one) => new WriterSide(this.nodes, this.pair, { taken, type: one, refused: this.refused }))];
  }
}

const commonTypes = (a: ReadonlySet<TypeName>, b: ReadonlySet<TypeName>): ReadonlySet<TypeName> => {
  const common = new Set<TypeName>([...a].filter((type) => b.has(type) || (type === 'integer' && b.has('number'))));
  if (a.has('number') && b.has('integer')) common.add('integer');
  return common;
};

/** What one schema says of a property: by its name, by patterns, or as another one. */
export const schemasOfProperty = (node: JsonObject, name: string, budget: Budget): JsonNode[] => {
  const named = member(member(node, 'properties'), name);
  const patterns = member(node, 'patternProperties');
  const matching =
    patterns?.kind === 'object'
      ? [...patterns.members].flatMap(([pattern, schema]) => {
          budget.spend();
          return propertyPattern(pattern)?.(name) === true ? [schema] : [];
        })
      : [];
  const own = [...(named === undefined ? [] : [named]), ...matching];
  const other = node.members.get('additionalProperties');
  return own.length > 0 || other === undefined ? own : [other];
};

/** `prefixItems` with `items`, or `items` as a list with `additionalItems`. */
export const tupleOf = (node: JsonObject): readonly JsonNode[] | undefined => {
  const prefix = node.members.get('prefixItems') ?? node.members.get('items');
  return prefix?.kind === 'array' ? prefix.items : undefined;
};

export const otherItems = (node: JsonObject): JsonNode | undefined => {
  const items = node.members.get('items');
  return items?.kind === 'array' ? node.members.get('additionalItems') : items;
};

export const itemSchema = (node: JsonObject, index: number): JsonNode | undefined => tupleOf(node)?.[index] ?? otherItems(node);

export const sameJson = (a: JsonNode, b: JsonNode): boolean => canonicalJson(a) === canonicalJson(b);
