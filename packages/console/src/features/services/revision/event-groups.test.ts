import { expect, test } from 'vitest';
import { eventLabel, filterEvents, groupEvents, type Event } from './event-groups.ts';

const event = (change: Partial<Event>): Event => ({
  at: '2026-11-20T12:00:00.000Z',
  lastAt: '2026-11-20T12:00:00.000Z',
  count: 1,
  instance: 'berth-2-aa',
  type: 'error',
  reason: 'Exited',
  context: { exitCode: 1, restart: 1, waitMs: 1000 },
  message: 'Exited with code 1; restart 1 in 1 s.',
  ...change,
});

const ninth = { context: { exitCode: 1, restart: 9, waitMs: 30_000 }, message: 'Exited with code 1; restart 9 in 30 s.' };

test('the same crash of several instances is one line with the sum, first and last', () => {
  const [group, ...others] = groupEvents([
    event({ count: 9, lastAt: '2026-11-20T12:05:00.000Z', ...ninth }),
    event({ count: 5, instance: 'berth-2-bb', at: '2026-11-20T11:59:00.000Z', lastAt: '2026-11-20T12:04:00.000Z' }),
  ]);
  expect(others).toEqual([]);
  expect(group).toMatchObject({
    count: 14,
    first: '2026-11-20T11:59:00.000Z',
    last: '2026-11-20T12:05:00.000Z',
    message: ninth.message,
    instances: ['berth-2-aa', 'berth-2-bb'],
  });
  expect(group && eventLabel(group)).toBe('Crashed');
});

test('other words stay other lines, the newest first', () => {
  const groups = groupEvents([
    event({ reason: 'ProbeFailed', type: 'unhealthy', context: { probe: 'NothingListens' }, message: 'connect ECONNREFUSED' }),
    event({
      reason: 'ProbeFailed',
      type: 'unhealthy',
      context: { probe: 'Status', status: 500 },
      message: 'status 500',
      lastAt: '2026-11-20T12:09:00.000Z',
    }),
    event({ reason: 'Started', type: 'running', context: {}, message: 'Started' }),
  ]);
  expect(groups.map(({ message }) => message)).toEqual(['status 500', 'connect ECONNREFUSED', 'Started']);
  expect(filterEvents(groups, 'diagnosis')).toHaveLength(2);
  expect(filterEvents(groups, 'lifecycle').map(eventLabel)).toEqual(['Started']);
  expect(filterEvents(groups, '')).toHaveLength(3);
});
