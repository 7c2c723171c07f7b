import type { PromotionRow } from '@slipway/contract/promotion.ts';
import { expect, test } from 'vitest';
import { chosenParts, isTaken, linesOf, rowId, sentParts, textsFor } from './promotion-choice.ts';

const rowOf = (more: Partial<PromotionRow> & Pick<PromotionRow, 'kind' | 'name'>): PromotionRow => ({
  state: 'MISSING',
  mark: `mark of ${more.name}`,
  isChosen: true,
  differences: [],
  missingKeys: [],
  notes: [],
  blocked: null,
  ...more,
});
const difference = (field: string, isChosen = true) => ({ field, label: field, before: null, after: 'set', isChosen });
const keys = rowOf({ kind: 'secretGroup', name: 'tide', missingKeys: ['A', 'B'], differences: [difference('A'), difference('B')] });
const api = rowOf({
  kind: 'service',
  name: 'api',
  state: 'DIFFERS',
  differences: [difference('image'), difference('spec.template.replicaScaling.count', false)],
});
const plans = rowOf({ kind: 'database', name: 'plans' });
const none = new Map<string, never>();

test('differences of a service and keys of a group are lines of their own; anything else is one line', () => {
  expect([keys, api, plans].flatMap(linesOf).map(({ id }) => id)).toEqual([
    'secretGroup tide A',
    'secretGroup tide B',
    'service api image',
    'service api spec.template.replicaScaling.count',
    'database plans',
  ]);
});

test('what is meant to differ is left out unless it is ticked, and blocked rows cannot be taken', () => {
  expect(chosenParts([api], none, none)[0]?.part.fields).toEqual(['image']);
  const ticks = new Map([
    ['service api image', false],
    ['service api spec.template.replicaScaling.count', true],
  ]);
  expect(chosenParts([api], ticks, none)[0]?.part.fields).toEqual(['spec.template.replicaScaling.count']);
  const blocked = { ...plans, blocked: { code: 'CreationUnfinished', context: {} } };
  expect(linesOf(blocked).map((line) => isTaken(line, new Map([['database plans', true]])))).toEqual([false]);
  expect(chosenParts([{ ...plans, state: 'EQUAL' }], new Map([['database plans', true]]), none)).toEqual([]);
});

test('is sent in the order in which it is promoted, with the values that were typed for the keys that are taken', () => {
  const values = new Map([['secretGroup tide A', 'typed']]);
  const chosen = chosenParts([api, plans, keys], none, values);
  expect(chosen.map(({ part }) => part)).toEqual([
    { kind: 'secretGroup', name: 'tide', mark: 'mark of tide', entries: [{ key: 'A', value: 'typed' }] },
    { kind: 'database', name: 'plans', mark: 'mark of plans' },
    { kind: 'service', name: 'api', mark: 'mark of api', fields: ['image'] },
  ]);
  expect(chosen[0]?.missing).toEqual(['B']);
  expect(chosenParts([keys], new Map([['secretGroup tide B', false]]), values)[0]?.missing).toEqual([]);
  expect(sentParts(chosenParts([keys, plans], none, none)).map(({ part }) => part.name)).toEqual(['plans']);
});

test('a plan of former parts says nothing about other rows', () => {
  const [first, second] = chosenParts([plans, api], none, none);
  if (!first || !second) throw new Error('Two parts are chosen');
  const planned = {
    plan: {
      consequences: [{ code: 'MakesService', context: { service: 'api', environment: 'production' }, field: 'parts.0' }],
      warnings: [],
    },
    rows: [rowId(second.row)],
  };
  expect(textsFor(planned, second, 'consequences')).toEqual(['Makes the service api in production.']);
  expect(textsFor(planned, first, 'consequences')).toEqual([]);
  expect(textsFor(undefined, first, 'warnings')).toEqual([]);
});
