/** The public cases of GrowthBook's SDKs, evaluated as the server does for remote evaluation. */
import { readFileSync } from 'node:fs';
import type { FeatureDefinition, SavedGroupsPayload } from '@growthbook/growthbook';
import { expect, test } from 'vitest';
import { evaluateAll, evaluatorOf, type Subject } from './evaluate.ts';

interface Context extends Subject {
  readonly features?: Record<string, FeatureDefinition>;
  readonly savedGroups?: SavedGroupsPayload;
  readonly contextualBandits?: unknown;
}
interface Cases {
  readonly feature: readonly (readonly [name: string, context: Context, feature: string, result: { readonly value: unknown }])[];
  readonly evalCondition: readonly (readonly [
    name: string,
    condition: NonNullable<FeatureDefinition['rules']>[number]['condition'],
    attributes: Record<string, unknown>,
    matches: boolean,
    savedGroups?: SavedGroupsPayload,
  ])[];
}
const { feature: all, evalCondition } = JSON.parse(readFileSync(new URL('growthbook/cases.json', import.meta.url), 'utf8')) as Cases;
/** Slipway has no experiments whose shares a server moves. */
const features = all.filter(([, context]) => context.contextualBandits === undefined);

/** The value that an SDK reads from the evaluated payload, without any attribute. */
const seen = ({ features: given = {}, savedGroups = {}, ...subject }: Context, feature: string): unknown => {
  const evaluated = evaluateAll(evaluatorOf({ features: given, savedGroups }), Object.keys(given), subject);
  return evaluatorOf({ features: evaluated, savedGroups: {} }).evalFeature(feature, {}).value;
};

test('no case is missing', () => expect([features.length, evalCondition.length]).toEqual([51, 248]));

test.each(features)('feature: %s', (_name, context, feature, { value }) => expect(seen(context, feature)).toEqual(value));

const conditions = evalCondition.map(([name, condition, attributes, matches, savedGroups = {}]) => {
  const one: FeatureDefinition = { defaultValue: false, rules: [{ force: true, ...(condition && { condition }) }] };
  return { name, context: { features: { one }, attributes, savedGroups }, matches };
});
test.each(conditions)('condition: $name', ({ context, matches }) => expect(seen(context, 'one')).toBe(matches));
