/** The files under google/protobuf that every compiler includes. Derived from the descriptors in @bufbuild/protobuf. */
import type { DescField, DescFile, DescMessage } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import {
  file_google_protobuf_any,
  file_google_protobuf_api,
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_source_context,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_type,
  file_google_protobuf_wrappers,
} from '@bufbuild/protobuf/wkt';
import { SourceText } from '../text/source-text.ts';
import type { ProtoEnum, ProtoField, ProtoFile, ProtoMessage } from './proto-file.ts';

const files = [
  file_google_protobuf_any,
  file_google_protobuf_api,
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_source_context,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_type,
  file_google_protobuf_wrappers,
];

export interface WellKnownFile {
  readonly descriptor: DescFile;
  readonly file: ProtoFile;
}

const read = new Map<string, WellKnownFile>();

/** Returns a file by its import path. */
export const wellKnownFile = (path: string): WellKnownFile | undefined => {
  const known = read.get(path);
  if (known !== undefined) return known;
  const descriptor = files.find(({ name }) => `${name}.proto` === path);
  if (descriptor === undefined) return undefined;
  const found = { descriptor, file: fileOf(descriptor) };
  read.set(path, found);
  return found;
};

const fileOf = (file: DescFile): ProtoFile => ({
  syntax: file.proto.syntax === 'proto3' ? 'proto3' : 'proto2',
  package: file.proto.package,
  imports: file.dependencies.map(({ name }) => ({ path: `${name}.proto`, isPublic: false, span: span(name) })),
  messages: file.messages.map(messageOf),
  enums: file.enums.map(enumOf),
  services: [],
  extends: [],
  source: new SourceText(''),
});

const span = (path: string) => ({ path, from: 0, to: 0 });
const noReserved = { options: [], reserved: [], reservedNames: [] };

const messageOf = (message: DescMessage): ProtoMessage => ({
  kind: 'message',
  name: message.name,
  fullName: message.typeName,
  nameSpan: span(message.typeName),
  span: span(message.typeName),
  fields: message.fields.map((field) => fieldOf(field, message.typeName)),
  oneofs: message.oneofs.map(({ name }) => ({ name, nameSpan: span(`${message.typeName}.${name}`) })),
  messages: message.nestedMessages.map(messageOf),
  enums: message.nestedEnums.map(enumOf),
  extensions: message.proto.extensionRange.map(({ start, end }) => ({ first: start, last: end - 1, span: span(message.typeName) })),
  extends: [],
  ...noReserved,
});

const scalarName = (scalar: ScalarType): string => ScalarType[scalar].toLowerCase();

const typeName = (field: DescField): string => {
  if (field.message !== undefined) return `.${field.message.typeName}`;
  if (field.enum !== undefined) return `.${field.enum.typeName}`;
  return field.scalar === undefined ? 'bytes' : scalarName(field.scalar);
};

const fieldOf = (field: DescField, parent: string): ProtoField => {
  const at = span(`${parent}.${field.name}`);
  const isList = field.fieldKind === 'list';
  return {
    name: field.name,
    number: field.number,
    ...(isList ? { label: 'repeated' } : field.fieldKind === 'map' || field.oneof !== undefined ? {} : { label: 'optional' }),
    ...(field.fieldKind === 'map' ? { keyType: scalarName(field.mapKey) } : {}),
    typeName: typeName(field),
    ...(field.oneof === undefined ? {} : { oneof: field.oneof.name }),
    options: [],
    span: at,
    nameSpan: at,
    typeSpan: at,
    numberSpan: at,
  };
};

const enumOf = (found: DescMessage['nestedEnums'][number]): ProtoEnum => ({
  kind: 'enum',
  name: found.name,
  fullName: found.typeName,
  nameSpan: span(found.typeName),
  span: span(found.typeName),
  values: found.values.map(({ name, number }) => ({ name, number, span: span(`${found.typeName}.${name}`) })),
  ...noReserved,
});
