/** The types of an Avro schema, with their places in its text. */
import type { JsonNode } from '../text/json-text.ts';
import type { SourceText } from '../text/source-text.ts';

export const avroPrimitives = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'] as const;
export type AvroPrimitive = (typeof avroPrimitives)[number];

interface Stands {
  /** The definition. */
  readonly node: JsonNode;
  readonly source: SourceText;
  /** Set only if the underlying type may have it. Others are ignored, as the specification requires. */
  readonly logical?: LogicalType;
}
export type LogicalType = { readonly name: string; readonly scale?: number };

export interface AvroPrimitiveType extends Stands {
  readonly kind: AvroPrimitive;
}
export interface AvroArray extends Stands {
  readonly kind: 'array';
  readonly items: AvroType;
}
export interface AvroMap extends Stands {
  readonly kind: 'map';
  readonly values: AvroType;
}
export interface AvroUnion extends Stands {
  readonly kind: 'union';
  readonly branches: readonly AvroType[];
}
interface Named extends Stands {
  /** Includes the namespace. */
  readonly fullName: string;
  /** The last part of the full name. */
  readonly name: string;
  /** Full names. */
  readonly aliases: readonly string[];
  readonly doc?: string;
}
export interface AvroEnum extends Named {
  readonly kind: 'enum';
  readonly symbols: readonly string[];
  readonly default?: string;
}
export interface AvroFixed extends Named {
  readonly kind: 'fixed';
  readonly size: number;
}
export interface AvroField {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly type: AvroType;
  readonly default?: JsonNode;
  readonly doc?: string;
  readonly node: JsonNode;
}
export interface AvroRecord extends Named {
  readonly kind: 'record';
  /** Filled after the record's name is registered, so that it can refer to itself. */
  readonly fields: AvroField[];
}
export type AvroNamed = AvroRecord | AvroEnum | AvroFixed;
export type AvroType = AvroPrimitiveType | AvroArray | AvroMap | AvroUnion | AvroNamed;

export const isNamed = (type: AvroType): type is AvroNamed => type.kind === 'record' || type.kind === 'enum' || type.kind === 'fixed';

/** JSON cannot express NaN and infinities. Apache's parser also accepts a quoted number as a float's default. */
export const isRealText = (text: string): boolean => /^(NaN|-?Infinity|-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,4})?)$/.test(text);

/** Returns the type's display name: `long (timestamp-millis)`, `array of Vessel`, `string or null`. */
export const typeLabel = (type: AvroType): string => {
  if (type.logical !== undefined) return `${type.kind} (${type.logical.name})`;
  if (isNamed(type)) return type.kind === 'record' ? type.name : `${type.kind} ${type.name}`;
  switch (type.kind) {
    case 'array':
      return `array of ${typeLabel(type.items)}`;
    case 'map':
      return `map of ${typeLabel(type.values)}`;
    case 'union':
      return type.branches.length === 0 ? 'nothing' : type.branches.map(typeLabel).join(' or ');
    default:
      return type.kind;
  }
};
