import { expect, test } from 'vitest';
import type { TopicDifference, TopicDrift } from '@slipway/contract/streaming/topic-status.ts';
import { becomes, driftRows } from './drift-rows.ts';

const difference = (change: Partial<TopicDifference>): TopicDifference => ({
  kind: 'CONFIG',
  name: 'retention.ms',
  ours: '86400000',
  theirs: '7200000',
  canRepair: true,
  canAdopt: true,
  ...change,
});
const drift = (change: Partial<TopicDrift>): TopicDrift => ({
  comparedAt: null,
  isStale: false,
  differences: [],
  same: [],
  foreign: [],
  ...change,
});
const lines = (change: Partial<TopicDrift>) => driftRows(drift(change)).map(({ name, ours, theirs }) => [name, ours, theirs]);

test('what differs stands first, and a subject is one line with its version and level', () => {
  const same = [
    { name: 'cleanup.policy', value: 'delete' },
    { name: 'segment.bytes', value: '1073741824' },
    { name: 'partitions', value: '3' },
    { name: 'berth.calls-value', value: '2' },
    { name: 'berth.calls-value compatibility', value: 'FULL_TRANSITIVE' },
  ];
  expect(lines({ differences: [difference({})], same })).toEqual([
    ['retention.ms', '24 h', '2 h'],
    ['cleanup.policy', 'Delete old messages', 'Delete old messages'],
    ['segment.bytes', '1 GB', '1 GB'],
    ['partitions', '3', '3'],
    ['berth.calls-value', 'version 2, Full, every version', 'version 2, Full, every version'],
  ]);
});

test('where one of the two differs, the other is a line by itself', () => {
  const subject = difference({ kind: 'SUBJECT', name: 'berth.calls-value', ours: 'newest', theirs: '3' });
  const level = difference({ kind: 'LEVEL', name: 'berth.calls-value compatibility', ours: 'BACKWARD', theirs: 'NONE' });
  expect(lines({ differences: [subject], same: [{ name: 'berth.calls-value compatibility', value: 'BACKWARD' }] })).toEqual([
    ['berth.calls-value', 'our newest version', 'version 3'],
    ['berth.calls-value compatibility', 'Backward', 'Backward'],
  ]);
  expect(lines({ differences: [level], same: [{ name: 'berth.calls-value', value: '2' }] })).toEqual([
    ['berth.calls-value compatibility', 'Backward', 'None'],
    ['berth.calls-value', 'version 2', 'version 2'],
  ]);
});

test('a way out says what becomes of what, in the words of the setting', () => {
  expect(becomes(difference({}), 'theirs')).toBe('Kept: 24 h becomes 2 h');
  expect(becomes(difference({ name: 'max.message.bytes', ours: null, theirs: '1048576' }), 'ours')).toBe(
    'max.message.bytes: 1 MB becomes the default',
  );
  expect(becomes(difference({ kind: 'SUBJECT', name: 'berth.calls-value', ours: 'newest', theirs: null }), 'ours')).toBe(
    'berth.calls-value: not there becomes our newest version',
  );
});
