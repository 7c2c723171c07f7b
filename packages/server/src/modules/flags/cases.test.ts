/**
 * The public cases of GrowthBook's SDKs, evaluated as the server does for remote evaluation. GROWTHBOOK_CASES names a copy of
 * packages/sdk-js/test/cases.json of github.com/growthbook/growthbook. Without it, the cases below are tried.
 */
import { readFileSync } from 'node:fs';
import type { FeatureDefinition, SavedGroupsPayload } from '@growthbook/growthbook';
import { expect, test } from 'vitest';
import { evaluateAll, evaluatorOf, type Subject } from './evaluate.ts';

interface Context extends Subject {
  readonly features?: Record<string, FeatureDefinition>;
  readonly savedGroups?: SavedGroupsPayload;
}
type Case = readonly [name: string, context: Context, feature: string, result: { readonly value: unknown }];

const own: readonly Case[] = [
  ['default value', { features: { a: { defaultValue: 3 } } }, 'a', { value: 3 }],
  ['forced', { features: { a: { defaultValue: 1, rules: [{ force: 2 }] } } }, 'a', { value: 2 }],
  [
    'condition',
    { attributes: { country: 'NO' }, features: { a: { defaultValue: 1, rules: [{ force: 2, condition: { country: 'SE' } }] } } },
    'a',
    { value: 1 },
  ],
  [
    'saved group',
    {
      attributes: { id: 'x' },
      savedGroups: { g: ['x'] },
      features: { a: { defaultValue: 1, rules: [{ force: 2, condition: { id: { $inGroup: 'g' } } }] } },
    },
    'a',
    { value: 2 },
  ],
  [
    'gate',
    {
      features: {
        p: { defaultValue: false },
        a: { defaultValue: 1, rules: [{ parentConditions: [{ id: 'p', gate: true, condition: { value: true } }] }] },
      },
    },
    'a',
    { value: null },
  ],
  [
    'outside a share',
    { attributes: { id: '3' }, features: { a: { defaultValue: 1, rules: [{ force: 2, coverage: 0, hashAttribute: 'id' }] } } },
    'a',
    { value: 1 },
  ],
];
const file = process.env['GROWTHBOOK_CASES'];
const cases: readonly Case[] = file ? (JSON.parse(readFileSync(file, 'utf8')) as { feature: Case[] }).feature : own;

test.each(cases)('%s', (_name, { features = {}, savedGroups = {}, ...subject }, feature, { value }) => {
  const evaluated = evaluateAll(evaluatorOf({ features, savedGroups }), Object.keys(features), subject);
  // An SDK reads the evaluated payload without any attribute.
  const { value: seen } = evaluatorOf({ features: evaluated, savedGroups: {} }).evalFeature(feature, {});
  expect(seen).toEqual(value);
});
