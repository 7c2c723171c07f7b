/** Checks the reader's constraints on numbers, strings and sizes: each must follow from the writer's schema. */
import type { CompatibilityIssue } from '@slipway/foundation/ports/schema.ts';
import type { JsonNode, JsonObject } from '../text/json-text.ts';
import type { Comparison, Constraint } from './comparison.ts';
import type { Here } from './json-issues.ts';
import { propertyPattern } from './property-pattern.ts';
import type { TypeName, WriterSide } from './writer-side.ts';

/** A keyword whose number the reader may only increase, or only decrease. */
interface Limit {
  readonly types: readonly TypeName[];
  readonly isUpper: boolean;
  /** The value that has no effect. */
  readonly least?: number;
  /** Returns the limited quantity. */
  readonly of: (value: JsonNode) => number | undefined;
}

const numbers: readonly TypeName[] = ['number', 'integer'];
const textLength = (value: JsonNode) => (value.kind === 'string' ? [...value.value].length : undefined);
const itemCount = (value: JsonNode) => (value.kind === 'array' ? value.items.length : undefined);
const memberCount = (value: JsonNode) => (value.kind === 'object' ? value.members.size : undefined);

const limits: Readonly<Record<string, Limit>> = {
  maxLength: { types: ['string'], isUpper: true, of: textLength },
  minLength: { types: ['string'], isUpper: false, least: 0, of: textLength },
  maxItems: { types: ['array'], isUpper: true, of: itemCount },
  minItems: { types: ['array'], isUpper: false, least: 0, of: itemCount },
  maxProperties: { types: ['object'], isUpper: true, of: memberCount },
  minProperties: { types: ['object'], isUpper: false, least: 0, of: memberCount },
};

/** Keywords whose strings must not change. */
const sameTexts = ['pattern', 'format', 'contentEncoding', 'contentMediaType'];

const concerns = (written: WriterSide, types: readonly TypeName[]): boolean => types.some((type) => written.types().has(type));

export const checkScalars = (node: JsonObject, here: Here, checker: Comparison): Constraint[] => [
  ...Object.entries(limits).map(
    ([name, limit]): Constraint =>
      (written) =>
        checkLimit(node, name, limit, written, here, checker),
  ),
  ...(['minimum', 'maximum'] as const).map(
    (name): Constraint =>
      (written) =>
        checkBound(node, name, written, here, checker),
  ),
  (written) => checkMultiple(node, written, here, checker),
  ...sameTexts.map(
    (name): Constraint =>
      (written) =>
        checkText(node, name, written, here, checker),
  ),
];

const checkLimit = (
  node: JsonObject,
  name: string,
  limit: Limit,
  written: WriterSide,
  here: Here,
  checker: Comparison,
): CompatibilityIssue[] => {
  const wanted = numberAt(node, name);
  if (wanted === undefined || wanted === limit.least || !concerns(written, limit.types)) return [];
  const within = (amount: number) => (limit.isUpper ? amount <= wanted : amount >= wanted);
  const values = written.values();
  if (values?.every((value) => within(limit.of(value) ?? wanted)) === true) return [];
  const given = written.keyword(name).flatMap((found) => (found.kind === 'number' ? [found.value] : []));
  const required = name === 'minProperties' ? [requiredCount(written)] : [];
  if ([...given, ...required].some(within)) return [];
  return [checker.issues.limit(name, here, node, wanted, tightest(given, limit.isUpper))];
};

const requiredCount = (written: WriterSide): number =>
  new Set(
    written
      .keyword('required')
      .flatMap((list) => (list.kind === 'array' ? list.items.map((item) => (item.kind === 'string' ? item.value : '')) : [])),
  ).size;

const tightest = (numbers: readonly number[], isUpper: boolean): number | undefined =>
  numbers.length === 0 ? undefined : isUpper ? Math.min(...numbers) : Math.max(...numbers);

const numberAt = (node: JsonObject, name: string): number | undefined => {
  const found = node.members.get(name);
  return found?.kind === 'number' ? found.value : undefined;
};

interface Bound {
  readonly value: number;
  readonly isExclusive: boolean;
  /** The keyword that defines the bound. */
  readonly name: string;
}

/** Returns the bounds of `minimum` and `exclusiveMinimum` together. The latter is a number, or true in draft 4. */
const boundsOf = (node: JsonObject, name: 'minimum' | 'maximum'): Bound[] => {
  const exclusiveName = name === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
  const exclusive = node.members.get(exclusiveName);
  const value = numberAt(node, name);
  const isExclusive = exclusive?.kind === 'boolean' && exclusive.value;
  return [
    ...(value === undefined ? [] : [{ value, isExclusive, name }]),
    ...(exclusive?.kind === 'number' ? [{ value: exclusive.value, isExclusive: true, name: exclusiveName }] : []),
  ];
};

const checkBound = (
  node: JsonObject,
  name: 'minimum' | 'maximum',
  written: WriterSide,
  here: Here,
  checker: Comparison,
): CompatibilityIssue[] => {
  if (!concerns(written, numbers)) return [];
  const sign = name === 'minimum' ? 1 : -1;
  const given = written.nodes.flatMap((writer) => boundsOf(writer, name));
  const values = written.values();
  return boundsOf(node, name).flatMap((wanted) => {
    const isWithin = (value: number) => (value - wanted.value) * sign > 0 || (value === wanted.value && !wanted.isExclusive);
    if (values?.every((value) => value.kind !== 'number' || isWithin(value.value)) === true) return [];
    if (given.some(({ value, isExclusive }) => isWithin(value) || (isExclusive && value === wanted.value))) return [];
    return [
      checker.issues.limit(
        wanted.name,
        here,
        node,
        wanted.value,
        tightest(
          given.map(({ value }) => value),
          name === 'maximum',
        ),
      ),
    ];
  });
};

const checkMultiple = (node: JsonObject, written: WriterSide, here: Here, checker: Comparison): CompatibilityIssue[] => {
  const wanted = numberAt(node, 'multipleOf');
  if (wanted === undefined || !concerns(written, numbers)) return [];
  const isMultiple = (value: number) => Number.isInteger(Number((value / wanted).toPrecision(12)));
  const types = written.types();
  if (!types.has('number') && isMultiple(1)) return [];
  if (written.values()?.every((value) => value.kind !== 'number' || isMultiple(value.value)) === true) return [];
  const given = written.keyword('multipleOf').flatMap((found) => (found.kind === 'number' ? [found.value] : []));
  return given.some(isMultiple) ? [] : [checker.issues.limit('multipleOf', here, node, wanted, given[0])];
};

const checkText = (node: JsonObject, name: string, written: WriterSide, here: Here, checker: Comparison): CompatibilityIssue[] => {
  const wanted = node.members.get(name);
  if (wanted?.kind !== 'string' || !(name === 'format' ? concerns(written, ['string', ...numbers]) : concerns(written, ['string'])))
    return [];
  const given = written.keyword(name).flatMap((found) => (found.kind === 'string' ? [found.value] : []));
  if (given.includes(wanted.value)) return [];
  if (
    name === 'pattern' &&
    written.values()?.every((value) => value.kind !== 'string' || propertyPattern(wanted.value)?.(value.value) === true) === true
  )
    return [];
  return [checker.issues.text(name, here, node, wanted.value, given[0])];
};
