/** Users of a topic, joined from grants and from groups on the cluster. */
import { expect, test } from 'vitest';
import { readerOf, topicOf } from '#features/streaming/streaming.fixture.ts';
import { flowWidth, readerRows, writerRows } from './flow-rows.ts';

const user = (applicationCode: string, account: string, operation: 'READ' | 'WRITE') => ({
  accountId: `ka_${applicationCode}`,
  account,
  applicationCode,
  teamId: 'cranes',
  teamName: 'Cranes',
  operation,
  since: '2026-10-14T00:00:00.000Z',
});
const users = [user('berth', 'planner', 'WRITE'), user('tracker', 'moves', 'READ'), user('board', 'screen', 'READ')];

test('readers that need a look come first, and those that never connected are there, too', () => {
  const readers = [
    readerOf({ group: 'a.b.c', applicationCode: null, account: null }),
    readerOf({ members: 0, lagMessages: 9, lagMs: 1000 }),
  ];
  expect(readerRows(topicOf(), { readers }, users).map(({ name, note, look }) => [name, note, look.word])).toEqual([
    ['tracker', 'moves, Cranes', 'No client'],
    ['a.b.c', 'not an account of Slipway', 'Healthy'],
    ['board', 'screen, Cranes', 'Never connected'],
  ]);
});

test('without the cluster what was granted stays in view', () =>
  expect(readerRows(topicOf(), undefined, users).map(({ name }) => name)).toEqual(['board', 'tracker']));

test('writers are those who may write', () => expect(writerRows(users).map(({ app }) => app)).toEqual(['berth']));

test('a line is as thick as what flows, on a log scale; nothing that flows is no line', () => {
  expect([null, 0, 0.1, 4, 42, 1e9].map(flowWidth)).toEqual([undefined, undefined, 1, 4, 7, 8]);
});
