/**
 * Describes messages in the tables: a list of fields, each with its versions. The types of requests and responses are derived from the
 * tables, so that handlers cannot disagree with the encoding.
 */
type Scalar = 'int8' | 'int16' | 'int32' | 'int64' | 'uint16' | 'bool' | 'string' | 'uuid' | 'bytes' | 'records';
export type FieldType = Scalar | 'struct';

export interface Field {
  readonly name: string;
  readonly type: FieldType | `[]${FieldType}`;
  /** The first version with this field. Defaults to 0. */
  readonly from?: number;
  /** The last version with this field. Defaults to all later ones. */
  readonly to?: number;
  /** The first version in which it may be null. */
  readonly nullable?: number;
  /** The field's tag. Tagged fields are at the end of a struct and may be omitted. */
  readonly tag?: number;
  /** The first version in which it is tagged, if not `from`. */
  readonly tagged?: number;
  /** The value of an omitted field. Defaults to 0, '', false or no elements. */
  readonly default?: string | number | boolean | null;
  /** Fields of a struct. */
  readonly fields?: readonly Field[];
}
export interface ApiTable {
  readonly key: number;
  /** The first version with compact lengths and tagged fields (KIP-482). Infinity if there is none. */
  readonly flexible: number;
  readonly request: readonly Field[];
  readonly response: readonly Field[];
}

interface Read {
  readonly int8: number;
  readonly int16: number;
  readonly int32: number;
  /** Offsets and timestamps stay far below 2^53. Larger numbers lose precision. */
  readonly int64: number;
  readonly uint16: number;
  readonly bool: boolean;
  readonly string: string;
  /** In Kafka's text form: 22 characters of base64url. */
  readonly uuid: string;
  readonly bytes: Buffer;
  readonly records: Buffer;
}
interface Written extends Omit<Read, 'records'> {
  /** May be a list of buffers, so that data read from a file is not copied. */
  readonly records: Buffer | readonly Buffer[];
}
type OrNull<F extends Field> = F extends { readonly nullable: number } ? null : never;

type ReadOne<Type, F extends Field> = Type extends keyof Read ? Read[Type] : Whole<NonNullable<F['fields']>>;
type ReadValue<F extends Field> = (F['type'] extends `[]${infer Type}` ? readonly ReadOne<Type, F>[] : ReadOne<F['type'], F>) | OrNull<F>;
/** A decoded struct: every field is present, with its default if the version does not have it. */
export type Whole<Fields extends readonly Field[]> = { readonly [F in Fields[number] as F['name']]: ReadValue<F> };

type WrittenOne<Type, F extends Field> = Type extends keyof Written ? Written[Type] : Given<NonNullable<F['fields']>>;
type WrittenValue<F extends Field> =
  | (F['type'] extends `[]${infer Type}` ? readonly WrittenOne<Type, F>[] : WrittenOne<F['type'], F>)
  | OrNull<F>;
type Optional = { readonly default: unknown } | { readonly tag: number };
/** A struct to encode: fields that are tagged or have a default may be omitted. */
export type Given<Fields extends readonly Field[]> = {
  readonly [F in Exclude<Fields[number], Optional> as F['name']]: WrittenValue<F>;
} & { readonly [F in Extract<Fields[number], Optional> as F['name']]?: WrittenValue<F> | undefined };
