import { robotPresets, type RobotAccount } from '@slipway/contract/registry/robot-account.ts';
import * as z from 'zod/mini';
import { expect, test } from 'vitest';
import { newRobotValues, robotSchema } from './robot-form.ts';
import { abilitiesOf, expiryLook, robotGroups } from './robot-labels.ts';

const now = new Date('2026-11-22T10:00:00Z');
const robot = (own: Partial<RobotAccount>): RobotAccount => ({
  name: 'ci',
  username: 'robot$berth+ci',
  description: '',
  permissions: [...robotPresets.push],
  managedBy: 'TEAM',
  state: 'ACTIVE',
  expiresOn: '2027-01-30',
  lastUsed: null,
  refusals: { count: 0, lastAt: null },
  secretAt: '2026-11-01T10:00:00.000Z',
  previousSecret: null,
  createdAt: '2026-11-01T10:00:00.000Z',
  createdBy: null,
  updatedAt: '2026-11-01T10:00:00.000Z',
  can: {},
  ...own,
});

test.each<[Partial<RobotAccount>, string | undefined, string, string]>([
  [{}, undefined, '30 Jan 2027', 'in 69 days'],
  [{ expiresOn: null }, undefined, 'Never', ''],
  [{ state: 'EXPIRING', expiresOn: '2026-11-29' }, 'warn', '29 Nov, in 7 days', 'rotate and extend it before'],
  [
    { state: 'EXPIRED', expiresOn: '2026-11-16', refusals: { count: 41, lastAt: null } },
    'bad',
    'Expired 6 days ago',
    'refused 41 times since',
  ],
  [{ state: 'EXPIRED', expiresOn: '2026-11-21', refusals: { count: 1, lastAt: null } }, 'bad', 'Expired yesterday', 'refused once since'],
  [{ state: 'DISABLED' }, 'off', 'Disabled', ''],
])('an account with %j', (own, tone, word, below) => {
  expect(expiryLook(robot(own), now)).toEqual({ tone, word, below });
});

test('those that need a look come first, the platform’s own last', () => {
  const robots = [
    robot({ name: 'a' }),
    robot({ name: 'b', state: 'EXPIRED' }),
    robot({ name: 'slipway', managedBy: 'PLATFORM' }),
    robot({ name: 'c', state: 'DISABLED' }),
  ];
  expect(robotGroups(robots).map(({ rows }) => rows.map(({ name }) => name))).toEqual([['b'], ['a', 'c'], ['slipway']]);
});

test('what it may do, in three words', () => {
  expect([...abilitiesOf(robotPresets.pull)]).toEqual(['Pull']);
  expect([...abilitiesOf(robotPresets.push)]).toEqual(['Pull', 'Push']);
  expect([...abilitiesOf(['tag:delete'])]).toEqual(['Delete']);
});

test('a form needs a name and a permission, and a place for the secret only where it goes into a group', () => {
  const values = { ...newRobotValues(now), name: 'ci' };
  const fields = (schema: ReturnType<typeof robotSchema>, own: object) =>
    z.safeParse(schema, { ...values, ...own }).error?.issues.map(({ path }) => path.join('.')) ?? [];
  const permissions = [...robotPresets.pull];
  expect(fields(robotSchema({ isNew: true }), {})).toEqual(['permissions']);
  expect(fields(robotSchema({ isNew: true }), { permissions, name: '' })).toEqual(['name']);
  expect(fields(robotSchema({ isNew: true }), { permissions })).toEqual([]);
  expect(fields(robotSchema({ isNew: true, isIntoGroup: true }), { permissions })).toEqual(['into.group', 'into.key']);
});
