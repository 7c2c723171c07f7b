import { expect, test } from 'vitest';
import type { ProbeFailure } from '@slipway/contract/service/instance-event.ts';
import { HealthCounter } from './health-counter.ts';

const results: Readonly<Record<string, ProbeFailure>> = {
  '-': { probe: 'NothingListens' },
  '4': { probe: 'Status', status: 404 },
  '5': { probe: 'Status', status: 500 },
};
const verdicts = (tries: string, thresholds = { successThreshold: 2, failureThreshold: 2, livenessFactor: 2 }) => {
  const counter = new HealthCounter(thresholds);
  return tries.split('').map((mark) => counter.record(results[mark]) ?? '');
};

test('readiness needs successes in a row, unreadiness failures in a row', () => {
  expect(verdicts('+-++')).toEqual(['', '', '', 'ready']);
  expect(verdicts('++-+--')).toEqual(['', 'ready', '', '', '', 'unready']);
  expect(verdicts('++--++')).toEqual(['', 'ready', '', 'unready', '', 'ready']);
});

test('reports again when kind or status of the failure changes', () => {
  const patient = { successThreshold: 1, failureThreshold: 2, livenessFactor: 4 };
  expect(verdicts('+55554--', patient)).toEqual(['ready', '', 'unready', '', '', 'unready', 'unready', '']);
  // The same failure after a new success is news, too.
  expect(verdicts('+55+55', patient)).toEqual(['ready', '', 'unready', 'ready', '', 'unready']);
  expect(verdicts('5454', patient)).toEqual(['', '', '', '']);
});

test('only what was healthy once can be dead', () => {
  expect(verdicts('--------').every((verdict) => verdict === '')).toBe(true);
  expect(verdicts('++----')).toEqual(['', 'ready', '', 'unready', '', 'dead']);
});
