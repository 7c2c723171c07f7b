/**
 * Compiles readers and writers from the tables: one per API and version, on first use. Skips unknown tagged fields, as the protocol
 * requires.
 */
import { apiTables, type Api, type Request, type Response } from './apis.ts';
import type { Field, FieldType } from './field.ts';
import { MalformedRequest, type Reader } from './reader.ts';
import { Writer } from './writer.ts';

interface Struct {
  readonly isFlexible: boolean;
  /** Every field of the table, in order, so that decoded objects always have the same shape. */
  readonly fields: readonly Plan[];
  readonly tagged: readonly Plan[];
}
interface Plan {
  readonly name: string;
  readonly type: FieldType;
  /** The elements of an array. */
  readonly element: Plan | undefined;
  readonly isNullable: boolean;
  readonly isFlexible: boolean;
  /** True if the field is inline, not tagged. */
  readonly isHere: boolean;
  readonly tag: number;
  readonly empty: () => unknown;
  readonly struct: Struct | undefined;
}

const zeros = {
  int8: 0,
  int16: 0,
  int32: 0,
  int64: 0,
  uint16: 0,
  bool: false,
  string: '',
  uuid: 'AAAAAAAAAAAAAAAAAAAAAA',
  bytes: Buffer.alloc(0),
  records: Buffer.alloc(0),
} as const;

const isBaseType = (type: string): type is FieldType => type === 'struct' || type in zeros;

const structOf = (fields: readonly Field[], version: number, isFlexible: boolean): Struct => {
  const plans = fields.map((field) => planOf(field, version, isFlexible));
  return { isFlexible, fields: plans, tagged: plans.filter(({ tag }) => tag >= 0) };
};

const planOf = (field: Field, version: number, isFlexible: boolean): Plan => {
  const { name, from = 0, to = Infinity, nullable = Infinity, fields } = field;
  const isArray = field.type.startsWith('[]');
  const type = isArray ? field.type.slice(2) : field.type;
  if (!isBaseType(type)) throw new Error(`no such type: ${type}`);
  const isKnown = version >= from && version <= to;
  const isTagged = isKnown && field.tag !== undefined && isFlexible && version >= (field.tagged ?? from);
  const struct = fields && structOf(fields, version, isFlexible);
  const plan: Plan = {
    name,
    type,
    element: undefined,
    isNullable: version >= nullable,
    isFlexible,
    isHere: isKnown && !isTagged,
    tag: isTagged && field.tag !== undefined ? field.tag : -1,
    struct,
    empty: emptyOf(field, isArray, type, struct),
  };
  return isArray ? { ...plan, element: { ...plan, isNullable: false } } : plan;
};

const emptyOf = (field: Field, isArray: boolean, type: FieldType, struct: Struct | undefined): (() => unknown) => {
  const given = field.default;
  if (given !== undefined) return () => given;
  if (isArray) return () => [];
  if (type !== 'struct') return () => zeros[type];
  return () => Object.fromEntries((struct?.fields ?? []).map((plan) => [plan.name, plan.empty()]));
};

const readStruct = (reader: Reader, { isFlexible, fields, tagged }: Struct): Record<string, unknown> => {
  const read: Record<string, unknown> = {};
  for (const plan of fields) read[plan.name] = plan.isHere ? readValue(reader, plan) : plan.empty();
  if (isFlexible) readTagged(reader, tagged, read);
  return read;
};

const readTagged = (reader: Reader, tagged: readonly Plan[], into: Record<string, unknown>): void => {
  for (let count = reader.varint(); count > 0; count -= 1) {
    const tag = reader.varint();
    const length = reader.varint();
    const plan = tagged.find((one) => one.tag === tag);
    if (plan === undefined) reader.skip(length);
    else
      reader.within(length, () => {
        into[plan.name] = readValue(reader, plan);
      });
  }
};

const readValue = (reader: Reader, plan: Plan): unknown => {
  const { element } = plan;
  if (element === undefined) return readOne(reader, plan);
  const length = reader.length(plan.isFlexible, false);
  if (length < 0) return nullOf(plan);
  reader.count(length);
  const values: unknown[] = [];
  for (let index = 0; index < length; index += 1) values.push(readOne(reader, element));
  return values;
};

const readOne = (reader: Reader, plan: Plan): unknown => {
  switch (plan.type) {
    case 'struct':
      return readNullableStruct(reader, plan);
    case 'string': {
      const length = reader.length(plan.isFlexible, true);
      return length < 0 ? nullOf(plan) : reader.text(length);
    }
    case 'bytes':
    case 'records': {
      const length = reader.length(plan.isFlexible, false);
      return length < 0 ? nullOf(plan) : reader.slice(length);
    }
    default:
      return reader[plan.type]();
  }
};

const nullOf = (plan: Plan): null => {
  if (plan.isNullable) return null;
  throw new MalformedRequest(`${plan.name} may not be null`);
};

const readNullableStruct = (reader: Reader, { isNullable, struct }: Plan): unknown => {
  if (isNullable && reader.int8() < 0) return null;
  return struct && readStruct(reader, struct);
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const writeStruct = (writer: Writer, struct: Struct, value: unknown): void => {
  const given = isRecord(value) ? value : {};
  for (const plan of struct.fields) if (plan.isHere) writeValue(writer, plan, given[plan.name]);
  if (struct.isFlexible) writeTagged(writer, struct.tagged, given);
};

const writeTagged = (writer: Writer, tagged: readonly Plan[], given: Record<string, unknown>): void => {
  const present = tagged.filter(({ name }) => given[name] !== undefined && given[name] !== null);
  writer.varint(present.length);
  for (const plan of present.toSorted((one, other) => one.tag - other.tag)) {
    const inner = new Writer();
    writeValue(inner, plan, given[plan.name]);
    writer.varint(plan.tag);
    writer.varint(inner.length);
    for (const part of inner.finish()) writer.raw(part);
  }
};

const writeValue = (writer: Writer, plan: Plan, given: unknown): void => {
  const value = given === undefined || (given === null && !plan.isNullable) ? plan.empty() : given;
  const { element } = plan;
  if (element === undefined) {
    writeOne(writer, plan, value);
    return;
  }
  if (!Array.isArray(value)) {
    writer.lengthOf(plan.isNullable ? -1 : 0, plan.isFlexible, false);
    return;
  }
  writer.lengthOf(value.length, plan.isFlexible, false);
  for (const one of value) writeOne(writer, element, one);
};

const writeOne = (writer: Writer, plan: Plan, value: unknown): void => {
  switch (plan.type) {
    case 'struct':
      if (plan.isNullable) writer.int8(value === null ? -1 : 1);
      if (plan.struct && (value !== null || !plan.isNullable)) writeStruct(writer, plan.struct, value);
      return;
    case 'string':
      writeString(writer, plan, value);
      return;
    case 'bytes':
    case 'records':
      writeBytes(writer, plan, value);
      return;
    case 'bool':
      writer.bool(value === true);
      return;
    case 'uuid':
      writer.uuid(typeof value === 'string' ? value : zeros.uuid);
      return;
    default:
      writer[plan.type](typeof value === 'number' ? value : 0);
  }
};

const writeString = (writer: Writer, plan: Plan, value: unknown): void => {
  if (typeof value === 'string') writer.string(value, plan.isFlexible);
  else writer.lengthOf(plan.isNullable ? -1 : 0, plan.isFlexible, true);
};

const writeBytes = (writer: Writer, plan: Plan, value: unknown): void => {
  const parts: unknown[] | undefined = Buffer.isBuffer(value) ? [value] : Array.isArray(value) ? value : undefined;
  if (parts === undefined) {
    writer.lengthOf(plan.isNullable ? -1 : 0, plan.isFlexible, false);
    return;
  }
  const buffers = parts.filter((part) => Buffer.isBuffer(part));
  const length = buffers.reduce((sum, { length: bytes }) => sum + bytes, 0);
  writer.lengthOf(length, plan.isFlexible, false);
  for (const buffer of buffers) writer.raw(buffer);
};

const compiled = new Map<string, Struct>();
const compiledFor = (api: Api, side: 'request' | 'response', version: number): Struct => {
  const key = `${api} ${side} ${version}`;
  let struct = compiled.get(key);
  if (struct === undefined) {
    const table = apiTables[api];
    struct = structOf(table[side], version, version >= table.flexible);
    compiled.set(key, struct);
  }
  return struct;
};

export const isFlexible = (api: Api, version: number): boolean => version >= apiTables[api].flexible;

export const readRequest = <A extends Api>(api: A, version: number, reader: Reader): Request<A> =>
  // The type and the reader come from the same tables.
  readStruct(reader, compiledFor(api, 'request', version)) as Request<A>;

export const writeResponse = (writer: Writer, api: Api, version: number, response: unknown): void => {
  writeStruct(writer, compiledFor(api, 'response', version), response);
};

/** The client's side, for tests. */
export const writeRequest = <A extends Api>(writer: Writer, api: A, version: number, request: Partial<Request<A>>): void => {
  writeStruct(writer, compiledFor(api, 'request', version), request);
};
export const readResponse = <A extends Api>(api: A, version: number, reader: Reader): Response<A> =>
  readStruct(reader, compiledFor(api, 'response', version)) as Response<A>;
