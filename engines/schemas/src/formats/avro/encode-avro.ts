/** Encodes JSON in Avro's binary encoding, for test messages. Errors name the field that does not fit and its expected type. */
import type { JsonValue } from '@slipway/foundation/ports/schema.ts';
import { MessageError } from '../schema-format.ts';
import { Budget, schemaLimits } from '../schema-limits.ts';
import { ByteWriter } from '../text/byte-writer.ts';
import { valueOf } from '../text/json-text.ts';
import { articled } from './avro-default.ts';
import type { AvroField, AvroRecord, AvroType, AvroUnion } from './avro-type.ts';
import { isNamed, isRealText, typeLabel } from './avro-type.ts';
import { decimalToBytes, logicalToNumber } from './logical-value.ts';

export const encodeAvro = (type: AvroType, value: JsonValue): Uint8Array => {
  const encoder = new Encoder();
  encoder.value(type, value, '');
  return encoder.bytes();
};

type JsonRecord = { [key: string]: JsonValue };
const isObject = (value: JsonValue | undefined): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a display name for the type of a value. */
export const valueLabel = (value: JsonValue): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string'
    ? 'text'
    : typeof value === 'number'
      ? 'a number'
      : typeof value === 'boolean'
        ? 'true or false'
        : 'an object';
};

/** Returns the union branch for a value: the one it names, or the first that accepts it. */
export const branchFor = (union: AvroUnion, value: JsonValue): { branch: AvroType; value: JsonValue } | undefined => {
  if (isObject(value)) {
    const [name, ...more] = Object.keys(value);
    const named = more.length > 0 ? undefined : union.branches.find((branch) => (isNamed(branch) ? branch.fullName : branch.kind) === name);
    if (named !== undefined && name !== undefined) return { branch: named, value: value[name] ?? null };
  }
  const branch = union.branches.find((candidate) => takes(candidate, value));
  return branch === undefined ? undefined : { branch, value };
};

/** Returns true if a value seems to match a type. Ignores nested values, except for the names of a record's fields. */
const takes = (type: AvroType, value: JsonValue): boolean => {
  switch (type.kind) {
    case 'null':
      return value === null;
    case 'boolean':
      return typeof value === 'boolean';
    case 'int':
    case 'long':
      return numberOf(type, value) !== undefined;
    case 'float':
    case 'double':
      return typeof value === 'number' || (typeof value === 'string' && isRealText(value));
    case 'string':
    case 'bytes':
      return typeof value === 'string';
    case 'fixed':
      return typeof value === 'string' && (type.logical !== undefined || value.length === type.size);
    case 'enum':
      return typeof value === 'string' && type.symbols.includes(value);
    case 'array':
      return Array.isArray(value);
    case 'map':
      return isObject(value);
    case 'record':
      return isObject(value) && isLikeRecord(type, value);
    case 'union':
      return false;
  }
};

const isLikeRecord = (record: AvroRecord, value: JsonRecord): boolean => {
  const names = new Set(record.fields.map(({ name }) => name));
  return (
    Object.keys(value).every((name) => names.has(name)) &&
    record.fields.every((field) => field.default !== undefined || Object.hasOwn(value, field.name))
  );
};

/** Returns undefined if the value is not an integer of the type. */
const numberOf = (type: AvroType, value: JsonValue): bigint | undefined => {
  const number =
    typeof value === 'number'
      ? Number.isSafeInteger(value)
        ? BigInt(value)
        : undefined
      : typeof value === 'string'
        ? ((type.logical === undefined ? undefined : logicalToNumber(type.logical, value)) ??
          (/^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined))
        : undefined;
  return number === undefined || BigInt.asIntN(type.kind === 'int' ? 32 : 64, number) !== number ? undefined : number;
};

class Encoder {
  readonly #writer = new ByteWriter();
  readonly #budget = new Budget(schemaLimits.values, 'values');

  bytes(): Uint8Array {
    return this.#writer.bytes();
  }

  value(type: AvroType, value: JsonValue, path: string): void {
    this.#budget.spend();
    switch (type.kind) {
      case 'null':
        if (value !== null) wrong(type, value, path);
        return;
      case 'boolean':
        return this.#writer.byte(typeof value === 'boolean' ? Number(value) : wrong(type, value, path));
      case 'int':
      case 'long':
        return this.#writer.zigzag(numberOf(type, value) ?? wrong(type, value, path));
      case 'float':
        return this.#writer.float(real(type, value, path));
      case 'double':
        return this.#writer.double(real(type, value, path));
      case 'record':
        return this.#record(type, value, path);
      case 'enum': {
        const index = typeof value === 'string' ? type.symbols.indexOf(value) : -1;
        if (index < 0) throw new MessageError(path, `must be one of ${type.symbols.slice(0, 20).join(', ')}`);
        return this.#writer.zigzag(BigInt(index));
      }
      case 'union':
        return this.#union(type, value, path);
      case 'array':
        return this.#array(type.items, Array.isArray(value) ? value : wrong(type, value, path), path);
      case 'map':
        return this.#map(type.values, isObject(value) ? value : wrong(type, value, path), path);
      default:
        return this.#bytes(type, typeof value === 'string' ? value : wrong(type, value, path), path);
    }
  }

  #bytes(type: AvroType, value: string, path: string): void {
    if (type.kind === 'string') return this.#sized(Buffer.from(value, 'utf8'));
    const size = type.kind === 'fixed' ? type.size : undefined;
    const bytes = bytesOf(type, value, path, size);
    if (size === undefined) return this.#sized(bytes);
    if (bytes.length !== size) throw new MessageError(path, `must have ${size} bytes, has ${bytes.length}`);
    this.#writer.put(bytes);
  }

  #sized(bytes: Uint8Array): void {
    this.#writer.zigzag(BigInt(bytes.length));
    this.#writer.put(bytes);
  }

  #record(type: AvroRecord, value: JsonValue, path: string): void {
    const object = isObject(value) ? value : wrong(type, value, path);
    const names = new Set(type.fields.map(({ name }) => name));
    const unknown = Object.keys(object).find((name) => !names.has(name));
    if (unknown !== undefined) throw new MessageError(below(path, unknown), `is no field of ${type.name}`);
    for (const field of type.fields) this.value(field.type, fieldValue(field, object, path), below(path, field.name));
  }

  #union(type: AvroUnion, value: JsonValue, path: string): void {
    const found = branchFor(type, value);
    // If null is the only other branch, the error is about the remaining type.
    const others = type.branches.filter(({ kind }) => kind !== 'null');
    const branch = found?.branch ?? (others.length === 1 ? others[0] : undefined);
    if (branch === undefined) return wrong(type, value, path);
    this.#writer.zigzag(BigInt(type.branches.indexOf(branch)));
    this.value(branch, found === undefined ? value : found.value, path);
  }

  #array(items: AvroType, values: readonly JsonValue[], path: string): void {
    if (values.length > 0) this.#writer.zigzag(BigInt(values.length));
    for (const [index, item] of values.entries()) this.value(items, item, below(path, String(index)));
    this.#writer.byte(0);
  }

  #map(values: AvroType, object: JsonRecord, path: string): void {
    const entries = Object.entries(object);
    if (entries.length > 0) this.#writer.zigzag(BigInt(entries.length));
    for (const [key, item] of entries) {
      this.#sized(Buffer.from(key, 'utf8'));
      this.value(values, item, below(path, key));
    }
    this.#writer.byte(0);
  }
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const fieldValue = (field: AvroField, object: JsonRecord, path: string): JsonValue => {
  if (Object.hasOwn(object, field.name)) return object[field.name] ?? null;
  if (field.default !== undefined) return valueOf(field.default);
  throw new MessageError(below(path, field.name), 'is missing, and has no default');
};

const real = (type: AvroType, value: JsonValue, path: string): number =>
  typeof value === 'number' || takes(type, value) ? Number(value) : wrong(type, value, path);

const bytesOf = (type: AvroType, value: string, path: string, size: number | undefined): Uint8Array => {
  if (type.logical?.name === 'decimal') return decimalToBytes(value, type.logical.scale ?? 0, path, size);
  if (type.logical?.name === 'uuid') {
    if (!/^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(value)) throw new MessageError(path, 'must be a UUID');
    return Buffer.from(value.replaceAll('-', ''), 'hex');
  }
  for (let at = 0; at < value.length; at++) {
    if (value.charCodeAt(at) > 255) throw new MessageError(path, 'must be bytes: characters up to U+00FF');
  }
  return Buffer.from(value, 'latin1');
};

const wrong = (type: AvroType, value: JsonValue, path: string): never => {
  throw new MessageError(path, `must be ${wanted(type)}, is ${valueLabel(value)}`);
};

const wanted = (type: AvroType): string => {
  if (type.logical !== undefined) return articled(typeLabel(type));
  switch (type.kind) {
    case 'int':
    case 'long':
      return 'a whole number';
    case 'float':
    case 'double':
      return 'a number';
    case 'string':
      return 'text';
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list';
    case 'map':
    case 'record':
      return 'an object';
    default:
      return articled(typeLabel(type));
  }
};
