/** Evaluates flags with GrowthBook's SDK, for remote evaluation and for the preview. */
import { GrowthBookClient, type FeatureDefinition, type FeatureResult, type FeatureRule } from '@growthbook/growthbook';
import type { FlagRule } from '@slipway/contract/flag/flag-rule.ts';
import type { FlagPreview } from '@slipway/contract/flag/flag.ts';
import { featureRuleOf, featuresOf, type Features, type StoredFlag, type StoredGroup } from './payload.ts';

export interface Subject {
  readonly attributes?: Record<string, unknown>;
  readonly forcedVariations?: Record<string, number>;
  readonly forcedFeatures?: readonly (readonly [string, unknown])[];
  readonly url?: string;
}
type Tracks = NonNullable<FeatureRule['tracks']>;

/** One evaluator serves every person: it keeps nothing of a person between evaluations. */
export const evaluatorOf = ({ features, savedGroups }: Features): GrowthBookClient =>
  new GrowthBookClient({ debug: false }).initSync({ payload: { features, savedGroups } });

const evaluated = (client: GrowthBookClient, name: string, { attributes = {}, ...subject }: Subject) => {
  const tracks: Tracks = [];
  const result: FeatureResult<unknown> = client.evalFeature(name, {
    attributes,
    ...(subject.forcedVariations && { forcedVariations: subject.forcedVariations }),
    ...(subject.forcedFeatures && { forcedFeatureValues: new Map(subject.forcedFeatures) }),
    ...(subject.url !== undefined && { url: subject.url }),
    // The SDK copies the rule's targeting into the experiment. It names people, teams and groups, so no client gets it.
    trackingCallback: ({ condition: _condition, parentConditions: _parents, groups: _groups, ...experiment }, reported) =>
      void tracks.push({ experiment, result: reported }),
  });
  return { result, tracks };
};

/** Returns a payload that holds the values for one person, and none of the rules. */
export const evaluateAll = (client: GrowthBookClient, names: readonly string[], subject: Subject): Record<string, FeatureDefinition> =>
  Object.fromEntries(
    names.flatMap((name): [string, FeatureDefinition][] => {
      const { result, tracks } = evaluated(client, name, subject);
      // The SDK answers null for a person whom a required prerequisite stops, as for an unknown flag.
      if (result.value === null) return [];
      if (result.source === 'defaultValue') return [[name, { defaultValue: result.value }]];
      const rule: FeatureRule = { force: result.value, ...(result.ruleId && { id: result.ruleId }), ...(tracks.length > 0 && { tracks }) };
      return [[name, { defaultValue: result.value, rules: [rule] }]];
    }),
  );

type Step = FlagPreview['steps'][number];

/** Names why a rule did not match, by evaluating it again without one of its limits. */
const stepOf = (
  rule: FlagRule,
  evaluate: (rules: FeatureRule[]) => FeatureResult<unknown>,
  served: FeatureRule | undefined,
): Omit<Step, 'bucket'> & { readonly isEnd: boolean } => {
  const said = (outcome: Step['outcome'], isEnd = false) => ({ rule: rule.id, outcome, isEnd });
  if (!rule.enabled) return said('DISABLED');
  if (!served) return said('NOT_SCHEDULED');
  const matches = (one: FeatureRule) => ['force', 'experiment'].includes(evaluate([one]).source);
  const { parentConditions = [], condition, ...unconditional } = served;
  const open = { ...unconditional, force: true, coverage: 1 };
  delete open.variations;
  if (
    parentConditions.length > 0 &&
    !matches({ id: rule.id, parentConditions: parentConditions.map((one) => ({ ...one, gate: false })), force: true })
  )
    return said('PREREQUISITE', rule.effect === 'REQUIRE');
  if (rule.effect === 'REQUIRE') return said('PASSED');
  if (matches(served)) return said('MATCHED', true);
  return said(condition && !matches({ id: rule.id, condition, force: true }) ? 'CONDITION' : 'BUCKET');
};

/** Returns a person's position from 0 to 100 in a rule's shares: a split in a thousand equal parts names it. */
const bucketOf = (rule: FlagRule, flag: string, attributes: Record<string, unknown>): number | null => {
  const parts = Array.from({ length: 1000 }, (_, at) => at);
  const shared = { hashAttribute: rule.hashAttribute, hashVersion: 2, seed: rule.seed === '' ? flag : rule.seed };
  const feature = {
    defaultValue: null,
    rules: [{ ...shared, key: 'bucket', variations: parts, ranges: parts.map((at): [number, number] => [at / 1000, (at + 1) / 1000]) }],
  };
  const { value } = evaluatorOf({ features: { bucket: feature }, savedGroups: {} }).evalFeature('bucket', { attributes });
  return typeof value === 'number' ? value / 10 : null;
};

export const previewOf = (
  name: string,
  flags: readonly StoredFlag[],
  groups: readonly StoredGroup[],
  attributes: Record<string, unknown>,
  now = Date.now(),
): FlagPreview => {
  const all = featuresOf(flags, groups, now);
  const flag = flags.find((one) => one.name === name);
  const asked = all.features[name];
  if (!flag || !asked) return { value: null, source: 'OFF', rule: null, steps: [] };
  const { result } = evaluated(evaluatorOf(all), name, { attributes });
  const known = new Map(groups.map((group) => [group.name, group]));
  // Groups of all rules, because a rule outside its schedule is left out of the payload.
  const savedGroups = Object.fromEntries(groups.map((group) => [group.name, group.values]));
  const evaluate = (rules: FeatureRule[]) =>
    evaluated(evaluatorOf({ features: { ...all.features, [name]: { ...asked, rules } }, savedGroups }), name, { attributes }).result;
  let isEnded = false;
  const steps = flag.rules.map((rule): Step => {
    if (isEnded) return { rule: rule.id, outcome: 'NOT_REACHED', bucket: null };
    const { isEnd, ...step } = stepOf(rule, evaluate, featureRuleOf(rule, { flag: name, groups: known, now }));
    isEnded = isEnd;
    const isShared = rule.effect === 'SPLIT' || (rule.effect === 'SERVE' && rule.percentage < 100);
    const isAsked = step.outcome === 'MATCHED' || step.outcome === 'BUCKET';
    return { ...step, bucket: isShared && isAsked ? bucketOf(rule, name, attributes) : null };
  });
  const source = { force: 'RULE', experiment: 'RULE', prerequisite: 'PREREQUISITE', cyclicPrerequisite: 'PREREQUISITE' } as const;
  return {
    value: result.value,
    source: Object.hasOwn(source, result.source) ? source[result.source as keyof typeof source] : 'DEFAULT',
    rule: result.ruleId || (steps.find(({ outcome }) => outcome === 'PREREQUISITE')?.rule ?? null),
    steps,
  };
};
