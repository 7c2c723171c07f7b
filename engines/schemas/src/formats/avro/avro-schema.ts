/** Implements ParsedSchema for Avro. */
import type { JsonValue, ParsedSchema, ParseResult, SchemaField, SchemaProblem } from '@slipway/foundation/ports/schema.ts';
import type { SchemaReference } from '../schema-format.ts';
import { sampleWithinLimits, withinLimits } from '../message-limits.ts';
import { referenceList } from '../reference-list.ts';
import { fingerprintOf } from '../text/digest.ts';
import { canonicalJson, parseJson } from '../text/json-text.ts';
import { SourceText } from '../text/source-text.ts';
import { avroFields } from './avro-fields.ts';
import { avroSample } from './avro-sample.ts';
import type { AvroType } from './avro-type.ts';
import { isNamed } from './avro-type.ts';
import { decodeAvro } from './decode-avro.ts';
import { encodeAvro } from './encode-avro.ts';
import { AvroParser } from './parse-avro.ts';

export class AvroSchema implements ParsedSchema {
  readonly type = 'AVRO';
  readonly content: string;
  readonly canonical: string;
  readonly fingerprint: string;
  readonly name: string | undefined;
  readonly referenceNames: readonly string[];
  readonly root: AvroType;
  readonly source: SourceText;

  constructor(root: AvroType, source: SourceText, canonical: string, referenceNames: readonly string[]) {
    this.content = source.text;
    this.root = root;
    this.source = source;
    this.canonical = canonical;
    this.fingerprint = fingerprintOf(canonical);
    this.name = isNamed(root) ? root.fullName : undefined;
    this.referenceNames = referenceNames;
  }

  fields(): readonly SchemaField[] {
    return avroFields(this.root);
  }

  sample(): JsonValue {
    return sampleWithinLimits(() => avroSample(this.root));
  }

  decode(body: Uint8Array): JsonValue {
    return withinLimits(() => decodeAvro(this.root, body));
  }

  encode(value: JsonValue): Uint8Array {
    return withinLimits(() => encodeAvro(this.root, value));
  }
}

export const parseAvro = (content: string, references: readonly SchemaReference[]): ParseResult => {
  const source = new SourceText(bare(content));
  const text = parseJson(source.text);
  if ('problems' in text)
    return { ok: false, problems: text.problems.map((problem) => ({ ...source.place(problem), message: problem.message })) };
  const parser = new AvroParser(source);
  const read = readReferences(parser, references);
  if (read.problem !== undefined) return { ok: false, problems: [{ ...source.place(text.root), message: read.problem }] };
  const root = parser.parse(text.root, source);
  if (root === undefined || parser.problems.length > 0) return { ok: false, problems: inOrder(parser.problems) };
  const canonical = [canonicalJson(text.root), ...read.canonical].join('\n');
  return { ok: true, schema: new AvroSchema(root, source, canonical, read.names) };
};

/** Registries accept the unquoted name of a primitive as a schema. */
const bare = (content: string): string =>
  /^\s*(null|boolean|int|long|float|double|bytes|string)\s*$/.test(content.slice(0, 100)) && content !== 'null'
    ? JSON.stringify(content.trim())
    : content;

const readReferences = (parser: AvroParser, references: readonly SchemaReference[]) => {
  const canonical: string[] = [];
  const list = referenceList(references);
  for (const { name, content } of list) {
    const source = new SourceText(content);
    const text = parseJson(content);
    const problem = 'problems' in text ? text.problems[0] : undefined;
    if (!('problems' in text)) {
      const type = parser.parse(text.root, source);
      canonical.push(`${name}=${canonicalJson(text.root)}`);
      if (type !== undefined && parser.problems.length === 0) continue;
    }
    return { canonical, names: [], problem: `The reference “${name}” is not valid: ${problem?.message ?? parser.problems[0]?.message}` };
  }
  return { canonical, names: list.map(({ name }) => name), problem: undefined };
};

const inOrder = (problems: readonly SchemaProblem[]): SchemaProblem[] => [...problems].sort((a, b) => a.from - b.from);
