import { expect, test } from 'vitest';

import { directoryForTest } from '../access/access.fixture.ts';
import type { Authorizer } from '../parts.ts';
import { errors } from '../protocol/errors.ts';
import { Committing } from './committing.ts';
import { subscriptionOf } from './coordinator.fixture.ts';
import { Coordinator } from './coordinator.ts';
import { manualTime } from './manual-timers.fixture.ts';
import { OffsetStore } from './offset-store.ts';
import { askGroups, commitTo, everything, fetchRequest, offsetsOf, openGroups, someTopics } from './offsets.fixture.ts';

const GROUP = 'berth.reader.orders';
const twoTopics = () => someTopics({ 'berth.orders': 3, 'berth.events': 1 });

test('what was committed is there, by partition and after a restart', async () => {
  const home = await directoryForTest();
  const topics = twoTopics();
  const groups = await openGroups(home.directory, topics.directory);
  expect(await commitTo(groups, GROUP, 'berth.orders', { 0: 10, 2: 30 }, { metadata: null })).toEqual([errors.NONE, errors.NONE]);
  await commitTo(groups, GROUP, 'berth.orders', { 0: 11 }, { metadata: 'by hand' });
  await commitTo(groups, 'other', 'berth.events', { 0: 2 ** 40 });
  const check = async (opened: typeof groups) => {
    expect(await offsetsOf(opened, GROUP)).toEqual({ 'berth.orders/0': 11, 'berth.orders/2': 30 });
    expect(await offsetsOf(opened, GROUP, { 'berth.orders': [0, 1], absent: [0] })).toEqual({
      'berth.orders/0': 11,
      'berth.orders/1': -1,
      'absent/0': -1,
    });
    expect(await offsetsOf(opened, 'other')).toEqual({ 'berth.events/0': 2 ** 40 });
    expect(await offsetsOf(opened, 'nobody', { 'berth.orders': [0] })).toEqual({ 'berth.orders/0': -1 });
    const { topics: old } = await askGroups(opened, 'OffsetFetch', fetchRequest(GROUP, { 'berth.orders': [0] }), 5);
    expect(old[0]?.partitions[0]).toMatchObject({ committedOffset: 11, metadata: 'by hand', errorCode: errors.NONE });
    const { groups: listed } = await askGroups(opened, 'ListGroups', { statesFilter: [], typesFilter: [] }, 5);
    expect(listed.map(({ groupId, groupState, groupType }) => [groupId, groupState, groupType])).toEqual([
      [GROUP, 'Empty', 'classic'],
      ['other', 'Empty', 'classic'],
    ]);
  };
  await check(groups);
  await groups.close();
  const again = await openGroups(home.directory, topics.directory);
  await check(again);
  await again.close();
});

test('nothing is committed for places that are not there, or with too much beside it', async () => {
  const home = await directoryForTest();
  const groups = await openGroups(home.directory, twoTopics().directory);
  const UNKNOWN = errors.UNKNOWN_TOPIC_OR_PARTITION;
  expect(await commitTo(groups, GROUP, 'berth.orders', { 0: 1, 3: 1, [-1]: 1 })).toEqual([errors.NONE, UNKNOWN, UNKNOWN]);
  expect(await commitTo(groups, GROUP, 'absent', { 0: 1 })).toEqual([UNKNOWN]);
  expect(await commitTo(groups, GROUP, 'berth.events', { 0: 1 }, { metadata: 'x'.repeat(4097) })).toEqual([
    errors.OFFSET_METADATA_TOO_LARGE,
  ]);
  expect(await offsetsOf(groups, GROUP)).toEqual({ 'berth.orders/0': 1 });
  await groups.close();
});

test('members alone commit for a group that has some, and of its generation alone', async () => {
  const home = await directoryForTest();
  const groups = await openGroups(home.directory, twoTopics().directory);
  const commit = (generation: number, memberId: string, version = 9) =>
    commitTo(groups, GROUP, 'berth.orders', { 0: generation }, { generation, memberId, version }).then(([code]) => code);
  expect(await commit(1, 'invented')).toBe(errors.GROUP_ID_NOT_FOUND);
  expect(await commit(1, 'invented', 8)).toBe(errors.ILLEGAL_GENERATION);
  const request = {
    groupId: GROUP,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    memberId: '',
    groupInstanceId: null,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: subscriptionOf('berth.orders') }],
    reason: null,
  };
  const { memberId, generationId = -1 } = await askGroups(groups, 'JoinGroup', request, 3);
  expect(generationId).toBe(1);
  expect(await commit(1, memberId)).toBe(errors.REBALANCE_IN_PROGRESS);
  const sync = { groupId: GROUP, generationId, memberId, groupInstanceId: null, protocolType: null, protocolName: null, assignments: [] };
  expect((await askGroups(groups, 'SyncGroup', sync, 5)).errorCode).toBe(errors.INCONSISTENT_GROUP_PROTOCOL);
  await askGroups(groups, 'SyncGroup', sync, 4);
  expect(await commit(1, memberId)).toBe(errors.NONE);
  expect(await commit(2, memberId)).toBe(errors.ILLEGAL_GENERATION);
  expect(await commit(1, 'invented')).toBe(errors.UNKNOWN_MEMBER_ID);
  expect(await commit(-1, '')).toBe(errors.UNKNOWN_MEMBER_ID);
  const remove = (topic: string) =>
    askGroups(groups, 'OffsetDelete', { groupId: GROUP, topics: [{ name: topic, partitions: [{ partitionIndex: 0 }] }] }, 0);
  expect((await remove('berth.orders')).topics[0]?.partitions[0]?.errorCode).toBe(errors.GROUP_SUBSCRIBED_TO_TOPIC);
  const { groups: described } = await askGroups(
    groups,
    'DescribeGroups',
    { groups: [GROUP, 'absent'], includeAuthorizedOperations: true },
    5,
  );
  expect(described).toMatchObject([
    {
      groupState: 'Stable',
      protocolType: 'consumer',
      protocolData: 'range',
      authorizedOperations: 2 ** 3 + 2 ** 6 + 2 ** 8 + 2 ** 10 + 2 ** 11,
    },
    { groupState: 'Dead', members: [] },
  ]);
  expect(described[0]?.members[0]).toMatchObject({ memberId, clientId: 'test', clientHost: '/127.0.0.1' });
  expect((await askGroups(groups, 'DeleteGroups', { groupsNames: [GROUP] }, 2)).results).toMatchObject([
    { errorCode: errors.NON_EMPTY_GROUP },
  ]);
  const left = await askGroups(groups, 'LeaveGroup', { groupId: GROUP, memberId, members: [] }, 2);
  expect(left.errorCode).toBe(errors.NONE);
  expect(await commit(-1, '')).toBe(errors.NONE);
  await groups.close();
  // Its generations continue.
  const again = await openGroups(home.directory, twoTopics().directory);
  expect((await askGroups(again, 'JoinGroup', request, 3)).generationId).toBe(3);
  await again.close();
});

test('what is deleted does not come back', async () => {
  const home = await directoryForTest();
  const topics = twoTopics();
  const groups = await openGroups(home.directory, topics.directory);
  const fill = async (group: string) => {
    await commitTo(groups, group, 'berth.orders', { 0: 1, 1: 2 });
    await commitTo(groups, group, 'berth.events', { 0: 3 });
  };
  for (const group of ['a', 'b', 'c']) await fill(group);
  const places = [{ name: 'berth.orders', partitions: [{ partitionIndex: 1 }, { partitionIndex: 9 }] }];
  const removed = await askGroups(groups, 'OffsetDelete', { groupId: 'a', topics: places }, 0);
  expect(removed.topics[0]?.partitions.map(({ errorCode }) => errorCode)).toEqual([errors.NONE, errors.UNKNOWN_TOPIC_OR_PARTITION]);
  expect((await askGroups(groups, 'OffsetDelete', { groupId: 'absent', topics: places }, 0)).errorCode).toBe(errors.GROUP_ID_NOT_FOUND);
  const deleted = await askGroups(groups, 'DeleteGroups', { groupsNames: ['b', 'absent', 'b'] }, 2);
  expect(deleted.results).toEqual([
    { groupId: 'b', errorCode: errors.NONE },
    { groupId: 'absent', errorCode: errors.GROUP_ID_NOT_FOUND },
  ]);
  topics.delete('berth.events');
  await expect.poll(() => offsetsOf(groups, 'c')).toEqual({ 'berth.orders/0': 1, 'berth.orders/1': 2 });
  await groups.close();
  const again = await openGroups(home.directory, topics.directory);
  expect(await Promise.all(['a', 'b', 'c'].map((group) => offsetsOf(again, group)))).toEqual([
    { 'berth.orders/0': 1 },
    {},
    { 'berth.orders/0': 1, 'berth.orders/1': 2 },
  ]);
  await again.close();
});

test('offsets of a topic that was deleted while the broker was away are gone', async () => {
  const home = await directoryForTest();
  const groups = await openGroups(home.directory, twoTopics().directory);
  await commitTo(groups, GROUP, 'berth.events', { 0: 3 });
  await commitTo(groups, GROUP, 'berth.orders', { 0: 1 });
  await groups.close();
  const again = await openGroups(home.directory, someTopics({ 'berth.orders': 1 }).directory);
  expect(await offsetsOf(again, GROUP)).toEqual({ 'berth.orders/0': 1 });
  await again.close();
});

test('offsets expire a week after the group was left, and those without a group a week after the commit; then groups go, too', async () => {
  const home = await directoryForTest();
  const time = manualTime();
  const store = await OffsetStore.open({ file: `${home.directory}/offsets.log`, timers: time });
  const coordinator = new Coordinator({ timers: time, now: time.now, newId: () => 'id', keep: () => undefined });
  const committing = new Committing({ coordinator, store, now: time.now, onFailure: (error) => expect.fail(String(error)) });
  const DAY = 24 * 3_600_000;
  const commit = (group: string, more = {}) => {
    if (coordinator.find(group) === undefined) coordinator.create(group);
    return committing.commit(group, [{ topic: 'berth.orders', partition: 0, offset: 1, leaderEpoch: -1, metadata: '', ...more }]);
  };
  await commit('alone');
  await commit('brief', { expiresAt: time.now() + DAY });
  const left = coordinator.create('left', { protocolType: 'consumer', generation: 3, since: time.now() });
  await commit('left');
  coordinator.create('unused');
  const known = async () => {
    await committing.sweep();
    return [...coordinator.list()].map(({ id }) => id);
  };
  expect(await known()).toEqual(['alone', 'brief', 'left', 'unused']);
  time.pass(DAY);
  expect(await known()).toEqual(['alone', 'left']);
  left.become('Empty', time.now());
  time.pass(6 * DAY - 1);
  expect(await known()).toEqual(['alone', 'left']);
  time.pass(1);
  expect(await known()).toEqual(['left']);
  time.pass(DAY);
  expect(await known()).toEqual([]);
  expect([...store.groupIds()]).toEqual([]);
  await store.close();
});

test('where clients find the coordinator', async () => {
  const home = await directoryForTest();
  const groups = await openGroups(home.directory, twoTopics().directory, { ...everything, may: (_, __, ___, name) => name !== 'refused' });
  const find = (version: number, keyType: number, ...keys: string[]) =>
    askGroups(groups, 'FindCoordinator', { key: keys[0] ?? '', keyType, coordinatorKeys: keys }, version);
  const here = { nodeId: 1, host: '127.0.0.1', port: 9092, errorCode: errors.NONE };
  expect(await find(2, 0, GROUP)).toMatchObject(here);
  expect(await find(2, 0, 'refused')).toMatchObject({ nodeId: -1, errorCode: errors.GROUP_AUTHORIZATION_FAILED });
  expect((await find(4, 0, GROUP, 'refused')).coordinators).toMatchObject([
    { key: GROUP, ...here },
    { key: 'refused', nodeId: -1, errorCode: errors.GROUP_AUTHORIZATION_FAILED },
  ]);
  expect((await find(4, 2, 'share')).coordinators).toMatchObject([{ errorCode: errors.INVALID_REQUEST }]);
  await groups.close();
});

test('refuses transactions with a sentence that says so, whatever rights are missing', async () => {
  const home = await directoryForTest();
  const groups = await openGroups(home.directory, twoTopics().directory, { ...everything, may: () => false });
  const errorMessage = expect.stringMatching(/no transactions.*transactional\.id.*at_least_once/);
  const asked = { key: 'a', keyType: 1, coordinatorKeys: ['a'] };
  expect(await askGroups(groups, 'FindCoordinator', asked, 2)).toMatchObject({
    errorCode: errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    errorMessage,
  });
  expect((await askGroups(groups, 'FindCoordinator', asked, 4)).coordinators).toMatchObject([
    { nodeId: -1, errorCode: errors.UNSUPPORTED_VERSION, errorMessage },
  ]);
  await groups.close();
});

test('groups are listed by state and type, and for whoever may see them', async () => {
  const home = await directoryForTest();
  const mine: Authorizer = { ...everything, may: (_, __, ___, name) => name.startsWith('berth.') };
  const groups = await openGroups(home.directory, twoTopics().directory, mine);
  await commitTo(groups, 'berth.a', 'berth.orders', { 0: 1 });
  const list = async (statesFilter: string[], typesFilter: string[] = []) =>
    (await askGroups(groups, 'ListGroups', { statesFilter, typesFilter }, 5)).groups.map(({ groupId }) => groupId);
  expect(await list([])).toEqual(['berth.a']);
  expect(await list(['Stable', 'empty'])).toEqual(['berth.a']);
  expect(await list(['Stable'])).toEqual([]);
  expect(await list([], ['consumer'])).toEqual([]);
  expect(await commitTo(groups, 'refused', 'berth.orders', { 0: 1 })).toEqual([errors.GROUP_AUTHORIZATION_FAILED]);
  await groups.close();
});
