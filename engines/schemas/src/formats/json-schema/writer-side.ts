/**
 * The writer's side of a comparison: schemas that all hold together, with `$ref` and `allOf` expanded. A written value satisfies each of
 * them, so the smallest maximum length applies, and a property has the schemas of all.
 */
import type { Budget } from '../schema-limits.ts';
import type { JsonNode, JsonObject } from '../text/json-text.ts';
import { canonicalJson, member } from '../text/json-text.ts';
import { typeNames } from './dialect.ts';
import type { Draft } from './dialect.ts';
import { propertyPattern } from './property-pattern.ts';
import type { ReferenceResolver } from './resolve-reference.ts';

export type TypeName = (typeof typeNames)[number];

/** Both schemas of a comparison. Finds the resolver that a node belongs to. */
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

  /** Returns whether a schema's own keywords apply. Before draft 2019-09, keywords beside `$ref` are ignored. */
  hasOwnKeywords(node: JsonObject): boolean {
    return !node.members.has('$ref') || (this.#home(node)?.draft ?? 7) >= 2019;
  }

  #home(node: JsonObject): Resolved | undefined {
    return this.#schemas.find(({ resolver }) => resolver.sourceOf(node) !== undefined);
  }
}

/** A parsed schema with its reference resolver. */
export interface Resolved {
  readonly root: JsonNode;
  readonly resolver: ReferenceResolver;
  readonly draft: Draft;
}

/** Expands schemas with their references: returns `false` if nothing can satisfy them, otherwise objects whose keywords all hold. */
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

/** Returns the types that a schema names, or undefined if it names none. */
export const namedTypes = (node: JsonObject): ReadonlySet<TypeName> | undefined => {
  const type = member(node, 'type');
  const names = type?.kind === 'array' ? type.items : type === undefined ? undefined : [type];
  return names === undefined
    ? undefined
    : new Set(names.flatMap((name) => (name.kind === 'string' && isTypeName(name.value) ? [name.value] : [])));
};

export const typeOfValue = (node: JsonNode): TypeName => (node.kind === 'number' && Number.isInteger(node.value) ? 'integer' : node.kind);

/** Additional facts about one case of a split. */
interface Case {
  readonly taken?: ReadonlySet<JsonNode>;
  readonly type?: TypeName | undefined;
  readonly refused?: readonly JsonNode[];
}

export class WriterSide {
  readonly nodes: readonly JsonObject[];
  /** Lists of alternatives from which one was already chosen. */
  readonly taken: ReadonlySet<JsonNode>;
  /** Set if the types are considered one by one. */
  readonly type: TypeName | undefined;
  /** Schemas that no value satisfies: the other alternatives of a `oneOf`. */
  readonly refused: readonly JsonNode[];
  readonly pair: SchemaPair;

  constructor(nodes: readonly JsonObject[], pair: SchemaPair, { taken = new Set<JsonNode>(), type, refused = [] }: Case = {}) {
    this.nodes = nodes;
    this.pair = pair;
    this.taken = taken;
    this.type = type;
    this.refused = refused;
  }

  /** Returns schemas that no value satisfies. */
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

  /** Returns the values of `enum` or `const`, the shortest list of them. Undefined if any value is possible. */
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

  /** Returns the schemas that the property's value satisfies. */
  property(name: string): JsonNode[] {
    this.pair.budget.spend(this.nodes.length / 4);
    return this.nodes.flatMap((node) => schemasOfProperty(node, name, this.pair.budget));
  }

  /** Returns the schemas of additional properties. */
  otherProperties(): JsonNode[] {
    return this.keyword('additionalProperties');
  }

  item(index: number): JsonNode[] {
    return this.nodes.flatMap((node) => itemSchema(node, index) ?? []);
  }

  otherItems(): JsonNode[] {
    return this.nodes.flatMap((node) => otherItems(node) ?? []);
  }

  /** Returns each way to split the written values into cases. A constraint holds if it holds in all cases of one split. */
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

/** Returns what one schema says about a property: by name, by patterns, or as an additional property. */
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

/** Returns the schemas of a tuple: `prefixItems`, or `items` if it is a list. */
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
