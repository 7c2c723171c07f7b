import { expect, test } from 'vitest';
import { activityDefaults, activityQuery, filterCount, noFilter } from './activity-filter.ts';

const query = (patch: Partial<typeof activityDefaults>, service?: string) => activityQuery({ ...activityDefaults, ...patch }, { service });

test('what is left empty, and a level that does not exist, is not asked for', () => {
  expect(query({})).toEqual({});
  expect(query({ level: 'LOUD', query: 'x' })).toEqual({ query: 'x' });
  expect(query({ level: 'ERROR', type: 'Deploy', actor: 'u1', reason: 'FAILED' })).toEqual({
    level: 'ERROR',
    type: 'Deploy',
    actor: 'u1',
    reason: 'FAILED',
  });
});

test('only a whole trace id is asked for', () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  expect(query({ trace })).toEqual({ traceId: trace });
  expect(query({ trace: trace.slice(1) })).toEqual({});
});

test('the log of one thing is of that thing, whatever the address says', () => {
  const subject = 'database:berth/production/plans';
  expect(activityQuery({ ...activityDefaults, subject: 'team:cranes' }, { subject })).toEqual({ subject });
});

test('a service’s own log is of that service, whatever the address says', () => {
  expect(query({ service: 'other' }, 'berth-api')).toEqual({ service: 'berth-api' });
});

test('days are the reader’s own, the last one to its end', () => {
  const { from = '', to = '' } = query({ from: '2026-11-20', to: '2026-11-20' });
  expect(new Date(from).getHours()).toBe(0);
  expect(new Date(from).getDate()).toBe(20);
  expect(new Date(to).getDate()).toBe(21);
  expect(new Date(to).getHours()).toBe(0);
});

test('an instant goes as it stands, what is no time is left out', () => {
  expect(query({ from: '2026-11-20T08:30:00Z', to: 'soon' })).toEqual({ from: '2026-11-20T08:30:00.000Z' });
});

test('clearing takes every filter that is counted', () => {
  const set = { ...activityDefaults, query: 'x', level: 'INFO', from: '2026-11-20' };
  expect(filterCount(set)).toBe(3);
  expect(filterCount({ ...set, ...noFilter })).toBe(0);
});
