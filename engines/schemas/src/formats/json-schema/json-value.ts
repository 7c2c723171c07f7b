/**
 * Validates a test message against a JSON Schema before it is sent: types, required and unknown properties, enums, sizes, alternatives.
 * Patterns run in RE2. Patterns that RE2 does not support, and `if`, `not` and formats, are left to the reader. The schema is never
 * compiled to code.
 */
import type { JsonValue } from '@slipway/foundation/ports/schema.ts';
import { MessageError } from '../schema-format.ts';
import { Budget, schemaLimits } from '../schema-limits.ts';
import type { JsonNode, JsonObject } from '../text/json-text.ts';
import { canonicalJson, parseJson } from '../text/json-text.ts';
import { propertyPattern } from './property-pattern.ts';
import { itemSchema, namedTypes, opened, sameJson, SchemaPair, schemasOfProperty, typeOfValue } from './writer-side.ts';
import type { Resolved } from './writer-side.ts';

export const valueProblem = (schema: Resolved, value: JsonValue): MessageError | undefined => {
  const text = parseJson(JSON.stringify(value));
  if ('problems' in text) return new MessageError('', text.problems[0]?.message ?? 'is no JSON');
  return new ValueCheck(schema).problem(schema.root, text.root, '', 0);
};

const typeWords: Readonly<Record<string, string>> = {
  null: 'null',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  number: 'a number',
  integer: 'a whole number',
  string: 'text',
};

class ValueCheck {
  readonly #pair: SchemaPair;
  readonly #budget = new Budget(schemaLimits.values, 'values');

  constructor(schema: Resolved) {
    this.#pair = new SchemaPair([schema], new Budget(schemaLimits.steps, 'subschemas to look at'));
  }

  problem(schema: JsonNode, value: JsonNode, path: string, depth: number): MessageError | undefined {
    this.#budget.spend();
    if (depth > schemaLimits.depth) return new MessageError(path, `is nested more than ${schemaLimits.depth} deep`);
    const nodes = opened([schema], this.#pair);
    if (nodes === false) return new MessageError(path, 'is not allowed');
    return first(nodes, (node) => this.#node(node, value, path, depth));
  }

  #node(node: JsonObject, value: JsonNode, path: string, depth: number): MessageError | undefined {
    return (
      typeProblem(node, value, path) ??
      sizeProblem(node, value, path) ??
      this.#alternatives(node, value, path, depth) ??
      (value.kind === 'object' ? this.#object(node, value, path, depth) : undefined) ??
      (value.kind === 'array'
        ? first(value.items.entries(), ([index, item]) => {
            const schema = itemSchema(node, index);
            return schema === undefined ? undefined : this.problem(schema, item, below(path, String(index)), depth + 1);
          })
        : undefined)
    );
  }

  #alternatives(node: JsonObject, value: JsonNode, path: string, depth: number): MessageError | undefined {
    return first(['anyOf', 'oneOf'], (name) => {
      const list = node.members.get(name);
      if (list?.kind !== 'array') return undefined;
      const problems = list.items.map((item) => this.problem(item, value, path, depth + 1));
      if (problems.includes(undefined)) return undefined;
      return problems.length === 1 ? problems[0] : new MessageError(path, `fits none of the ${list.items.length} alternatives`);
    });
  }

  #object(node: JsonObject, value: JsonObject, path: string, depth: number): MessageError | undefined {
    const required = node.members.get('required');
    const missing =
      required?.kind === 'array' ? required.items.find((item) => item.kind === 'string' && !value.members.has(item.value)) : undefined;
    if (missing?.kind === 'string') return new MessageError(below(path, missing.value), 'is missing');
    return first(value.members, ([name, item]) =>
      first(schemasOfProperty(node, name, this.#budget), (schema) => this.problem(schema, item, below(path, name), depth + 1)),
    );
  }
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const first = <Item, Found>(items: Iterable<Item>, look: (item: Item) => Found | undefined): Found | undefined => {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
};

const typeProblem = (node: JsonObject, value: JsonNode, path: string): MessageError | undefined => {
  const types = namedTypes(node);
  const type = typeOfValue(value);
  if (types !== undefined && !types.has(type) && !(type === 'integer' && types.has('number')))
    return new MessageError(
      path,
      `must be ${[...types].map((name) => typeWords[name] ?? name).join(' or ')}, is ${typeWords[type] ?? type}`,
    );
  const list = node.members.get('enum');
  const constant = node.members.get('const');
  const wanted = constant === undefined ? (list?.kind === 'array' ? list.items : undefined) : [constant];
  if (wanted === undefined || wanted.some((known) => sameJson(known, value))) return undefined;
  return new MessageError(path, `must be one of ${wanted.slice(0, 20).map(canonicalJson).join(', ')}`);
};

const sizeProblem = (node: JsonObject, value: JsonNode, path: string): MessageError | undefined => {
  const size =
    value.kind === 'string'
      ? [...value.value].length
      : value.kind === 'array'
        ? value.items.length
        : value.kind === 'number'
          ? value.value
          : undefined;
  if (size === undefined) return undefined;
  const [least, most, unit] =
    value.kind === 'string'
      ? ['minLength', 'maxLength', 'characters']
      : value.kind === 'array'
        ? ['minItems', 'maxItems', 'items']
        : ['minimum', 'maximum', ''];
  const [low, high] = [node.members.get(least), node.members.get(most)];
  if (low?.kind === 'number' && size < low.value) return new MessageError(path, `must be at least ${low.value} ${unit}`.trim());
  if (high?.kind === 'number' && size > high.value) return new MessageError(path, `must be at most ${high.value} ${unit}`.trim());
  const pattern = node.members.get('pattern');
  if (value.kind !== 'string' || pattern?.kind !== 'string' || propertyPattern(pattern.value)?.(value.value) !== false) return undefined;
  return new MessageError(path, `must match ${pattern.value}`);
};
