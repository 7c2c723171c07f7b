/** Converts a linked .proto file to descriptors for @bufbuild/protobuf, which reads and writes messages without generated code. */
import { create } from '@bufbuild/protobuf';
import {
  DescriptorProtoSchema,
  EnumDescriptorProtoSchema,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import type { DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import { jsonName } from './proto-rules.ts';
import type { FieldType, ProtoLinker } from './link-proto.ts';
import type { ProtoEnum, ProtoField, ProtoFile, ProtoMessage, ProtoScalar } from './proto-file.ts';

const scalarTypes: Readonly<Record<ProtoScalar, FieldDescriptorProto_Type>> = {
  double: FieldDescriptorProto_Type.DOUBLE,
  float: FieldDescriptorProto_Type.FLOAT,
  int64: FieldDescriptorProto_Type.INT64,
  uint64: FieldDescriptorProto_Type.UINT64,
  int32: FieldDescriptorProto_Type.INT32,
  fixed64: FieldDescriptorProto_Type.FIXED64,
  fixed32: FieldDescriptorProto_Type.FIXED32,
  bool: FieldDescriptorProto_Type.BOOL,
  string: FieldDescriptorProto_Type.STRING,
  bytes: FieldDescriptorProto_Type.BYTES,
  uint32: FieldDescriptorProto_Type.UINT32,
  sfixed32: FieldDescriptorProto_Type.SFIXED32,
  sfixed64: FieldDescriptorProto_Type.SFIXED64,
  sint32: FieldDescriptorProto_Type.SINT32,
  sint64: FieldDescriptorProto_Type.SINT64,
};
const labels = {
  optional: FieldDescriptorProto_Label.OPTIONAL,
  required: FieldDescriptorProto_Label.REQUIRED,
  repeated: FieldDescriptorProto_Label.REPEATED,
};

/** Omits extensions, services and options other than `packed` and `json_name`, which do not affect messages. */
export const descriptorOf = (name: string, file: ProtoFile, linker: ProtoLinker): FileDescriptorProto =>
  create(FileDescriptorProtoSchema, {
    name,
    package: file.package,
    syntax: file.syntax,
    dependency: file.imports.map(({ path }) => path),
    publicDependency: file.imports.flatMap(({ isPublic }, index) => (isPublic ? [index] : [])),
    messageType: file.messages.map((message) => messageOf(message, file, linker)),
    enumType: file.enums.map(enumOf),
  });

const messageOf = (message: ProtoMessage, file: ProtoFile, linker: ProtoLinker): DescriptorProto => {
  const optionals = message.fields.filter((field) => isOptionalInProto3(field, file));
  const oneofs = [...message.oneofs.map(({ name }) => name), ...optionals.map(({ name }) => `_${name}`)];
  return create(DescriptorProtoSchema, {
    name: message.name,
    field: message.fields.map((field) => fieldOf(field, message, file, linker, oneofs)),
    oneofDecl: oneofs.map((name) => ({ name })),
    nestedType: [
      ...message.messages.map((inner) => messageOf(inner, file, linker)),
      ...message.fields.filter(({ keyType }) => keyType !== undefined).map((field) => entryOf(field, linker)),
    ],
    enumType: message.enums.map(enumOf),
  });
};

const isOptionalInProto3 = (field: ProtoField, file: ProtoFile): boolean => file.syntax === 'proto3' && field.label === 'optional';

const entryName = (field: ProtoField): string =>
  `${field.name.replace(/(?:^|_)([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase())}Entry`;

const typeFields = (type: FieldType | undefined, isGroup = false) => {
  if (type === undefined) return {};
  if (typeof type === 'string') return { type: scalarTypes[type] };
  const kind =
    type.kind === 'enum' ? FieldDescriptorProto_Type.ENUM : isGroup ? FieldDescriptorProto_Type.GROUP : FieldDescriptorProto_Type.MESSAGE;
  return { type: kind, typeName: `.${type.fullName}` };
};

const fieldOf = (
  field: ProtoField,
  message: ProtoMessage,
  file: ProtoFile,
  linker: ProtoLinker,
  oneofs: readonly string[],
): FieldDescriptorProto => {
  const isMap = field.keyType !== undefined;
  const isOptional = isOptionalInProto3(field, file);
  const oneof = isOptional ? `_${field.name}` : field.oneof;
  const packed = field.options.find(({ name }) => name === 'packed');
  return create(FieldDescriptorProtoSchema, {
    name: field.name,
    number: field.number,
    label: isMap ? labels.repeated : labels[field.label ?? 'optional'],
    ...(isMap
      ? { type: FieldDescriptorProto_Type.MESSAGE, typeName: `.${message.fullName}.${entryName(field)}` }
      : typeFields(linker.typeOf(field), field.isGroup)),
    jsonName: jsonName(field),
    ...(isOptional ? { proto3Optional: true } : {}),
    ...(oneof === undefined ? {} : { oneofIndex: oneofs.indexOf(oneof) }),
    ...(packed === undefined ? {} : { options: { packed: packed.value === 'true' } }),
  });
};

const entryOf = (field: ProtoField, linker: ProtoLinker): DescriptorProto =>
  create(DescriptorProtoSchema, {
    name: entryName(field),
    options: { mapEntry: true },
    field: [
      { name: 'key', number: 1, jsonName: 'key', label: labels.optional, ...typeFields(linker.keyOf(field)) },
      { name: 'value', number: 2, jsonName: 'value', label: labels.optional, ...typeFields(linker.typeOf(field)) },
    ],
  });

const enumOf = ({ name, values, options }: ProtoEnum): EnumDescriptorProto =>
  create(EnumDescriptorProtoSchema, {
    name,
    value: values.map((value) => ({ name: value.name, number: value.number })),
    ...(options.some((option) => option.name === 'allow_alias') ? { options: { allowAlias: true } } : {}),
  });
