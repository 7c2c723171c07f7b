/**
 * Logical types in JSON: dates and times as ISO 8601, decimals as digits, a uuid as a string. Values convert back to the same bytes. Values
 * beyond the range of JavaScript's dates stay numbers.
 */
import type { JsonValue } from '@slipway/foundation/ports/schema.ts';
import { MessageError } from '../schema-format.ts';
import type { LogicalType } from './avro-type.ts';

/** Returns the units per second, by the suffix of the name. */
const unitsOf = (name: string): bigint | undefined =>
  name.endsWith('-millis') ? 1000n : name.endsWith('-micros') ? 1_000_000n : name.endsWith('-nanos') ? 1_000_000_000n : undefined;

const daySeconds = 86_400n;
const floor = (value: bigint, by: bigint): bigint => (value >= 0n ? value / by : -((-value + by - 1n) / by));

/** Returns undefined if the number itself should be displayed. */
export const logicalFromNumber = ({ name }: LogicalType, value: bigint): JsonValue | undefined => {
  if (name === 'date') return isoDate(value);
  const units = unitsOf(name);
  if (units === undefined) return undefined;
  const seconds = floor(value, units);
  const fraction = (value - seconds * units).toString().padStart(units.toString().length - 1, '0');
  if (name.startsWith('time-')) {
    if (value < 0n || seconds >= daySeconds) return undefined;
    return `${new Date(Number(seconds) * 1000).toISOString().slice(11, 19)}.${fraction}`;
  }
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return undefined;
  return `${date.toISOString().slice(0, -5)}.${fraction}${name.startsWith('local-') ? '' : 'Z'}`;
};

const isoDate = (days: bigint): string | undefined => {
  const date = new Date(Number(days * daySeconds) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().split('T')[0];
};

/** Parses a string. Returns undefined if it does not match the logical type. */
export const logicalToNumber = ({ name }: LogicalType, text: string): bigint | undefined => {
  if (text.length > 60) return undefined;
  if (name === 'date') {
    const time = /^[+-]?\d{4,6}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(time) ? undefined : floor(BigInt(time), daySeconds * 1000n);
  }
  const units = unitsOf(name);
  if (units === undefined) return undefined;
  const parts = name.startsWith('time-')
    ? /^(?<whole>\d\d:\d\d(?::\d\d)?)(?:\.(?<fraction>\d{1,9}))?$/.exec(text)
    : /^(?<whole>[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.(?<fraction>\d{1,9}))?(?<zone>Z|[+-]\d\d:\d\d)?$/.exec(text);
  if (parts?.groups === undefined) return undefined;
  const { whole = '', fraction = '', zone = 'Z' } = parts.groups;
  const time = Date.parse(name.startsWith('time-') ? `1970-01-01T${whole}Z` : `${whole}${zone}`);
  if (Number.isNaN(time)) return undefined;
  const digits = units.toString().length - 1;
  return floor(BigInt(time), 1000n) * units + BigInt(fraction.padEnd(digits, '0').slice(0, digits) || '0');
};

/** Decodes two's complement, big-endian. */
export const decimalFromBytes = (bytes: Uint8Array, scale: number): string => {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  if (bytes.length > 0) value = BigInt.asIntN(bytes.length * 8, value);
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return value < 0n ? `-${text}` : text;
};

/** Encodes with `size` bytes for a fixed, or as few as possible for bytes. */
export const decimalToBytes = (text: string, scale: number, path: string, size?: number): Uint8Array => {
  const parts = text.length > 1000 ? null : /^(?<sign>-?)(?<whole>\d+)(?:\.(?<fraction>\d+))?$/.exec(text);
  const { sign = '', whole = '', fraction = '' } = parts?.groups ?? {};
  if (parts === null || fraction.length > scale)
    throw new MessageError(path, `must be a decimal with at most ${scale} digits after the point`);
  const digits = BigInt(`${whole}${fraction.padEnd(scale, '0')}`);
  const value = sign === '-' ? -digits : digits;
  let length = 1;
  while (BigInt.asIntN(length * 8, value) !== value) length++;
  if (size !== undefined && length > size) throw new MessageError(path, `has more digits than ${size} bytes hold`);
  const bytes = new Uint8Array(size ?? length);
  let left = BigInt.asUintN(bytes.length * 8, value);
  for (let at = bytes.length - 1; at >= 0; at--) {
    bytes[at] = Number(left & 0xffn);
    left >>= 8n;
  }
  return bytes;
};
