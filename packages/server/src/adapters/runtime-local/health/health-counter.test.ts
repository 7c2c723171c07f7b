import { expect, test } from 'vitest';
import { HealthCounter } from './health-counter.ts';

const verdicts = (tries: string, thresholds = { successThreshold: 2, failureThreshold: 2, livenessFactor: 2 }) => {
  const counter = new HealthCounter(thresholds);
  return tries.split('').map((mark) => counter.record(mark === '+') ?? '');
};

test('readiness needs successes in a row, unreadiness failures in a row', () => {
  expect(verdicts('+-++')).toEqual(['', '', '', 'ready']);
  expect(verdicts('++-+--')).toEqual(['', 'ready', '', '', '', 'unready']);
  expect(verdicts('++--++')).toEqual(['', 'ready', '', 'unready', '', 'ready']);
});

test('only what was healthy once can be dead', () => {
  expect(verdicts('--------').every((verdict) => verdict === '')).toBe(true);
  expect(verdicts('++----')).toEqual(['', 'ready', '', 'unready', '', 'dead']);
});
