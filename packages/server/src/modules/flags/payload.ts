/** Translates flags into the features of GrowthBook's payload. */
import type { FeatureDefinition, FeatureRule, SavedGroupsPayload } from '@growthbook/growthbook';
import type { FlagRule } from '@slipway/contract/flag/flag-rule.ts';

export interface StoredFlag {
  readonly name: string;
  readonly enabled: boolean;
  readonly value: unknown;
  readonly rules: readonly FlagRule[];
}
export interface StoredGroup {
  readonly name: string;
  readonly attribute: string;
  readonly values: string[];
}
type Condition = NonNullable<FeatureRule['condition']>;

const isScheduled = ({ startsAt, endsAt }: FlagRule, now: number): boolean =>
  (startsAt === null || Date.parse(startsAt) <= now) && (endsAt === null || Date.parse(endsAt) > now);

const conditionOf = (rule: FlagRule, groups: ReadonlyMap<string, StoredGroup>): Condition | undefined => {
  const parts: object[] = [
    ...(rule.people.length > 0 ? [{ id: { $in: rule.people } }] : []),
    ...(rule.teams.length > 0 ? [{ teams: { $in: rule.teams } }] : []),
    ...rule.groups.map(({ group, isIn }) => ({ [groups.get(group)?.attribute ?? 'id']: { [isIn ? '$inGroup' : '$notInGroup']: group } })),
    ...(Object.keys(rule.condition).length > 0 ? [rule.condition] : []),
  ];
  const [first, ...rest] = parts;
  // The SDK's type of a condition is recursive over unknown attributes. The contract checked the operators.
  return (rest.length === 0 ? first : { $and: parts }) as Condition | undefined;
};

/** Returns undefined for a rule that is disabled or outside its schedule. */
export const featureRuleOf = (
  rule: FlagRule,
  { flag, groups, now }: { readonly flag: string; readonly groups: ReadonlyMap<string, StoredGroup>; readonly now: number },
): FeatureRule | undefined => {
  if (!rule.enabled || !isScheduled(rule, now)) return undefined;
  const gate = rule.effect === 'REQUIRE';
  const parentConditions = rule.prerequisites.map(({ flag: id, value }) => ({
    id,
    condition: { value: { $eq: value } } as Condition,
    gate,
  }));
  if (gate) return { id: rule.id, parentConditions };
  const condition = conditionOf(rule, groups);
  const shared = {
    id: rule.id,
    ...(parentConditions.length > 0 && { parentConditions }),
    ...(condition && { condition }),
  };
  const hashed = { hashAttribute: rule.hashAttribute, hashVersion: 2, seed: rule.seed === '' ? flag : rule.seed };
  if (rule.effect === 'SPLIT')
    return {
      ...shared,
      ...hashed,
      key: `${flag}-${rule.id}`,
      coverage: rule.percentage / 100,
      variations: rule.variations.map(({ value }) => value),
      weights: rule.variations.map(({ share }) => share / 100),
      meta: rule.variations.map(({ name }, at) => ({ key: String(at), ...(name !== '' && { name }) })),
    };
  return { ...shared, force: rule.value, ...(rule.percentage < 100 && { ...hashed, coverage: rule.percentage / 100 }) };
};

export interface Features {
  readonly features: Record<string, FeatureDefinition>;
  readonly savedGroups: SavedGroupsPayload;
}
/** Flags that are off are left out, as in GrowthBook: SDKs then use the fallback in the code. */
export const featuresOf = (flags: readonly StoredFlag[], stored: readonly StoredGroup[], now: number): Features => {
  const groups = new Map(stored.map((group) => [group.name, group]));
  const used = new Set<string>();
  const features = flags
    .filter(({ enabled }) => enabled)
    .map(({ name, value, rules }): [string, FeatureDefinition] => {
      const served = rules.flatMap((rule) => {
        const one = featureRuleOf(rule, { flag: name, groups, now });
        if (one) for (const { group } of rule.groups) used.add(group);
        return one ?? [];
      });
      return [name, { defaultValue: value, ...(served.length > 0 && { rules: served }) }];
    });
  const savedGroups = Object.fromEntries(stored.filter(({ name }) => used.has(name)).map(({ name, values }) => [name, values]));
  return { features: Object.fromEntries(features), savedGroups };
};

/** Returns the next time at which a schedule changes the payload. Undefined if none does. */
export const nextChange = (flags: readonly StoredFlag[], now: number): number | undefined => {
  const times = flags
    .filter(({ enabled }) => enabled)
    .flatMap(({ rules }) => rules.filter((rule) => rule.enabled).flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]))
    .flatMap((at) => (at === null ? [] : [Date.parse(at)]))
    .filter((at) => at > now);
  return times.length > 0 ? Math.min(...times) : undefined;
};
