/** Validates a JSON document as a schema of its draft: each keyword's value, each pattern, each `$ref`. Executes nothing. */
import type { SchemaProblem } from '@slipway/foundation/ports/schema.ts';
import { Budget, schemaLimits } from '../schema-limits.ts';
import type { JsonArray, JsonNode, JsonObject } from '../text/json-text.ts';
import { canonicalJson } from '../text/json-text.ts';
import type { SourceText } from '../text/source-text.ts';
import type { Draft, Shape } from './dialect.ts';
import { keywordShapes, typeNames } from './dialect.ts';

/** Walks a document. `schemas` are the objects that are schemas, in document order. */
export class SchemaWalk {
  readonly problems: SchemaProblem[] = [];
  readonly schemas: JsonObject[] = [];
  readonly #draft: Draft;
  readonly #source: SourceText;
  readonly #budget = new Budget(schemaLimits.types, 'subschemas');

  constructor(draft: Draft, source: SourceText) {
    this.#draft = draft;
    this.#source = source;
  }

  schema(node: JsonNode, depth = 0): void {
    this.#budget.spend();
    if (depth > schemaLimits.depth) return this.#problem(node, `Schemas are nested more than ${schemaLimits.depth} deep.`);
    if (node.kind === 'boolean' && this.#draft > 4) return;
    if (node.kind === 'boolean' && depth > 0 && /\/additional(Properties|Items)$/.test(node.path)) return;
    if (node.kind !== 'object') return this.#problem(node, 'A schema is an object, true or false.');
    this.schemas.push(node);
    const shapes = keywordShapes[this.#draft];
    for (const [name, value] of node.members) {
      const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
      if (shape !== undefined) this.#value(name, shape, value, depth);
    }
  }

  #value(name: string, shape: Shape, node: JsonNode, depth: number): void {
    switch (shape) {
      case 'schema':
        return this.schema(node, depth + 1);
      case 'schemas':
        return this.#schemas(name, node, depth);
      case 'schemaOrSchemas':
        return node.kind === 'array' ? this.#schemas(name, node, depth) : this.schema(node, depth + 1);
      case 'schemaMap':
        return this.#schemaMap(name, node, depth);
      case 'dependencies':
        return this.#dependencies(name, node, depth);
      case 'pattern':
        return this.#pattern(node);
      case 'names':
        return this.#names(name, node, this.#draft === 4);
      case 'nameLists':
        if (node.kind !== 'object') return this.#problem(node, `“${name}” is an object of lists of names.`);
        for (const list of node.members.values()) this.#names(name, list, false);
        return;
      case 'type':
        return this.#type(node);
      default: {
        const wanted = scalarProblem(shape, node);
        if (wanted !== undefined) this.#problem(node, `“${name}” is ${wanted}.`);
      }
    }
  }

  #schemas(name: string, node: JsonNode, depth: number): void {
    if (node.kind !== 'array' || node.items.length === 0) return this.#problem(node, `“${name}” is a list of schemas, at least one.`);
    for (const item of node.items) this.schema(item, depth + 1);
  }

  #schemaMap(name: string, node: JsonNode, depth: number): void {
    if (node.kind !== 'object') return this.#problem(node, `“${name}” is an object of schemas.`);
    for (const [key, value] of node.members) {
      if (name === 'patternProperties') this.#regex(key, value);
      this.schema(value, depth + 1);
    }
  }

  #dependencies(name: string, node: JsonNode, depth: number): void {
    if (node.kind !== 'object') return this.#problem(node, `“${name}” is an object of schemas or lists of names.`);
    for (const value of node.members.values()) {
      if (value.kind === 'array') this.#names(name, value, this.#draft === 4);
      else this.schema(value, depth + 1);
    }
  }

  #names(name: string, node: JsonNode, hasSome: boolean): void {
    if (node.kind !== 'array' || !node.items.every(({ kind }) => kind === 'string') || (hasSome && node.items.length === 0))
      return this.#problem(node, `“${name}” is a list of names.`);
    this.#unique(name, node);
  }

  #unique(name: string, node: JsonArray): void {
    const seen = new Set<string>();
    for (const item of node.items) {
      const text = canonicalJson(item);
      if (seen.has(text)) this.#problem(item, `“${name}” has ${text} twice.`);
      seen.add(text);
    }
  }

  #type(node: JsonNode): void {
    const names = node.kind === 'array' ? node.items : [node];
    for (const name of names) {
      if (name.kind !== 'string' || !typeNames.some((known) => known === name.value))
        this.#problem(name, `“type” is one of ${typeNames.join(', ')}, or a list of them.`);
    }
    if (node.kind !== 'array') return;
    if (names.length === 0) this.#problem(node, '“type” names at least one type.');
    this.#unique('type', node);
  }

  #pattern(node: JsonNode): void {
    if (node.kind === 'string') this.#regex(node.value, node);
    else this.#problem(node, '“pattern” is a regular expression.');
  }

  /** Only compiles the pattern: matching could take JavaScript's engine hours. */
  #regex(pattern: string, node: JsonNode): void {
    for (const flags of ['u', '']) {
      try {
        new RegExp(pattern, flags);
        return;
      } catch {
        // Without the u flag, more patterns are valid.
      }
    }
    this.#problem(node, `“${pattern.slice(0, 100)}” is no regular expression.`);
  }

  #problem(node: JsonNode, message: string): void {
    if (this.problems.length < schemaLimits.listed) this.problems.push({ ...this.#source.place(node), message });
  }
}

/** Completes `“minLength” is …`. Returns undefined if the value is valid. */
const scalarProblem = (shape: Shape, node: JsonNode): string | undefined => {
  switch (shape) {
    case 'text':
      return node.kind === 'string' ? undefined : 'a text';
    case 'number':
      return node.kind === 'number' ? undefined : 'a number';
    case 'positive':
      return node.kind === 'number' && node.value > 0 ? undefined : 'a number greater than 0';
    case 'count':
      return node.kind === 'number' && Number.isInteger(node.value) && node.value >= 0 ? undefined : 'a whole number, 0 or more';
    case 'boolean':
      return node.kind === 'boolean' ? undefined : 'true or false';
    case 'list':
      return node.kind === 'array' ? undefined : 'a list';
    default:
      return undefined;
  }
};
