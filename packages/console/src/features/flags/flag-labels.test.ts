import { expect, test } from 'vitest';
import { newRule, ruleTitle } from './flag-labels.ts';

const rule = newRule('BOOLEAN', 'a');
test.each([
  ['For everyone', {}],
  ['For 20 % of teams cranes', { teams: ['cranes'], percentage: 20 }],
  [
    'For people in pilot-crew and people not in guests',
    {
      groups: [
        { group: 'pilot-crew', isIn: true },
        { group: 'guests', isIn: false },
      ],
    },
  ],
  ['For people who match the condition', { condition: { country: 'NO' } }],
  ['For everyone, if base = on', { prerequisites: [{ flag: 'base', value: true }] }],
  ['Requires base = on', { effect: 'REQUIRE' as const, prerequisites: [{ flag: 'base', value: true }] }],
])('titles a rule: %s', (title, changes) => {
  expect(ruleTitle({ ...rule, ...changes })).toBe(title);
});
