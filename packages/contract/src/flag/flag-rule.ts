/** Rules of a flag in one environment. The server translates them into the rules of GrowthBook's SDKs. */
import * as z from 'zod/mini';
import { isKept } from '../kernel/fields.ts';
import { isRecord } from '../kernel/is-record.ts';
import { isQuickPattern } from './quick-pattern.ts';

export const flagTypes = ['BOOLEAN', 'STRING', 'NUMBER', 'JSON'] as const;
export const FlagType = z.enum(flagTypes);
export type FlagType = z.infer<typeof FlagType>;

const maxDepth = 20;
const depthOf = (value: unknown, depth = 0): number =>
  typeof value !== 'object' || value === null || depth > maxDepth
    ? depth
    : Math.max(depth, ...Object.values(value).map((inner) => depthOf(inner, depth + 1)));
const isSmall = (value: unknown): boolean => depthOf(value) <= maxDepth && (JSON.stringify(value) ?? '').length <= 16_384;

/** True if the value is of the flag's type. JSON flags hold objects and arrays as well. */
export const isOfType = (type: FlagType, value: unknown): boolean =>
  type === 'JSON' ? value !== undefined && value !== null : typeof value === type.toLowerCase();

export const FlagName = z
  .string({ error: 'Required' })
  .check(
    z.trim(),
    z.minLength(1, { error: 'Required', abort: true }),
    z.regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, { error: 'KebabCase' }),
    z.maxLength(63, { error: 'ExceedsMaximumLength' }),
  );
const list = (max: number) =>
  z
    .array(z.string().check(z.trim(), z.minLength(1, { error: 'Required' }), z.maxLength(200, { error: 'ExceedsMaximumLength' })))
    .check(z.maxLength(max, { error: 'ExceedsMaximumLength' }));
const attribute = z.string().check(z.regex(/^[A-Za-z_][\w.-]{0,63}$/, { error: 'DoesNotMatchPattern' }));
const instant = z.nullable(
  z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)) && isKept(text), { error: 'InvalidValue' })),
);
const share = z.number({ error: 'NotANumber' }).check(z.minimum(0), z.maximum(100));

const operators: ReadonlySet<string> = new Set(
  `$and $or $nor $not $eq $ne $lt $lte $gt $gte $in $nin $ini $nini $all $alli $exists $regex $regexi $notRegex $notRegexi $type
  $elemMatch $size $veq $vne $vgt $vgte $vlt $vlte $inGroup $notInGroup`.split(/\s+/),
);
const conditionFault = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(conditionFault)
    : isRecord(value) &&
      Object.entries(value).some(
        ([key, inner]) =>
          (key.startsWith('$') && key !== '$groups' && !operators.has(key)) ||
          (/^\$(?:not)?regexi?$/i.test(key) ? !isQuickPattern(inner) : conditionFault(inner)),
      );
/** Most patterns of one condition: each may take quadratic time. */
const maxPatterns = 5;
const patternsIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).reduce((sum, [key, inner]) => sum + (/^\$(?:not)?regexi?$/i.test(key) ? 1 : patternsIn(inner)), 0)
    : 0;
/** A condition on attributes in the MongoDB syntax of GrowthBook. */
export const FlagCondition = z.record(z.string(), z.unknown()).check(
  z.refine((condition) => isSmall(condition) && !conditionFault(condition) && patternsIn(condition) <= maxPatterns, {
    error: 'FlagConditionInvalid',
  }),
);

const Prerequisite = z.object({
  flag: FlagName,
  /** The value that the other flag must have for the same person. */
  value: z._default(z.unknown(), true),
});
export const FlagRule = z.object({
  /** Identifies the rule across versions. */
  id: z.string().check(z.regex(/^[A-Za-z0-9_-]{1,40}$/, { error: 'DoesNotMatchPattern' })),
  description: z._default(z.string().check(z.trim(), z.maxLength(200, { error: 'ExceedsMaximumLength' })), ''),
  enabled: z._default(z.boolean(), true),
  /** SERVE: one value. SPLIT: several values, by share. REQUIRE: the flag ends here for everyone whose prerequisites do not hold. */
  effect: z.enum(['SERVE', 'SPLIT', 'REQUIRE']),
  value: z.optional(z.unknown()),
  variations: z._default(
    z
      .array(z.object({ name: z._default(z.string().check(z.maxLength(60)), ''), value: z.unknown(), share }))
      .check(z.maxLength(10, { error: 'ExceedsMaximumLength' })),
    [],
  ),
  prerequisites: z._default(z.array(Prerequisite).check(z.maxLength(10, { error: 'ExceedsMaximumLength' })), []),
  /** Values of the attribute `id`. */
  people: z._default(list(500), []),
  /** Values of the attribute `teams`, which is a list. */
  teams: z._default(list(100), []),
  groups: z._default(
    z.array(z.object({ group: FlagName, isIn: z._default(z.boolean(), true) })).check(z.maxLength(10, { error: 'ExceedsMaximumLength' })),
    [],
  ),
  condition: z._default(FlagCondition, {}),
  /** Share of the matching people that the rule applies to. */
  percentage: z._default(share, 100),
  /** Attribute that decides a person's bucket. */
  hashAttribute: z._default(attribute, 'id'),
  /** Text that decides the buckets, together with the attribute. Defaults to the flag's name. */
  seed: z._default(z.string().check(z.maxLength(60, { error: 'ExceedsMaximumLength' })), ''),
  startsAt: z._default(instant, null),
  endsAt: z._default(instant, null),
});
export type FlagRule = z.output<typeof FlagRule>;

export const maxFlagRules = 50;
export const FlagRules = z.array(FlagRule).check(z.maxLength(maxFlagRules, { error: 'ExceedsMaximumLength' }));
export const FlagValue = z.unknown().check(z.refine((value) => isSmall(value), { error: 'ExceedsMaximumLength' }));

/** Returns the field and code of the first fault that depends on the flag's type or on several fields. */
export const ruleFault = (
  type: FlagType,
  rules: readonly FlagRule[],
): readonly [field: string, code: 'FlagValueInvalid' | 'FlagRuleInvalid'] | undefined => {
  for (const [at, rule] of rules.entries()) {
    const field = `rules.${at}`;
    if (rules.findIndex(({ id }) => id === rule.id) !== at) return [`${field}.id`, 'FlagRuleInvalid'];
    if (rule.startsAt !== null && rule.endsAt !== null && Date.parse(rule.startsAt) >= Date.parse(rule.endsAt))
      return [`${field}.endsAt`, 'FlagRuleInvalid'];
    if (rule.effect === 'SERVE' && !(isOfType(type, rule.value) && isSmall(rule.value))) return [`${field}.value`, 'FlagValueInvalid'];
    if (rule.effect === 'REQUIRE' && rule.prerequisites.length === 0) return [`${field}.prerequisites`, 'FlagRuleInvalid'];
    if (rule.effect !== 'SPLIT') continue;
    if (rule.variations.length < 2) return [`${field}.variations`, 'FlagRuleInvalid'];
    if (Math.abs(rule.variations.reduce((sum, { share: one }) => sum + one, 0) - 100) > 0.01)
      return [`${field}.variations`, 'FlagRuleInvalid'];
    const wrong = rule.variations.findIndex(({ value }) => !(isOfType(type, value) && isSmall(value)));
    if (wrong >= 0) return [`${field}.variations.${wrong}.value`, 'FlagValueInvalid'];
  }
  return undefined;
};
