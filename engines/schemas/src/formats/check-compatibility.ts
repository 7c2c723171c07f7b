/** Checks whether a reader can read what a writer wrote, by the rules of their format. */
import type { CompatibilityIssue, ParsedSchema } from '@slipway/foundation/ports/schema.ts';
import { AvroSchema } from './avro/avro-schema.ts';
import { checkAvro } from './avro/check-avro.ts';
import { JsonSchema } from './json-schema/json-schema.ts';
import { checkJson } from './json-schema/check-json.ts';
import { checkProtobuf } from './protobuf/check-protobuf.ts';
import { ProtobufSchema } from './protobuf/protobuf-schema.ts';
import type { Judged } from './schema-format.ts';
import { LimitError } from './schema-limits.ts';

/**
 * Returns every incompatibility, or an empty list. Places and fixes refer to the judged text: the reader's when a new version has to read
 * old messages, the writer's when old readers have to read new ones.
 */
export const checkCompatibility = (reader: ParsedSchema, writer: ParsedSchema, judged: Judged = 'reader'): CompatibilityIssue[] => {
  if (reader.fingerprint === writer.fingerprint && reader.type === writer.type) return [];
  try {
    return check(reader, writer, judged);
  } catch (error) {
    // An incomplete comparison counts as incompatible.
    if (!(error instanceof LimitError || error instanceof RangeError)) throw error;
    return [
      atStart(
        'TOO_LARGE_TO_COMPARE',
        'Too large to compare',
        'The two versions could not be compared: together they have too many types within types.',
      ),
    ];
  }
};

const check = (reader: ParsedSchema, writer: ParsedSchema, judged: Judged): CompatibilityIssue[] => {
  const source = (judged === 'reader' ? reader : writer).content;
  if (reader instanceof AvroSchema && writer instanceof AvroSchema)
    return checkAvro(reader.root, writer.root, judged, judged === 'reader' ? reader.source : writer.source);
  if (reader instanceof JsonSchema && writer instanceof JsonSchema) return checkJson(reader, writer, judged);
  if (reader instanceof ProtobufSchema && writer instanceof ProtobufSchema) return checkProtobuf(reader, writer, judged);
  const [before, after] = judged === 'reader' ? [writer, reader] : [reader, writer];
  return [
    atStart(
      'SCHEMA_TYPE_CHANGED',
      `${before.type} became ${after.type}`,
      'A schema keeps its format: readers of one format cannot read another.',
      source.length,
    ),
  ];
};

const atStart = (code: string, title: string, message: string, to = 0): CompatibilityIssue => ({
  code,
  path: '',
  line: 1,
  column: 1,
  from: 0,
  to,
  title,
  message,
});
