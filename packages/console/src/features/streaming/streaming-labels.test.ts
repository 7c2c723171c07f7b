/** Lag is time relative to retention: labels of a reader, and of the topic that it reads. */
import type { Account } from '@slipway/contract/streaming/account.ts';
import { describe, expect, test } from 'vitest';
import { accountLook, behindOf, hoursLabel, keptLabel, readerLook, retentionMs, schemaLook, topicLook } from './streaming-labels.ts';
import { topicOf } from './streaming.fixture.ts';

const hour = 3_600_000;
const day = 24 * hour;

test.each([
  [24, '24 h'],
  [47, '47 h'],
  [48, '2 days'],
  [72, '3 days'],
  [73, '73 h'],
])('%d hours are %s', (hours, words) => expect(hoursLabel(hours)).toBe(words));

test('a compacted topic is kept per key, and has no end of time to be behind of', () => {
  const spec = { cleanupPolicy: 'COMPACT', retentionHours: 24 } as const;
  expect(keptLabel(spec)).toBe('per key');
  expect(retentionMs(spec)).toBeNull();
  expect(behindOf(day, 7, null)).toEqual({ share: null, label: '1 d 0 h', tone: 'ok' });
});

describe('a reader', () => {
  test.each([
    ['at half of the time kept', 12 * hour, 'warn', 'Behind'],
    ['just below', 12 * hour - 1, 'ok', 'Healthy'],
    ['at nine tenths', 0.9 * day, 'bad', 'About to lose messages'],
  ])('%s', (_, lagMs, tone, word) => expect(readerLook({ members: 1, lagMs, lagMessages: 9 }, day)).toEqual({ tone, word }));

  test('without a client needs a look as soon as it has something to read', () => {
    expect(readerLook({ members: 0, lagMs: 10, lagMessages: 1 }, day).tone).toBe('warn');
    expect(readerLook({ members: 0, lagMs: 0, lagMessages: 0 }, day).tone).toBe('idle');
  });

  test('whose lag has no time is counted, and nothing is guessed', () =>
    expect(behindOf(null, 204, day)).toEqual({ share: null, label: '204 messages', tone: 'ok' }));
});

describe('a topic', () => {
  const slowest = { group: 'tracker.main', lagMessages: 9, lagMs: 13 * hour, hasMembers: false };
  const observed = (change: object) => ({ ...topicOf().observed, ...change }) as NonNullable<ReturnType<typeof topicOf>['observed']>;
  test.each([
    ['well', topicOf(), 'ok', 'Healthy'],
    ['never looked at', topicOf({ observed: null }), 'idle', 'Not looked at yet'],
    ['of another cluster setting', topicOf({ drift: { count: 1, at: '' } }), 'warn', '1 setting differs from the cluster'],
    ['being made', topicOf({ state: 'CREATING' }), 'run', 'Being created'],
    ['whose reader stopped', topicOf({ observed: observed({ slowest }) }), 'warn', 'tracker.main stopped reading'],
    [
      'whose reader loses messages',
      topicOf({ observed: observed({ slowest: { ...slowest, lagMs: 23 * hour } }) }),
      'bad',
      'tracker.main is about to lose messages',
    ],
  ])('%s', (_, topic, tone, word) => expect(topicLook(topic)).toEqual({ tone, word }));
});

test('while the registry does not answer no schema is called ready, and one that differs still does', () => {
  const schema = { state: 'ACTIVE', draft: null, drift: null } as const;
  expect(schemaLook(schema, true)).toEqual({ tone: 'idle', word: 'Not known now' });
  expect(schemaLook({ ...schema, drift: { count: 1, at: '2026-11-20T12:00:00.000Z' } }, true).tone).toBe('warn');
});
test('while the cluster does not answer nothing is called healthy, and what needed a look still does', () => {
  expect(topicLook(topicOf(), true)).toEqual({ tone: 'idle', word: 'Not known now' });
  expect(topicLook(topicOf({ state: 'NOT_CREATED' }), true)).toEqual(topicLook(topicOf({ state: 'NOT_CREATED' })));
  expect(topicLook(topicOf({ drift: { count: 2, at: '2026-11-20T12:00:00.000Z' } }), true).tone).toBe('warn');
  const account: Account = {
    id: 'ka_1',
    name: 'planner',
    applicationCode: 'berth',
    environmentClass: 'development',
    description: '',
    produceTopics: [],
    consumeTopics: [],
    state: 'ACTIVE',
    user: 'berth.planner',
    groupPrefix: 'berth.planner.',
    connection: null,
    credentials: null,
    status: { pipelineId: null, isBusy: false, drift: 'NONE', comparedAt: null },
    createdAt: '2026-11-20T12:00:00.000Z',
    createdBy: { id: 'ingrid', displayName: 'Ingrid Solheim' },
    can: {},
  };
  expect(accountLook(account)).toEqual({ tone: 'ok', word: 'Healthy' });
  expect(accountLook(account, true)).toEqual({ tone: 'idle', word: 'Not known now' });
});
