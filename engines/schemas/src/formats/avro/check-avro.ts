/**
 * Checks Avro compatibility by the rules of Apache's SchemaCompatibility: promotion, unions by branch, unqualified names or an alias, enums
 * with a default, fields by name or alias. Compares each pair of types once, so that recursive types end.
 */
import type { CompatibilityIssue } from '@slipway/foundation/ports/schema.ts';
import { Budget, schemaLimits } from '../schema-limits.ts';
import type { Judged } from '../schema-format.ts';
import { member } from '../text/json-text.ts';
import type { SourceText } from '../text/source-text.ts';
import { AvroIssues } from './avro-issues.ts';
import type { Here } from './avro-issues.ts';
import type { AvroField, AvroNamed, AvroRecord, AvroType, AvroUnion } from './avro-type.ts';
import { isNamed } from './avro-type.ts';

export const checkAvro = (reader: AvroType, writer: AvroType, judged: Judged, source: SourceText): CompatibilityIssue[] => {
  const root = judged === 'reader' ? reader : writer;
  return new AvroChecker(judged, source).compare(reader, writer, { node: root.node, name: isNamed(root) ? root.name : root.kind });
};

const promotions: Readonly<Record<string, readonly AvroType['kind'][]>> = {
  long: ['int'],
  float: ['int', 'long'],
  double: ['int', 'long', 'float'],
  bytes: ['string'],
  string: ['bytes'],
};

class AvroChecker {
  readonly #judged: Judged;
  readonly #source: SourceText;
  readonly #issues: AvroIssues;
  readonly #budget = new Budget(schemaLimits.steps, 'pairs of types to compare');
  /** Holds an empty list while a pair is being compared: recursive types are compatible unless something else differs. */
  readonly #seen = new Map<AvroType, Map<AvroType, CompatibilityIssue[]>>();

  constructor(judged: Judged, source: SourceText) {
    this.#judged = judged;
    this.#source = source;
    this.#issues = new AvroIssues(judged, source);
  }

  compare(reader: AvroType, writer: AvroType, around: Here): CompatibilityIssue[] {
    let pairs = this.#seen.get(reader);
    if (pairs === undefined) this.#seen.set(reader, (pairs = new Map()));
    const known = pairs.get(writer);
    if (known !== undefined) return known;
    this.#budget.spend();
    pairs.set(writer, []);
    const judged = this.#judged === 'reader' ? reader : writer;
    const issues = this.#pair(reader, writer, { ...around, node: judged.source === this.#source ? judged.node : around.node });
    pairs.set(writer, issues);
    return issues.slice(0, schemaLimits.listed);
  }

  #pair(reader: AvroType, writer: AvroType, here: Here): CompatibilityIssue[] {
    if (writer.kind === 'union') return this.#writerUnion(reader, writer, here);
    if (reader.kind === 'union') return this.#readerUnion(reader, writer, here);
    if (reader.kind === 'array' && writer.kind === 'array') return this.compare(reader.items, writer.items, within(here, 'items of'));
    if (reader.kind === 'map' && writer.kind === 'map') return this.compare(reader.values, writer.values, within(here, 'values of'));
    if (isNamed(reader) && isNamed(writer) && reader.kind === writer.kind) return this.#named(reader, writer, here);
    if (reader.kind === writer.kind || promotions[reader.kind]?.includes(writer.kind) === true) return [];
    return [this.#issues.typeMismatch(reader, writer, here)];
  }

  #readerUnion(reader: AvroUnion, writer: AvroType, here: Here): CompatibilityIssue[] {
    if (reader.branches.some((branch) => this.compare(branch, writer, here).length === 0)) return [];
    // A mismatch in the type of the same name is the more helpful message.
    const namesake = reader.branches.find((branch) => isNamesake(branch, writer));
    return namesake === undefined ? [this.#issues.missingBranch(reader, writer, here)] : this.compare(namesake, writer, here);
  }

  /** The reader must be able to read each of the writer's branches. */
  #writerUnion(reader: AvroType, writer: AvroUnion, here: Here): CompatibilityIssue[] {
    if (reader.kind === 'union') return writer.branches.flatMap((branch) => this.#readerUnion(reader, branch, here));
    const unread = writer.branches.filter((branch) => this.compare(reader, branch, here).length > 0);
    const [first] = unread;
    if (first === undefined) return [];
    return unread.every((branch) => isNamesake(reader, branch))
      ? unread.flatMap((branch) => this.compare(reader, branch, here))
      : [this.#issues.typeMismatch(reader, writer, here, first)];
  }

  #named(reader: AvroNamed, writer: AvroNamed, here: Here): CompatibilityIssue[] {
    const issues: CompatibilityIssue[] = [];
    if (reader.name !== writer.name && !reader.aliases.includes(writer.fullName))
      issues.push(this.#issues.nameMismatch(reader, writer, here));
    if (reader.kind === 'fixed' && writer.kind === 'fixed' && reader.size !== writer.size)
      issues.push(this.#issues.fixedSize(reader, writer, here));
    if (reader.kind === 'enum' && writer.kind === 'enum' && reader.default === undefined) {
      const known = new Set(reader.symbols);
      const missing = writer.symbols.filter((symbol) => !known.has(symbol));
      if (missing.length > 0) issues.push(this.#issues.missingSymbols(reader, writer, missing, here));
    }
    if (reader.kind === 'record' && writer.kind === 'record') issues.push(...this.#fields(reader, writer, here));
    return issues;
  }

  #fields(reader: AvroRecord, writer: AvroRecord, here: Here): CompatibilityIssue[] {
    const written = new Map(writer.fields.map((field) => [field.name, field]));
    return reader.fields.flatMap((field) => {
      this.#budget.spend();
      const match = [field.name, ...field.aliases].map((name) => written.get(name)).find((found) => found !== undefined);
      if (match === undefined) return field.default === undefined ? [this.#issues.missingDefault(field, reader, writer, here)] : [];
      const judged = this.#judged === 'reader' ? field : match;
      return this.compare(field.type, match.type, this.#fieldHere(judged, this.#judged === 'reader' ? reader : writer, here));
    });
  }

  #fieldHere(field: AvroField, record: AvroRecord, here: Here): Here {
    const node = record.source === this.#source ? (member(field.node, 'type') ?? field.node) : here.node;
    return { node, name: field.name };
  }
}

const isNamesake = (a: AvroType, b: AvroType): boolean => a.kind === b.kind && isNamed(a) && isNamed(b) && a.name === b.name;

const within = (here: Here, what: string): Here => ({ ...here, name: here.name.startsWith(what) ? here.name : `${what} ${here.name}` });
