import type { InstanceEvent } from '@slipway/contract/service/revision.ts';
import { expect, test } from 'vitest';
import { plainFailure } from './StopWaiting.tsx';

const event = (change: Partial<InstanceEvent>): InstanceEvent => ({
  at: '2026-11-20T12:00:00.000Z',
  lastAt: '2026-11-20T12:00:04.000Z',
  count: 5,
  instance: 'berth-4-aaaaaa',
  type: 'warning',
  reason: 'NotHealthyYet',
  context: { probe: 'Status', status: 404, request: 'GET /healthz' },
  message: '',
  ...change,
});
const since = '2026-11-20T11:59:59.000Z';

test('five equal answers are plain, fewer are not, and an earlier start does not count', () => {
  expect(plainFailure([event({})], since)).toMatchObject({ count: 5 });
  expect(plainFailure([event({ count: 4 }), event({ count: 60, context: { probe: 'NothingListens' } })], since)).toBeUndefined();
  expect(plainFailure([event({ reason: 'WrongPort' })], since)).toBeUndefined();
  expect(plainFailure([event({})], '2026-11-20T12:00:05.000Z')).toBeUndefined();
});
