/** Describes incompatibilities of JSON Schemas: their names, their effects, and the fixes that are certain. */
import type { CompatibilityIssue, SchemaFix, TextEdit } from '@slipway/foundation/ports/schema.ts';
import type { Judged } from '../schema-format.ts';
import type { JsonNode, JsonObject } from '../text/json-text.ts';
import { canonicalJson } from '../text/json-text.ts';
import type { SourceText } from '../text/source-text.ts';
import { replaced, withItem, withoutItem, withoutMember } from '../text/text-edit.ts';
import type { ReferenceResolver } from './resolve-reference.ts';

/** Values that the reader refuses, to complete `Old messages may hold …`. */
const refusedByLimit: Readonly<Record<string, string>> = {
  maxLength: 'a longer text',
  minLength: 'a shorter text',
  maximum: 'a larger number',
  exclusiveMaximum: 'a larger number',
  minimum: 'a smaller number',
  exclusiveMinimum: 'a smaller number',
  maxItems: 'more items',
  minItems: 'fewer items',
  maxProperties: 'more properties',
  minProperties: 'fewer properties',
  multipleOf: 'other numbers',
  pattern: 'a text that does not match',
  format: 'a text of another form',
  contentEncoding: 'another encoding',
  contentMediaType: 'another media type',
};

const screaming = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** The nearest place in the judged text, and the name of what is being compared. */
export interface Here {
  readonly node: JsonNode;
  readonly name: string;
}

export class JsonIssues {
  readonly #judged: Judged;
  readonly #source: SourceText;
  readonly #resolver: ReferenceResolver;

  constructor(judged: Judged, source: SourceText, resolver: ReferenceResolver) {
    this.#judged = judged;
    this.#source = source;
    this.#resolver = resolver;
  }

  /** Returns true if the node is in the judged text. */
  isOwn(node: JsonNode): boolean {
    return this.#resolver.sourceOf(node) === this.#source;
  }

  types(
    code: string,
    here: Here,
    node: JsonObject,
    reader: readonly string[],
    writer: readonly string[],
    refused: readonly string[],
  ): CompatibilityIssue {
    const [before, after] = this.#isReader ? [writer, reader] : [reader, writer];
    return this.#issue(
      code,
      this.#at(here, node, 'type'),
      `${here.name}: ${either(before)} became ${either(after)}`,
      this.#hold(either(refused)),
    );
  }

  values(here: Here, node: JsonObject, missing: readonly JsonNode[]): CompatibilityIssue {
    const list = node.members.get('enum');
    const names = missing.length === 0 ? 'any value' : either(missing.slice(0, 5).map(canonicalJson));
    const code = missing.length === 0 ? 'ENUM_ARRAY_ADDED' : 'ENUM_ARRAY_NARROWED';
    const title = this.#isReader ? `${here.name} no longer takes ${names}` : `${here.name} may now be ${names}`;
    const certain = list?.kind === 'array' && missing.length > 0;
    return this.#issue(code, this.#at(here, node, 'enum'), title, this.#hold(names), {
      ...(certain ? this.#fix(list, `Keep ${names}`, () => [withItem(list, missing.map(canonicalJson).join(', '))]) : {}),
    });
  }

  limit(name: string, here: Here, node: JsonObject, wanted: number, given: number | undefined): CompatibilityIssue {
    return this.#narrowed(name, here, node, String(wanted), given === undefined ? undefined : String(given));
  }

  text(name: string, here: Here, node: JsonObject, wanted: string, given: string | undefined): CompatibilityIssue {
    return this.#narrowed(name, here, node, JSON.stringify(wanted), given === undefined ? undefined : JSON.stringify(given));
  }

  /** Reports a property or item that only one side allows, or that the two allow differently. */
  property(code: string, here: Here, node: JsonObject, schema?: JsonNode): CompatibilityIssue {
    const at = schema !== undefined && this.isOwn(schema) && this.#isReader ? schema : this.#at(here, node, 'properties');
    const isRemoved = code.includes('_REMOVED_');
    const title = this.#isReader
      ? `${here.name} ${isRemoved ? 'is no longer allowed' : 'has a schema now'}`
      : `${here.name} ${isRemoved ? 'is new' : 'has no schema any more'}`;
    const held = isRemoved ? here.name : `${here.name} with any value, since nothing was said of it`;
    return this.#issue(code, at, title, this.#hold(held));
  }

  required(here: Here, node: JsonObject, name: string): CompatibilityIssue {
    const list = node.members.get('required');
    const item = list?.kind === 'array' ? list.items.find((entry) => entry.kind === 'string' && entry.value === name) : undefined;
    const title = this.#isReader ? `${name} is required now` : `${name} is no longer required`;
    const message = this.#isReader
      ? 'Old messages may lack it; a reader of the new version refuses them.'
      : 'New messages may lack it; readers of the earlier version refuse them.';
    const at = this.#isReader && item !== undefined && this.isOwn(item) ? item : this.#at(here, node, 'required');
    return this.#issue('REQUIRED_ATTRIBUTE_ADDED', at, title, message, {
      ...(list?.kind === 'array' && item !== undefined ? this.#fix(list, `Do not require ${name}`, () => [withoutItem(list, item)]) : {}),
    });
  }

  /** `held` describes values that the reader refuses. */
  make(code: string, here: Here, node: JsonObject | undefined, held = 'other values', keyword?: string): CompatibilityIssue {
    const at = node === undefined || keyword === undefined ? here.node : this.#at(here, node, keyword);
    return this.#issue(code, at, `${here.name}: ${keyword ?? 'the schema'} takes less`, this.#hold(held));
  }

  #narrowed(name: string, here: Here, node: JsonObject, wanted: string, given: string | undefined): CompatibilityIssue {
    const code = `${screaming(name)}_${given === undefined ? 'ADDED' : 'NARROWED'}`;
    const [before, after] = this.#isReader ? [given, wanted] : [wanted, given];
    const title =
      before === undefined
        ? `${here.name}: ${name} ${after} is new`
        : after === undefined
          ? `${here.name}: ${name} ${before} was removed`
          : `${here.name}: ${name} ${before} became ${after}`;
    const value = node.members.get(name);
    const label = given === undefined ? `Leave ${name} out` : `Keep ${name} at ${given}`;
    return this.#issue(code, this.#at(here, node, name), title, this.#hold(refusedByLimit[name] ?? 'other values'), {
      ...(value === undefined
        ? {}
        : this.#fix(value, label, () => [given === undefined ? withoutMember(node, name) : replaced(value, given)])),
    });
  }

  get #isReader(): boolean {
    return this.#judged === 'reader';
  }

  #hold(what: string): string {
    return this.#isReader
      ? `Old messages may hold ${what}; a reader of the new version refuses them.`
      : `New messages may hold ${what}; readers of the earlier version refuse them.`;
  }

  #issue(code: string, at: JsonNode, title: string, message: string, more: { fix?: SchemaFix } = {}): CompatibilityIssue {
    return { code, ...this.#source.place(at), title, message, ...more };
  }

  /** Returns the reader's keyword if the reader is judged. Otherwise returns the writer's node at that place. */
  #at(here: Here, node: JsonObject, keyword: string): JsonNode {
    const own = this.#isReader && this.isOwn(node) ? node : here.node;
    const value = own.kind === 'object' ? own.members.get(keyword) : undefined;
    return value ?? own;
  }

  #fix(node: JsonNode, label: string, edits: () => readonly TextEdit[]): { fix?: SchemaFix } {
    return this.#isReader && this.isOwn(node) ? { fix: { label, edits: edits() } } : {};
  }
}

const either = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
