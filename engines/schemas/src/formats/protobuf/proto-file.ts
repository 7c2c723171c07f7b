/** The syntax tree of a .proto file. Every node has its place. */
import type { SourceText, Span } from '../text/source-text.ts';

export const protoScalars = [
  'double',
  'float',
  'int64',
  'uint64',
  'int32',
  'fixed64',
  'fixed32',
  'bool',
  'string',
  'bytes',
  'uint32',
  'sfixed32',
  'sfixed64',
  'sint32',
  'sint64',
] as const;
export type ProtoScalar = (typeof protoScalars)[number];
export const isProtoScalar = (name: string): name is ProtoScalar => protoScalars.some((scalar) => scalar === name);

export type ProtoLabel = 'optional' | 'required' | 'repeated';

/** `name = value` in brackets or after `option`. For a value in braces, holds its strings. */
export interface ProtoOption {
  /** As written: `packed`, `(confluent.field_meta).tags`. */
  readonly name: string;
  readonly value: string;
  readonly texts: readonly string[];
  readonly span: Span;
}

export interface ProtoField {
  readonly name: string;
  readonly number: number;
  /** As written. None in proto3, in a oneof and for a map. */
  readonly label?: ProtoLabel;
  /** As written. For a map, the type of its values. */
  readonly typeName: string;
  /** For a map, the type of its keys. */
  readonly keyType?: string;
  readonly isGroup?: boolean;
  readonly oneof?: string;
  readonly options: readonly ProtoOption[];
  readonly doc?: string;
  /** From the label to the semicolon. */
  readonly span: Span;
  readonly nameSpan: Span;
  readonly typeSpan: Span;
  readonly numberSpan: Span;
  readonly labelSpan?: Span;
}

/** Both ends are inclusive. */
export interface NumberRange {
  readonly first: number;
  readonly last: number;
  readonly span: Span;
}

interface Named {
  readonly name: string;
  /** With the package, without a leading dot. */
  readonly fullName: string;
  readonly doc?: string;
  readonly nameSpan: Span;
  readonly span: Span;
  readonly options: readonly ProtoOption[];
  readonly reserved: readonly NumberRange[];
  readonly reservedNames: readonly { readonly name: string; readonly span: Span }[];
}

export interface ProtoOneof {
  readonly name: string;
  readonly nameSpan: Span;
}

export interface ProtoMessage extends Named {
  readonly kind: 'message';
  readonly fields: readonly ProtoField[];
  readonly oneofs: readonly ProtoOneof[];
  readonly messages: readonly ProtoMessage[];
  readonly enums: readonly ProtoEnum[];
  readonly extensions: readonly NumberRange[];
  readonly extends: readonly ProtoExtend[];
}

export interface ProtoEnumValue {
  readonly name: string;
  readonly number: number;
  readonly span: Span;
}
export interface ProtoEnum extends Named {
  readonly kind: 'enum';
  readonly values: readonly ProtoEnumValue[];
}

export interface ProtoExtend {
  readonly typeName: string;
  readonly span: Span;
  readonly fields: readonly ProtoField[];
}

export interface ProtoMethod {
  readonly name: string;
  readonly input: string;
  readonly output: string;
  readonly span: Span;
}
export interface ProtoService {
  readonly name: string;
  readonly nameSpan: Span;
  readonly methods: readonly ProtoMethod[];
}

export interface ProtoImport {
  readonly path: string;
  readonly isPublic: boolean;
  readonly span: Span;
}

export interface ProtoFile {
  readonly syntax: 'proto2' | 'proto3';
  readonly package: string;
  readonly imports: readonly ProtoImport[];
  readonly messages: readonly ProtoMessage[];
  readonly enums: readonly ProtoEnum[];
  readonly services: readonly ProtoService[];
  readonly extends: readonly ProtoExtend[];
  readonly source: SourceText;
}
