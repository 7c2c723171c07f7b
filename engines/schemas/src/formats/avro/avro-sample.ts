/** Creates a sample value of an Avro type, which prefills the form for a test message. */
import type { JsonValue } from '@slipway/foundation/ports/schema.ts';
import { Budget, schemaLimits } from '../schema-limits.ts';
import { valueOf } from '../text/json-text.ts';
import type { AvroFixed, AvroRecord, AvroType, AvroUnion } from './avro-type.ts';
import { isNamed } from './avro-type.ts';

const logicalSamples: Readonly<Record<string, JsonValue>> = {
  decimal: '0',
  uuid: '00000000-0000-0000-0000-000000000000',
  date: '2026-01-31',
  'time-millis': '12:00:00.000',
  'time-micros': '12:00:00.000000',
  'timestamp-millis': '2026-01-31T12:00:00.000Z',
  'timestamp-micros': '2026-01-31T12:00:00.000000Z',
  'timestamp-nanos': '2026-01-31T12:00:00.000000000Z',
  'local-timestamp-millis': '2026-01-31T12:00:00.000',
  'local-timestamp-micros': '2026-01-31T12:00:00.000000',
  'local-timestamp-nanos': '2026-01-31T12:00:00.000000000',
};

export const avroSample = (type: AvroType): JsonValue =>
  sampleOf(type, { open: [], budget: new Budget(schemaLimits.sampleValues, 'values in a sample') });

interface Within {
  readonly open: readonly AvroRecord[];
  readonly budget: Budget;
}

const sampleOf = (type: AvroType, within: Within): JsonValue => {
  within.budget.spend();
  const logical = type.logical === undefined ? undefined : (decimalSample(type) ?? logicalSamples[type.logical.name]);
  if (logical !== undefined) return logical;
  switch (type.kind) {
    case 'null':
      return null;
    case 'boolean':
      return false;
    case 'int':
    case 'long':
    case 'float':
    case 'double':
      return 0;
    case 'fixed':
      return fixedSample(type);
    case 'enum':
      return type.default ?? type.symbols[0] ?? '';
    case 'array':
      return ends(type.items, within) ? [sampleOf(type.items, within)] : [];
    case 'map':
      return {};
    case 'record':
      return recordSample(type, within);
    case 'union':
      return unionSample(type, within);
    default:
      return '';
  }
};

const decimalSample = (type: AvroType): string | undefined =>
  type.logical?.name === 'decimal' ? `0${type.logical.scale ? `.${'0'.repeat(type.logical.scale)}` : ''}` : undefined;

const fixedSample = ({ size }: AvroFixed): string => '\0'.repeat(Math.min(size, 1024));

const recordSample = (type: AvroRecord, { open, budget }: Within): JsonValue => {
  if (open.includes(type)) return {};
  const within: Within = { open: [...open, type], budget };
  return Object.fromEntries(
    type.fields.map((field) => [
      field.name,
      field.default === undefined || field.default.kind === 'null' ? sampleOf(field.type, within) : valueOf(field.default),
    ]),
  );
};

/** Prefers the first type that is not null, as an example. Returns null if that would recurse forever. */
const unionSample = (type: AvroUnion, within: Within): JsonValue => {
  const branch = type.branches.find((candidate) => candidate.kind !== 'null' && ends(candidate, within)) ?? type.branches[0];
  if (branch === undefined || branch.kind === 'null') return null;
  const value = sampleOf(branch, within);
  return type.branches.filter(({ kind }) => kind !== 'null').length === 1
    ? value
    : { [isNamed(branch) ? branch.fullName : branch.kind]: value };
};

const ends = (type: AvroType, { open }: Within): boolean => !(type.kind === 'record' && (open.includes(type) || open.length > 6));
