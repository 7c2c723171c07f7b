/** Parses a schema of any format. */
import type { ParseResult, SchemaType } from '@slipway/foundation/ports/schema.ts';
import { parseAvro } from './avro/avro-schema.ts';
import { parseJsonSchema } from './json-schema/json-schema.ts';
import { parseProtobuf } from './protobuf/protobuf-schema.ts';
import type { SchemaReference } from './schema-format.ts';
import { LimitError, schemaLimits } from './schema-limits.ts';

const parsers: Readonly<Record<SchemaType, (content: string, references: readonly SchemaReference[]) => ParseResult>> = {
  AVRO: parseAvro,
  JSON: parseJsonSchema,
  PROTOBUF: parseProtobuf,
};

/** Never throws. Returns every error in the text or its references as a problem with a place. */
export const parseSchema = (type: SchemaType, content: string, references: readonly SchemaReference[] = []): ParseResult => {
  if (Buffer.byteLength(content) > schemaLimits.bytes) return refused(`The content has more than ${schemaLimits.bytes} bytes.`);
  try {
    const result = parsers[type](content, references);
    // Masking must be able to list the fields, so a schema that is too large for that is refused here.
    if (result.ok) result.schema.fields();
    return result;
  } catch (error) {
    if (error instanceof LimitError) return refused(`The schema asks for too much: ${error.message}.`);
    // Parsers recurse once per level, and levels are limited. This catches oversights.
    if (error instanceof RangeError) return refused('The schema is nested too deep.');
    throw error;
  }
};

const refused = (message: string): ParseResult => ({ ok: false, problems: [{ path: '', line: 1, column: 1, from: 0, to: 0, message }] });
