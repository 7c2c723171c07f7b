/**
 * How the tables describe a message: a list of fields, each with the versions that have it. The types of requests and responses are made
 * from the tables, so that a handler cannot disagree with what is read and written.
 */
type Scalar = 'int8' | 'int16' | 'int32' | 'int64' | 'uint16' | 'bool' | 'string' | 'uuid' | 'bytes' | 'records';
export type FieldType = Scalar | 'struct';

export interface Field {
  readonly name: string;
  readonly type: FieldType | `[]${FieldType}`;
  /** The first version that has it; 0 when not given. */
  readonly from?: number;
  /** The last one; every later one has it when not given. */
  readonly to?: number;
  /** The first version in which it may be null. */
  readonly nullable?: number;
  /** Its number among the tagged fields, which stand at the end of a struct and may be left out. */
  readonly tag?: number;
  /** The first version in which it is tagged, where that is not `from`. */
  readonly tagged?: number;
  /** Where nothing is given: 0, '', false, no elements, or this. */
  readonly default?: string | number | boolean | null;
  /** Of a struct. */
  readonly fields?: readonly Field[];
}
export interface ApiTable {
  readonly key: number;
  /** The first version with short lengths and tagged fields (KIP-482); Infinity where there is none. */
  readonly flexible: number;
  readonly request: readonly Field[];
  readonly response: readonly Field[];
}

interface Read {
  readonly int8: number;
  readonly int16: number;
  readonly int32: number;
  /** Offsets and times stay far below 2^53; what is larger loses its last bits. */
  readonly int64: number;
  readonly uint16: number;
  readonly bool: boolean;
  readonly string: string;
  /** As Kafka prints it: 22 letters of base64url. */
  readonly uuid: string;
  readonly bytes: Buffer;
  readonly records: Buffer;
}
interface Written extends Omit<Read, 'records'> {
  /** In pieces, so that what was read from a file is not copied. */
  readonly records: Buffer | readonly Buffer[];
}
type OrNull<F extends Field> = F extends { readonly nullable: number } ? null : never;

type ReadOne<Type, F extends Field> = Type extends keyof Read ? Read[Type] : Whole<NonNullable<F['fields']>>;
type ReadValue<F extends Field> = (F['type'] extends `[]${infer Type}` ? readonly ReadOne<Type, F>[] : ReadOne<F['type'], F>) | OrNull<F>;
/** What is read: every field is there, with its default where the version has none. */
export type Whole<Fields extends readonly Field[]> = { readonly [F in Fields[number] as F['name']]: ReadValue<F> };

type WrittenOne<Type, F extends Field> = Type extends keyof Written ? Written[Type] : Given<NonNullable<F['fields']>>;
type WrittenValue<F extends Field> =
  | (F['type'] extends `[]${infer Type}` ? readonly WrittenOne<Type, F>[] : WrittenOne<F['type'], F>)
  | OrNull<F>;
type Optional = { readonly default: unknown } | { readonly tag: number };
/** What is written: what has a default, or is tagged, may be left out. */
export type Given<Fields extends readonly Field[]> = {
  readonly [F in Exclude<Fields[number], Optional> as F['name']]: WrittenValue<F>;
} & { readonly [F in Extract<Fields[number], Optional> as F['name']]?: WrittenValue<F> | undefined };
