/** Describes incompatibilities of Avro schemas: their names, their effects, and the fixes that are certain. */
import type { CompatibilityIssue, SchemaFix } from '@slipway/foundation/ports/schema.ts';
import type { Judged } from '../schema-format.ts';
import type { JsonNode } from '../text/json-text.ts';
import { member } from '../text/json-text.ts';
import type { SourceText, Span } from '../text/source-text.ts';
import { replaced, withItem, withMember } from '../text/text-edit.ts';
import { articled } from './avro-default.ts';
import type { AvroEnum, AvroField, AvroFixed, AvroNamed, AvroRecord, AvroType, AvroUnion } from './avro-type.ts';
import { typeLabel } from './avro-type.ts';

/** The position of the comparison: the nearest place in the judged text, and its name for developers. */
export interface Here {
  readonly node: JsonNode;
  readonly name: string;
}

export class AvroIssues {
  readonly #judged: Judged;
  readonly #source: SourceText;

  constructor(judged: Judged, source: SourceText) {
    this.#judged = judged;
    this.#source = source;
  }

  /** `unread` is the first of the writer's types that does not fit, if the writer has several. */
  typeMismatch(reader: AvroType, writer: AvroType, here: Here, unread: AvroType = writer): CompatibilityIssue {
    const [before, after] = this.#isReader ? [writer, reader] : [reader, writer];
    const stops = this.#isReader ? '' : ' Readers of the earlier version stop at new messages.';
    return this.#issue('TYPE_MISMATCH', here.node, {
      title: `${here.name}: ${typeLabel(before)} became ${typeLabel(after)}`,
      message: `A value written as ${typeLabel(unread)} cannot be read as ${typeLabel(reader)}.${stops}`,
      ...this.#fix(after, isSelfContained(before), `Keep ${here.name} as ${typeLabel(before)}`, (node) => [replaced(node, textOf(before))]),
    });
  }

  missingBranch(reader: AvroUnion, writer: AvroType, here: Here): CompatibilityIssue {
    const name = typeLabel(writer);
    if (!this.#isReader)
      return this.#issue('MISSING_UNION_BRANCH', here.node, {
        title: `${here.name} may now be ${articled(name)}`,
        message: `Readers of the earlier version take ${typeLabel(reader)} only: they stop at the first message with ${articled(name)}.`,
      });
    const list = reader.node;
    return this.#issue('MISSING_UNION_BRANCH', here.node, {
      title: `${here.name} no longer takes ${articled(name)}`,
      message: `Old messages may hold ${articled(name)}; a reader of the new version takes ${typeLabel(reader)} only.`,
      ...this.#fix(reader, isSelfContained(writer) && list.kind === 'array', `Let ${here.name} take ${articled(name)} again`, (node) =>
        node.kind === 'array' ? [withItem(node, textOf(writer))] : [],
      ),
    });
  }

  nameMismatch(reader: AvroNamed, writer: AvroNamed, here: Here): CompatibilityIssue {
    const [before, after] = this.#isReader ? [writer, reader] : [reader, writer];
    return this.#issue('NAME_MISMATCH', this.#own(after, 'name', here), {
      title: `${before.name} is now called ${after.name}`,
      message: this.#isReader
        ? `Old messages hold ${articled(writer.kind)} ${writer.fullName}. ${reader.name} reads it only with an alias of that name.`
        : `Readers of the earlier version expect ${articled(reader.kind)} ${reader.name}, and know no ${writer.name}.`,
      ...(this.#isReader
        ? this.#fix(reader, true, `Give ${reader.name} the alias ${writer.fullName}`, (node) => {
            const aliases = member(node, 'aliases');
            if (aliases?.kind === 'array') return [withItem(aliases, JSON.stringify(writer.fullName))];
            return node.kind === 'object' ? [withMember(node, 'aliases', `[${JSON.stringify(writer.fullName)}]`)] : [];
          })
        : {}),
    });
  }

  fixedSize(reader: AvroFixed, writer: AvroFixed, here: Here): CompatibilityIssue {
    const [before, after] = this.#isReader ? [writer, reader] : [reader, writer];
    return this.#issue('FIXED_SIZE_MISMATCH', this.#own(after, 'size', here), {
      title: `${after.name}: ${before.size} bytes became ${after.size}`,
      message: `A fixed of ${writer.size} bytes cannot be read as one of ${reader.size}.`,
      ...this.#fix(after, true, `Keep ${after.name} at ${before.size} bytes`, (node) => {
        const size = member(node, 'size');
        return size === undefined ? [] : [replaced(size, String(before.size))];
      }),
    });
  }

  missingSymbols(reader: AvroEnum, writer: AvroEnum, missing: readonly string[], here: Here): CompatibilityIssue {
    const names = listed(missing);
    if (!this.#isReader)
      return this.#issue('MISSING_ENUM_SYMBOLS', this.#own(writer, 'symbols', here), {
        title: `${here.name} got ${names}`,
        message: `Readers of the earlier version do not know ${names}, and their enum has no default: they stop at the first message with it.`,
      });
    return this.#issue('MISSING_ENUM_SYMBOLS', this.#own(reader, 'symbols', here), {
      title: `${here.name} lost ${names}`,
      message: `Old messages may hold ${names}. A reader of the new version has no such symbol, and its enum has no default.`,
      ...this.#fix(reader, true, `Keep ${names} in ${reader.name}`, (node) => {
        const symbols = member(node, 'symbols');
        return symbols?.kind === 'array' ? [withItem(symbols, missing.map((symbol) => JSON.stringify(symbol)).join(', '))] : [];
      }),
    });
  }

  /** Reports a field of the reader that the writer does not have. */
  missingDefault(field: AvroField, reader: AvroRecord, writer: AvroRecord, here: Here): CompatibilityIssue {
    const code = 'READER_FIELD_MISSING_DEFAULT_VALUE';
    if (this.#isReader)
      return this.#issue(code, reader.source === this.#source ? (member(field.node, 'name') ?? field.node) : here.node, {
        title: `${field.name} has no default`,
        message: 'Old messages lack it; a reader of the new version stops at the first one.',
        ...this.#fix(reader, true, ...defaultFix(field)),
      });
    return this.#issue(code, this.#key(writer, 'fields', here), {
      title: `${field.name} was removed`,
      message: `Readers of the earlier version need it: it has no default there. They stop at the first new message.`,
      ...this.#fix(writer, isSelfContained(field.type), `Keep ${field.name}`, (node) => {
        const fields = member(node, 'fields');
        return fields?.kind === 'array' ? [withItem(fields, sourceText(field.node, reader.source), reader.fields.indexOf(field))] : [];
      }),
    });
  }

  get #isReader(): boolean {
    return this.#judged === 'reader';
  }

  #issue(code: string, node: Span, words: Pick<CompatibilityIssue, 'title' | 'message' | 'fix'>): CompatibilityIssue {
    return { code, ...this.#source.place(node), ...words };
  }

  /** Returns a member of a type. For a type in a reference, returns the nearest place in the judged text. */
  #own(type: AvroType, name: string, here: Here): JsonNode {
    return type.source === this.#source ? (member(type.node, name) ?? type.node) : here.node;
  }

  /** Returns the span of a member's name, because its value may span many lines. */
  #key(type: AvroType, name: string, here: Here): Span {
    const key = type.source === this.#source && type.node.kind === 'object' ? type.node.names.get(name) : undefined;
    return key ?? here.node;
  }

  /** A fix only changes the judged text, so types in references have none. */
  #fix(type: AvroType, isCertain: boolean, label: string, edits: (node: JsonNode) => SchemaFix['edits']): { fix?: SchemaFix } {
    if (!isCertain || type.source !== this.#source) return {};
    const made = edits(type.node);
    return made.length === 0 ? {} : { fix: { label, edits: made } };
  }
}

const listed = (names: readonly string[]): string => {
  const shown = names.slice(0, 5);
  if (names.length > shown.length) return `${shown.join(', ')} and ${names.length - shown.length} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
};

/** Returns true if the type's text means the same in another schema: it does not name types that are defined elsewhere. */
const isSelfContained = (type: AvroType): boolean => {
  switch (type.kind) {
    case 'record':
    case 'enum':
    case 'fixed':
      return false;
    case 'array':
      return isSelfContained(type.items);
    case 'map':
      return isSelfContained(type.values);
    case 'union':
      return type.branches.every(isSelfContained);
    default:
      return true;
  }
};

const sourceText = (node: JsonNode, source: SourceText): string => source.text.slice(node.from, node.to);
const textOf = (type: AvroType): string => sourceText(type.node, type.source);

/** Adds a default that fits the field's type. If there is none, makes the type nullable with the default null. */
const defaultFix = (field: AvroField): [string, () => SchemaFix['edits']] => {
  const { node } = field;
  const type = member(node, 'type');
  const value = defaultOf(field.type);
  if (node.kind !== 'object' || type === undefined) return ['', () => []];
  if (value !== undefined) return [`Give ${field.name} the default ${value}`, () => [withMember(node, 'default', value)]];
  const last = [...node.members.values()].at(-1);
  const isLast = last === type;
  return [
    `Let ${field.name} be null where it is missing`,
    () => [
      { from: type.from, to: type.from, text: '["null", ' },
      { from: type.to, to: type.to, text: isLast ? '], "default": null' : ']' },
      ...(isLast ? [] : [withMember(node, 'default', 'null')]),
    ],
  ];
};

const defaultOf = (type: AvroType): string | undefined => {
  switch (type.kind) {
    case 'int':
    case 'long':
    case 'float':
    case 'double':
      return '0';
    case 'string':
    case 'bytes':
      return '""';
    case 'boolean':
      return 'false';
    case 'null':
      return 'null';
    case 'array':
      return '[]';
    case 'map':
      return '{}';
    case 'enum':
      return type.symbols[0] === undefined ? undefined : JSON.stringify(type.default ?? type.symbols[0]);
    // Before Avro 1.12, readers only accept a default of the first branch.
    case 'union':
      return type.branches[0] === undefined ? undefined : defaultOf(type.branches[0]);
    default:
      return undefined;
  }
};
