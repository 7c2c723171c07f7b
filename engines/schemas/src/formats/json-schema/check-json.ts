/**
 * Checks whether the reader's JSON Schema allows every value that the writer's allows, with the semantics of the registries of Confluent,
 * Karapace and Apicurio where they agree. Each constraint of the reader must follow from the writer's schema. If it does not, it must
 * follow from each of the cases that the writer's `anyOf`, `oneOf` or types leave. If in doubt, the answer is no.
 */
import type { CompatibilityIssue } from '@slipway/foundation/ports/schema.ts';
import type { Judged } from '../schema-format.ts';
import { Budget, LimitError, schemaLimits } from '../schema-limits.ts';
import type { JsonNode, JsonObject } from '../text/json-text.ts';
import { canonicalJson, member } from '../text/json-text.ts';
import { checkArray } from './check-array.ts';
import { checkObject } from './check-object.ts';
import { checkScalars } from './check-scalars.ts';
import type { Comparison, Constraint } from './comparison.ts';
import { JsonIssues } from './json-issues.ts';
import type { Here } from './json-issues.ts';
import type { JsonSchema } from './json-schema.ts';
import { namedTypes, opened, sameJson, SchemaPair, typeOfValue, WriterSide } from './writer-side.ts';

export const checkJson = (reader: JsonSchema, writer: JsonSchema, judged: Judged): CompatibilityIssue[] => {
  const root = judged === 'reader' ? reader.root : writer.root;
  const issues = new JsonChecker(reader, writer, judged).compare(reader.root, [writer.root], { node: root, name: 'value' });
  return issues.slice(0, schemaLimits.listed);
};

/** Maximum nesting during a comparison. Recursion ends at pairs that were already seen, so this is deeper than any text. */
const maxDepth = 400;

class JsonChecker implements Comparison {
  readonly issues: JsonIssues;
  readonly budget = new Budget(schemaLimits.steps, 'pairs of schemas to compare');
  readonly #judged: Judged;
  readonly #pair: SchemaPair;
  readonly #ids = new Map<JsonNode, number>();
  /** Holds an empty list while a pair is being compared: recursive schemas are compatible unless something else differs. */
  readonly #seen = new Map<string, CompatibilityIssue[]>();
  #depth = 0;

  constructor(reader: JsonSchema, writer: JsonSchema, judged: Judged) {
    this.#judged = judged;
    this.#pair = new SchemaPair([reader, writer], this.budget);
    const own = judged === 'reader' ? reader : writer;
    this.issues = new JsonIssues(judged, own.source, own.resolver);
  }

  /** Compares with `written`, which all hold together. */
  compare(reader: JsonNode, written: readonly JsonNode[], around: Here): CompatibilityIssue[] {
    if (reader.kind === 'boolean' && reader.value) return [];
    const nodes = opened(written, this.#pair);
    // Nothing satisfies the writer's schema, so no value of it exists.
    if (nodes === false) return [];
    return this.#within(reader, new WriterSide(nodes, this.#pair), this.#here(reader, written[0], around));
  }

  /** Compares the reader's schema with one case of the writer. */
  #within(reader: JsonNode, written: WriterSide, here: Here): CompatibilityIssue[] {
    const ids = (nodes: readonly JsonNode[]): number[] => nodes.map((node) => this.#id(node)).sort((a, b) => a - b);
    const key = [this.#id(reader), written.type ?? '', ...ids(written.nodes), '', ...ids(written.refused)].join(' ');
    const known = this.#seen.get(key);
    if (known !== undefined) return known;
    this.budget.spend(1 + written.nodes.length);
    if (++this.#depth > maxDepth) throw new LimitError(`more than ${maxDepth} schemas within schemas`);
    this.#seen.set(key, []);
    const issues = this.#node(reader, written, here);
    this.#depth--;
    this.#seen.set(key, issues);
    return issues;
  }

  #node(reader: JsonNode, written: WriterSide, here: Here): CompatibilityIssue[] {
    if (reader.kind === 'boolean' && !reader.value) return [this.issues.make('TYPE_NARROWED', here, undefined, 'no value at all')];
    const nodes = opened([reader], this.#pair);
    if (nodes === false) return [this.issues.make('TYPE_NARROWED', here, undefined, 'no value at all')];
    return nodes.flatMap((node) =>
      this.#constraints(node, { ...here, node: this.#judged === 'reader' && this.issues.isOwn(node) ? node : here.node }).flatMap(
        (constraint) => this.#holds(constraint, written),
      ),
    );
  }

  /** Checks a constraint for the writer as a whole, or else for each case of a split. */
  #holds(constraint: Constraint, written: WriterSide): CompatibilityIssue[] {
    const issues = constraint(written);
    if (issues.length === 0) return [];
    for (const cases of written.splits()) {
      this.budget.spend();
      if (cases.every((one) => this.#holds(constraint, one).length === 0)) return [];
    }
    return issues;
  }

  #constraints(node: JsonObject, here: Here): Constraint[] {
    return [
      (written) => this.#type(node, written, here),
      (written) => this.#values(node, written, here),
      ...checkScalars(node, here, this),
      ...checkObject(node, here, this),
      ...checkArray(node, here, this),
      ...['anyOf', 'oneOf'].map(
        (name): Constraint =>
          (written) =>
            this.#alternatives(node, name, written, here),
      ),
      (written) => this.#not(node, written, here),
      (written) => this.#conditional(node, written, here),
    ];
  }

  #type(node: JsonObject, written: WriterSide, here: Here): CompatibilityIssue[] {
    const wanted = namedTypes(node);
    if (wanted === undefined) return [];
    const given = [...written.types()];
    const refused = given.filter((type) => !(wanted.has(type) || (type === 'integer' && wanted.has('number'))));
    // 1.0 is an integer, so multiples of an integer are integers.
    if (refused.length === 0 || (refused.every((type) => type === 'number') && wanted.has('integer') && isWholeMultiple(written)))
      return [];
    const isChanged = refused.length === given.length && !(refused.includes('number') && wanted.has('integer'));
    return [this.issues.types(isChanged ? 'TYPE_CHANGED' : 'TYPE_NARROWED', here, node, [...wanted], given, refused)];
  }

  #values(node: JsonObject, written: WriterSide, here: Here): CompatibilityIssue[] {
    const list = node.members.get('enum');
    const constant = node.members.get('const');
    const wanted = list?.kind === 'array' ? list.items : undefined;
    return [wanted, constant && [constant]].flatMap((values) => (values ? this.#valuesIn(values, node, written, here) : [])).slice(0, 1);
  }

  #valuesIn(wanted: readonly JsonNode[], node: JsonObject, written: WriterSide, here: Here): CompatibilityIssue[] {
    const given = written.values();
    if (given === undefined && isFinite(written, wanted)) return [];
    this.budget.spend(((given?.length ?? 0) * wanted.length) / 100);
    const missing = (given ?? []).filter((value) => !wanted.some((known) => sameJson(known, value)));
    if (given !== undefined && missing.length === 0) return [];
    return [this.issues.values(here, node, missing)];
  }

  #alternatives(node: JsonObject, name: string, written: WriterSide, here: Here): CompatibilityIssue[] {
    const list = node.members.get(name);
    if (list?.kind !== 'array') return [];
    const tried = list.items.map((item) => this.#within(item, written, { ...here, node: this.issues.isOwn(item) ? item : here.node }));
    const taken = list.items.filter((_, index) => tried[index]?.length === 0);
    if (taken.length > 0 && (name === 'anyOf' || this.#isExclusive(list.items, taken[0], written, here))) return [];
    if (taken.length > 0) return [this.issues.make('ONE_OF_IS_AMBIGUOUS', here, node, 'what fits several of its alternatives', name)];
    // With one alternative, its own issues are the better explanation.
    return tried.length === 1 && tried[0] !== undefined
      ? tried[0]
      : [this.issues.make('COMBINED_TYPE_SUBSCHEMAS_CHANGED', here, node, undefined, name)];
  }

  /** Returns true if no value also matches another alternative of the reader's `oneOf`. */
  #isExclusive(alternatives: readonly JsonNode[], own: JsonNode | undefined, written: WriterSide, here: Here): boolean {
    return alternatives.every((other) => other === own || this.#isNever(other, written, here));
  }

  /** Returns true if no written value satisfies the schema. */
  #isNever(schema: JsonNode, written: WriterSide, here: Here): boolean {
    if (this.#isOtherType(schema, written) || written.never().some((wider) => this.#takesAll(wider, schema, here))) return true;
    const nodes = opened([schema], this.#pair);
    if (nodes === false) return true;
    const other = new WriterSide(nodes, this.#pair);
    return (
      isOtherKind(other, written) ||
      isOutside(other, written) ||
      nodes.some((node) =>
        ['anyOf', 'oneOf'].some((name) => {
          const list = node.members.get(name);
          return list?.kind === 'array' && list.items.every((item) => this.#isNever(item, written, here));
        }),
      )
    );
  }

  /** The writer must also exclude what the reader's `not` excludes, by a wider `not` or by other types. */
  #not(node: JsonObject, written: WriterSide, here: Here): CompatibilityIssue[] {
    const refused = node.members.get('not');
    if (refused === undefined) return [];
    return this.#isNever(refused, written, here) ? [] : [this.issues.make('NOT_TYPE_NARROWED', here, node, undefined, 'not')];
  }

  /** Returns true if one schema accepts everything that another accepts, whichever side they are from. */
  #takesAll(wider: JsonNode, narrower: JsonNode, here: Here): boolean {
    return this.isSame(wider, narrower) || this.compare(wider, [narrower], here).length === 0;
  }

  /** Compares literally, and also compares the targets of references. */
  isSame(a: JsonNode, b: JsonNode, seen = new Map<JsonNode, Set<JsonNode>>()): boolean {
    if (a === b || seen.get(a)?.has(b) === true) return true;
    seen.set(a, (seen.get(a) ?? new Set()).add(b));
    this.budget.spend();
    if (a.kind === 'array' && b.kind === 'array')
      return a.items.length === b.items.length && a.items.every((item, at) => this.#isSameMember(item, b.items[at], seen));
    if (a.kind !== 'object' || b.kind !== 'object') return sameJson(a, b);
    return (
      a.members.size === b.members.size &&
      [...a.members].every(([name, value]) => this.#isSameMember(value, b.members.get(name), seen)) &&
      this.#isSameMember(this.#pair.target(a), this.#pair.target(b), seen)
    );
  }

  #isSameMember(a: JsonNode | undefined, b: JsonNode | undefined, seen: Map<JsonNode, Set<JsonNode>>): boolean {
    return a === undefined || b === undefined ? a === b : this.isSame(a, b, seen);
  }

  #isOtherType(refused: JsonNode, written: WriterSide): boolean {
    if (refused.kind === 'boolean') return !refused.value;
    const nodes = opened([refused], this.#pair);
    if (nodes === false) return true;
    const types = new WriterSide(nodes, this.#pair).types();
    return [...written.types()].every(
      (type) => !types.has(type) && !(type === 'integer' && types.has('number')) && !(type === 'number' && types.has('integer')),
    );
  }

  /** Requires the same condition, and branches that each follow. */
  #conditional(node: JsonObject, written: WriterSide, here: Here): CompatibilityIssue[] {
    const condition = node.members.get('if');
    const branches = ['then', 'else'].flatMap((name) => node.members.get(name) ?? []);
    if (condition === undefined || branches.length === 0) return [];
    const same = written.nodes.filter((writer) => {
      const other = writer.members.get('if');
      return other !== undefined && this.#takesAll(other, condition, here) && this.#takesAll(condition, other, here);
    });
    return ['then', 'else'].flatMap((name) => {
      const branch = node.members.get(name);
      if (branch === undefined) return [];
      const promised = same.flatMap((writer) => writer.members.get(name) ?? []);
      const issues = this.compare(branch, [...written.nodes, ...promised], here);
      return issues.length === 0 ? [] : [this.issues.make('CONDITIONAL_CHANGED', here, node, undefined, name)];
    });
  }

  #here(reader: JsonNode, writer: JsonNode | undefined, around: Here): Here {
    const node = this.#judged === 'reader' ? reader : writer;
    return node !== undefined && this.issues.isOwn(node) ? { ...around, node } : around;
  }

  #id(node: JsonNode): number {
    let id = this.#ids.get(node);
    if (id === undefined) this.#ids.set(node, (id = this.#ids.size));
    return id;
  }
}

/** Returns true if a discriminator property separates the two: it is required, and its possible values do not overlap. */
const isOtherKind = (other: WriterSide, written: WriterSide): boolean => {
  if (![other, written].some((side) => [...side.types()].every((type) => type === 'object'))) return false;
  const required = new Set(
    [...other.keyword('required'), ...written.keyword('required')]
      .flatMap((list) => (list.kind === 'array' ? list.items : []))
      .map(canonicalJson),
  );
  const names = written.keyword('properties').flatMap((object) => (object.kind === 'object' ? [...object.members.keys()] : []));
  return names.some((name) => {
    if (!required.has(JSON.stringify(name))) return false;
    const [own, given] = [other, written].map((side) => valuesOf(side.property(name)));
    return own !== undefined && given !== undefined && !own.some((value) => given.includes(value));
  });
};

/** Returns true if both list their values and the lists do not overlap. */
const isOutside = (other: WriterSide, written: WriterSide): boolean => {
  const [own, given] = [other.values(), written.values()];
  return own !== undefined && given !== undefined && !own.some((value) => given.some((one) => sameJson(value, one)));
};

/** Returns the values that the schemas list, as canonical JSON. */
const valuesOf = (schemas: readonly JsonNode[]): string[] | undefined =>
  schemas
    .map((schema) => (schema.kind === 'object' ? (schema.members.get('const') ?? schema.members.get('enum')) : undefined))
    .map((found, index) =>
      found?.kind === 'array' && member(schemas[index], 'const') === undefined
        ? found.items.map(canonicalJson)
        : found === undefined
          ? undefined
          : [canonicalJson(found)],
    )
    .find((values) => values !== undefined);

const isWholeMultiple = (written: WriterSide): boolean =>
  written.keyword('multipleOf').some((step) => step.kind === 'number' && Number.isInteger(step.value));

/** Returns true if `wanted` covers all values of the types, which is only possible for null and booleans. */
const isFinite = (written: WriterSide, wanted: readonly JsonNode[]): boolean =>
  [...written.types()].every((type) => {
    const known = wanted.filter((value) => typeOfValue(value) === type);
    return (
      (type === 'null' && known.length > 0) ||
      (type === 'boolean' && new Set(known.map((value) => value.kind === 'boolean' && value.value)).size === 2)
    );
  });
