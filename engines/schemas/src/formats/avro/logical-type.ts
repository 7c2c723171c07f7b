/** Logical types, such as dates and decimals. Ignored if the underlying type does not allow them, as the specification requires. */
import { member, textMember } from '../text/json-text.ts';
import type { JsonObject } from '../text/json-text.ts';
import type { AvroType, LogicalType } from './avro-type.ts';

const allowed: Readonly<Record<string, readonly AvroType['kind'][]>> = {
  decimal: ['bytes', 'fixed'],
  'big-decimal': ['bytes'],
  uuid: ['string', 'fixed'],
  date: ['int'],
  'time-millis': ['int'],
  'time-micros': ['long'],
  'timestamp-millis': ['long'],
  'timestamp-micros': ['long'],
  'timestamp-nanos': ['long'],
  'local-timestamp-millis': ['long'],
  'local-timestamp-micros': ['long'],
  'local-timestamp-nanos': ['long'],
  duration: ['fixed'],
};
const fixedSizes: Readonly<Record<string, number>> = { uuid: 16, duration: 12 };

export const logicalTypeOf = (kind: AvroType['kind'], node: JsonObject, size?: number): { logical?: LogicalType } => {
  const name = textMember(node, 'logicalType');
  if (name === undefined || !Object.hasOwn(allowed, name) || allowed[name]?.includes(kind) !== true) return {};
  const fixedSize = fixedSizes[name];
  if (size !== undefined && fixedSize !== undefined && size !== fixedSize) return {};
  if (name !== 'decimal') return { logical: { name } };
  const precision = member(node, 'precision');
  const scale = member(node, 'scale');
  if (precision?.kind !== 'number' || precision.value < 1 || !Number.isInteger(precision.value)) return {};
  const digits = scale === undefined ? 0 : scale.kind === 'number' && Number.isInteger(scale.value) ? scale.value : -1;
  // A decimal is printed with `scale` digits, so a scale of millions would make messages of that size.
  return digits < 0 || digits > precision.value || digits > 1000 ? {} : { logical: { name, scale: digits } };
};
