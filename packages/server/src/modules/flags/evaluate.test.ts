import { FlagCondition } from '@slipway/contract/flag/flag-rule.ts';
import { expect, it } from 'vitest';
import { evaluateAll, evaluatorOf } from './evaluate.ts';

it('returns the tracked experiment of a split without the people it is for', () => {
  const rule = {
    id: 'split',
    key: 'split',
    variations: ['a', 'b'],
    weights: [0.5, 0.5],
    hashAttribute: 'id',
    condition: { id: { $in: ['asker', 'ingrid-4711'] } },
  };
  const evaluator = evaluatorOf({ features: { color: { defaultValue: 'none', rules: [rule] } }, savedGroups: {} });
  const { color } = evaluateAll(evaluator, ['color'], { attributes: { id: 'asker' } });
  expect(color?.rules?.[0]?.tracks).toHaveLength(1);
  expect(JSON.stringify(color)).not.toMatch(/ingrid-4711|condition/i);
});

it('takes five patterns in a condition, and no more', () => {
  const patterns = (count: number) => ({ $or: Array.from({ length: count }, () => ({ email: { $regex: 'a+b' } })) });
  expect(FlagCondition.safeParse(patterns(5)).success).toBe(true);
  expect(FlagCondition.safeParse(patterns(6)).error?.issues[0]?.message).toBe('FlagConditionInvalid');
});
