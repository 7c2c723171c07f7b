/** A Protobuf schema as a descriptor in base64, which some clients ask for instead of the text: Confluent's for Python has no parser. */
import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { ParsedSchema } from '#ports/schema.ts';
import { descriptorOf } from '../protobuf/proto-descriptor.ts';
import { ProtobufSchema } from '../protobuf/protobuf-schema.ts';

/** What Confluent's registry calls the file. */
const FILE = 'default';

/** Undefined for the other formats. */
export const serializedProto = (schema: ParsedSchema): string | undefined =>
  schema instanceof ProtobufSchema
    ? Buffer.from(toBinary(FileDescriptorProtoSchema, descriptorOf(FILE, schema.file, schema.linker))).toString('base64')
    : undefined;
