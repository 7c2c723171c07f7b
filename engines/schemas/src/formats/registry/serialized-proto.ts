/**
 * Serializes a Protobuf schema as a base64 descriptor. Some clients request this form instead of the text: Confluent's for Python has no
 * parser.
 */
import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { ParsedSchema } from '@slipway/foundation/ports/schema.ts';
import { descriptorOf } from '../protobuf/proto-descriptor.ts';
import { ProtobufSchema } from '../protobuf/protobuf-schema.ts';

/** The file name that Confluent's registry uses. */
const FILE = 'default';

/** Returns undefined for other formats. */
export const serializedProto = (schema: ParsedSchema): string | undefined =>
  schema instanceof ProtobufSchema
    ? Buffer.from(toBinary(FileDescriptorProtoSchema, descriptorOf(FILE, schema.file, schema.linker))).toString('base64')
    : undefined;
