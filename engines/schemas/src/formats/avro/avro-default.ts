/** Checks whether a default fits its type. A union's default may fit any of its branches. */
import { Budget, schemaLimits } from '../schema-limits.ts';
import type { JsonNode } from '../text/json-text.ts';
import type { Span } from '../text/source-text.ts';
import type { AvroType } from './avro-type.ts';
import { isRealText, typeLabel } from './avro-type.ts';

interface DefaultProblem extends Span {
  /** Completes `The default of tugCount …`. */
  readonly message: string;
}

export const defaultProblem = (type: AvroType, value: JsonNode): DefaultProblem | undefined =>
  problemOf(type, value, new Budget(schemaLimits.steps, 'values in a default'), 0);

const kinds: Readonly<Record<string, JsonNode['kind']>> = {
  null: 'null',
  boolean: 'boolean',
  float: 'number',
  double: 'number',
  bytes: 'string',
  string: 'string',
  enum: 'string',
  fixed: 'string',
  array: 'array',
  map: 'object',
  record: 'object',
};

const longMax = 2n ** 63n;

/** Returns true if the number is written as an integer within `2^bits`. */
const isWhole = (value: JsonNode, bits: 31 | 63): boolean => {
  if (value.kind !== 'number' || !/^-?\d{1,20}$/.test(value.text)) return false;
  const number = BigInt(value.text);
  const end = bits === 31 ? 2n ** 31n : longMax;
  return number >= -end && number < end;
};

const fits = (type: AvroType, value: JsonNode): boolean => {
  if (type.kind === 'int') return isWhole(value, 31);
  if (type.kind === 'long') return isWhole(value, 63);
  if ((type.kind === 'float' || type.kind === 'double') && value.kind === 'string') return isRealText(value.value);
  return kinds[type.kind] === value.kind;
};

const problemOf = (type: AvroType, value: JsonNode, budget: Budget, depth: number): DefaultProblem | undefined => {
  budget.spend();
  // Stops records whose default contains themselves.
  if (depth > schemaLimits.depth) return { ...spanOf(value), message: 'holds itself without end.' };
  if (type.kind === 'union')
    return type.branches.some((branch) => problemOf(branch, value, budget, depth + 1) === undefined)
      ? undefined
      : { ...spanOf(value), message: `fits none of its types: ${typeLabel(type)}.` };
  if (!fits(type, value)) return { ...spanOf(value), message: `must be ${articled(typeLabel(type))}.` };
  if (type.kind === 'array' && value.kind === 'array') return first(value.items, (item) => problemOf(type.items, item, budget, depth + 1));
  if (type.kind === 'map' && value.kind === 'object')
    return first(value.members.values(), (item) => problemOf(type.values, item, budget, depth + 1));
  if (type.kind === 'record' && value.kind === 'object')
    return first(type.fields, (field) => {
      const given = value.members.get(field.name) ?? field.default;
      return given === undefined ? { ...spanOf(value), message: `lacks ${field.name}.` } : problemOf(field.type, given, budget, depth + 1);
    });
  return undefined;
};

const spanOf = ({ path, from, to }: Span): Span => ({ path, from, to });

const first = <Item, Found>(items: Iterable<Item>, look: (item: Item) => Found | undefined): Found | undefined => {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Adds an article: `an int`, `a string`. */
export const articled = (label: string): string => (label === 'null' ? label : /^[aeio]/.test(label) ? `an ${label}` : `a ${label}`);
