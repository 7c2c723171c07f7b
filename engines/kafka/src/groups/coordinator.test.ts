import { describe, expect, test } from 'vitest';

import { errors } from '../protocol/errors.ts';
import { DELAY_MS, GROUP, groupUnderTest, settle, subscriptionOf } from './coordinator.fixture.ts';

const other = [{ name: 'range', metadata: subscriptionOf('berth.orders', 'berth.events') }];

describe('joining', () => {
  test('a consumer is given an id, joins with it, leads itself, and reads its own assignment', async () => {
    const { arrive, sync, heartbeat, time, group, kept } = groupUnderTest();
    const { memberId, joined } = await arrive();
    expect(memberId).toBe('c-1');
    time.pass(DELAY_MS);
    expect(await joined.promise).toMatchObject({
      errorCode: errors.NONE,
      generationId: 1,
      leader: memberId,
      protocolName: 'range',
      protocolType: 'consumer',
      members: [{ memberId, groupInstanceId: null }],
    });
    const synced = await sync(memberId, 1, { [memberId]: 'all' }).promise;
    expect([synced.errorCode, synced.assignment.toString(), synced.protocolName]).toEqual([errors.NONE, 'all', 'range']);
    expect([heartbeat(memberId, 1), group()?.state, kept]).toEqual([errors.NONE, 'Stable', [1]]);
  });

  test('the oldest clients join without an id', async () => {
    const { join, time } = groupUnderTest();
    const joined = join({}, 3);
    time.pass(DELAY_MS);
    expect(await joined.promise).toMatchObject({ errorCode: errors.NONE, memberId: 'c-1', leader: 'c-1' });
  });

  test('the first rebalance waits for others, and only the leader learns of them', async () => {
    const { arrive, time } = groupUnderTest();
    const first = await arrive();
    time.pass(DELAY_MS - 1);
    const second = await arrive();
    time.pass(DELAY_MS);
    await settle();
    expect(first.joined.now).toBeUndefined();
    time.pass(DELAY_MS);
    const [leader, follower] = await Promise.all([first.joined.promise, second.joined.promise]);
    expect([leader.members.length, follower.members.length, follower.leader]).toEqual([2, 0, first.memberId]);
  });

  test('somebody new makes everybody join again; who does not is left behind at the rebalance timeout', async () => {
    const { stable, arrive, join, heartbeat, time, group } = groupUnderTest();
    const [one = '', two = ''] = await stable(2);
    const three = await arrive();
    expect([heartbeat(one, 1), heartbeat(two, 1)]).toEqual([errors.REBALANCE_IN_PROGRESS, errors.REBALANCE_IN_PROGRESS]);
    const again = join({ memberId: one });
    for (let second = 0; second < 59; second += 1) {
      time.pass(1000);
      heartbeat(two, 1);
    }
    await settle();
    expect(again.now).toBeUndefined();
    time.pass(1000);
    expect(await again.promise).toMatchObject({ generationId: 2, leader: one });
    expect(await three.joined.promise).toMatchObject({ generationId: 2, leader: one });
    expect([...(group()?.members.keys() ?? [])]).toEqual([one, three.memberId]);
    expect(heartbeat(two, 1)).toBe(errors.UNKNOWN_MEMBER_ID);
  });

  test('a leader that does not join again is not the leader any more', async () => {
    const { stable, join, heartbeat, time } = groupUnderTest();
    const [one = '', two = ''] = await stable(2);
    const again = join({ memberId: two, protocols: other });
    for (let second = 0; second < 60; second += 1) {
      heartbeat(one, 1);
      time.pass(1000);
    }
    expect(await again.promise).toMatchObject({ generationId: 2, leader: two });
  });

  test.each<[string, boolean, Record<string, unknown>, boolean]>([
    ['a follower with the same to offer', false, {}, false],
    ['a follower with something else to offer', false, { protocols: other }, true],
    ['the leader, which may have seen new partitions', true, {}, true],
  ])('of a group that works joins %s', async (_, isLeader, given, isRebalance) => {
    const { stable, join, group } = groupUnderTest();
    const [leader = '', follower = ''] = await stable(2);
    const joined = join({ memberId: isLeader ? leader : follower, ...given });
    await settle();
    expect(group()?.state).toBe(isRebalance ? 'PreparingRebalance' : 'Stable');
    expect(joined.now?.generationId).toBe(isRebalance ? undefined : 1);
  });

  test('the answer to a join that was lost is given again', async () => {
    const { arrive, join, time, group } = groupUnderTest();
    const { memberId, joined } = await arrive();
    time.pass(DELAY_MS);
    await joined.promise;
    expect(await join({ memberId }).promise).toMatchObject({ generationId: 1, leader: memberId, members: [{ memberId }] });
    expect(group()?.state).toBe('CompletingRebalance');
  });

  test('the protocol is one that everybody has, by the most votes', async () => {
    const { join, time } = groupUnderTest();
    const metadata = subscriptionOf('berth.orders');
    const protocols = (...names: string[]) => ({ protocols: names.map((name) => ({ name, metadata })) });
    const joining = [
      join(protocols('range', 'sticky', 'only-mine'), 3),
      join(protocols('sticky', 'range'), 3),
      join(protocols('sticky', 'range'), 3),
    ];
    expect((await join(protocols('only-mine'), 3).promise).errorCode).toBe(errors.INCONSISTENT_GROUP_PROTOCOL);
    expect((await join({ protocolType: 'connect' }, 3).promise).errorCode).toBe(errors.INCONSISTENT_GROUP_PROTOCOL);
    time.pass(2 * DELAY_MS);
    for (const { promise } of joining) expect((await promise).protocolName).toBe('sticky');
  });

  test.each<[string, Record<string, unknown>, number]>([
    ['no group', { groupId: '' }, errors.INVALID_GROUP_ID],
    ['too short a session', { sessionTimeoutMs: 5999 }, errors.INVALID_SESSION_TIMEOUT],
    ['too long a session', { sessionTimeoutMs: 1_800_001 }, errors.INVALID_SESSION_TIMEOUT],
    ['a negative session', { sessionTimeoutMs: -1 }, errors.INVALID_SESSION_TIMEOUT],
    ['an id that was not given out', { memberId: 'invented' }, errors.UNKNOWN_MEMBER_ID],
    ['no protocol', { protocols: [] }, errors.INCONSISTENT_GROUP_PROTOCOL],
    ['no type', { protocolType: '' }, errors.INCONSISTENT_GROUP_PROTOCOL],
  ])('nobody joins with %s', async (_, given, errorCode) => {
    const { join } = groupUnderTest();
    expect((await join(given).promise).errorCode).toBe(errorCode);
  });

  test('a group is full at some number, ids that were given out included', async () => {
    const { stable, join, arrive } = groupUnderTest({ maxMembers: 3 });
    await stable(2);
    const { memberId } = await join().promise;
    expect((await join().promise).errorCode).toBe(errors.GROUP_MAX_SIZE_REACHED);
    join({ memberId });
    expect((await arrive()).memberId).not.toBe('');
  });
});

describe('assignments', () => {
  test('followers wait for the leader, and each gets its own', async () => {
    const { arrive, sync, time } = groupUnderTest();
    const [one, two] = [await arrive(), await arrive()];
    time.pass(2 * DELAY_MS);
    await one.joined.promise;
    const waiting = sync(two.memberId, 1);
    await settle();
    expect(waiting.now).toBeUndefined();
    sync(one.memberId, 1, { [one.memberId]: 'a', [two.memberId]: 'b', invented: 'c' });
    expect((await waiting.promise).assignment.toString()).toBe('b');
    expect((await sync(two.memberId, 1).promise).assignment.toString()).toBe('b');
  });

  test('whoever is not assigned anything gets nothing', async () => {
    const { arrive, sync, time } = groupUnderTest();
    const { memberId } = await arrive();
    time.pass(DELAY_MS);
    expect((await sync(memberId, 1).promise).assignment).toHaveLength(0);
  });

  test.each<[string, string | undefined, number, Record<string, unknown>, number]>([
    ['an invented id', 'invented', 1, {}, errors.UNKNOWN_MEMBER_ID],
    ['an earlier generation', undefined, 0, {}, errors.ILLEGAL_GENERATION],
    ['another protocol', undefined, 1, { protocolName: 'sticky' }, errors.INCONSISTENT_GROUP_PROTOCOL],
    ['another type', undefined, 1, { protocolType: 'connect' }, errors.INCONSISTENT_GROUP_PROTOCOL],
    ['no group', undefined, 1, { groupId: '' }, errors.INVALID_GROUP_ID],
    ['another group', undefined, 1, { groupId: 'absent' }, errors.UNKNOWN_MEMBER_ID],
  ])('nobody asks for an assignment with %s', async (_, id, generation, more, errorCode) => {
    const { stable, sync } = groupUnderTest();
    const [memberId = ''] = await stable(1);
    expect((await sync(id ?? memberId, generation, {}, more).promise).errorCode).toBe(errorCode);
  });

  test('somebody new ends the wait for assignments', async () => {
    const { arrive, sync, time } = groupUnderTest();
    const [one, two] = [await arrive(), await arrive()];
    time.pass(2 * DELAY_MS);
    await one.joined.promise;
    const waiting = sync(two.memberId, 1);
    await arrive();
    expect((await waiting.promise).errorCode).toBe(errors.REBALANCE_IN_PROGRESS);
    expect((await sync(one.memberId, 1).promise).errorCode).toBe(errors.REBALANCE_IN_PROGRESS);
  });

  test('a member that never asks for its own is removed at the rebalance timeout', async () => {
    const { arrive, sync, heartbeat, time, group } = groupUnderTest();
    const [one, two] = [await arrive(), await arrive()];
    time.pass(2 * DELAY_MS);
    await one.joined.promise;
    await sync(one.memberId, 1, {}).promise;
    for (let second = 0; second < 60; second += 1) {
      time.pass(1000);
      heartbeat(one.memberId, 1);
      heartbeat(two.memberId, 1);
    }
    expect([group()?.state, [...(group()?.members.keys() ?? [])]]).toEqual(['PreparingRebalance', [one.memberId]]);
  });
});

describe('sessions', () => {
  test('a member that is silent for its session is gone, and the others rebalance', async () => {
    const { stable, heartbeat, time, group } = groupUnderTest();
    const [one = '', two = ''] = await stable(2);
    time.pass(9999);
    expect(heartbeat(one, 1)).toBe(errors.NONE);
    time.pass(1);
    expect([group()?.state, [...(group()?.members.keys() ?? [])]]).toEqual(['PreparingRebalance', [one]]);
    expect(heartbeat(two, 1)).toBe(errors.UNKNOWN_MEMBER_ID);
  });

  test('the last one leaves an empty group, with nothing planned for it', async () => {
    const { stable, time, group, kept } = groupUnderTest();
    await stable(1);
    time.pass(10_000);
    expect([group()?.state, group()?.generation, kept]).toEqual(['Empty', 2, [1, 2]]);
    time.pass(120_000);
    expect([group()?.state, time.size]).toEqual(['Empty', 0]);
  });

  test('who waits for an answer need not send heartbeats; a newcomer that may be gone is not waited for for ever', async () => {
    const { stable, arrive, join, heartbeat, time } = groupUnderTest();
    const [one = '', two = ''] = await stable(2);
    const waiting = join({ memberId: one, protocols: other, rebalanceTimeoutMs: 600_000 });
    const newcomer = await arrive({ rebalanceTimeoutMs: 600_000 });
    for (let second = 0; second < 299; second += 1) {
      time.pass(1000);
      expect(heartbeat(two, 1)).toBe(errors.REBALANCE_IN_PROGRESS);
    }
    await settle();
    expect([waiting.now, newcomer.joined.now]).toEqual([undefined, undefined]);
    time.pass(1000);
    expect((await newcomer.joined.promise).errorCode).toBe(errors.UNKNOWN_MEMBER_ID);
    expect(waiting.now).toBeUndefined();
  });

  test('an id that nobody joins with is forgotten after a session, and nobody waits for it longer', async () => {
    const { stable, join, heartbeat, time, group } = groupUnderTest();
    const [one = ''] = await stable(1);
    await join().promise;
    const again = join({ memberId: one });
    await settle();
    expect([again.now, group()?.pending.size]).toEqual([undefined, 1]);
    expect(heartbeat(one, 1)).toBe(errors.REBALANCE_IN_PROGRESS);
    time.pass(10_000);
    expect([(await again.promise).generationId, group()?.pending.size]).toEqual([2, 0]);
  });

  test('an earlier generation is fenced off', async () => {
    const { stable, heartbeat } = groupUnderTest();
    const [one = ''] = await stable(1);
    expect([heartbeat(one, 0), heartbeat(one, 2), heartbeat('invented', 1), heartbeat(one, 1)]).toEqual([
      errors.ILLEGAL_GENERATION,
      errors.ILLEGAL_GENERATION,
      errors.UNKNOWN_MEMBER_ID,
      errors.NONE,
    ]);
  });
});

describe('leaving', () => {
  test('several at once make one rebalance', async () => {
    const { stable, leave, join, group } = groupUnderTest();
    const [one = '', two = '', three = ''] = await stable(3);
    expect(leave(two, 'invented', three)).toEqual([errors.NONE, errors.UNKNOWN_MEMBER_ID, errors.NONE]);
    expect(group()?.state).toBe('PreparingRebalance');
    expect((await join({ memberId: one }).promise).generationId).toBe(2);
  });

  test('from a group that nobody knows', () => {
    const { leave } = groupUnderTest();
    expect(leave('invented')).toEqual([errors.UNKNOWN_MEMBER_ID]);
  });

  test('while everybody else has joined completes the rebalance; a join of the one that leaves is answered', async () => {
    const { stable, join, arrive, leave } = groupUnderTest();
    const [one = '', two = ''] = await stable(2);
    const newcomer = await arrive();
    const again = join({ memberId: one });
    await settle();
    expect(again.now).toBeUndefined();
    leave(two);
    expect([(await again.promise).generationId, (await newcomer.joined.promise).generationId]).toEqual([2, 2]);
  });

  test('an id that was given out can be given back', async () => {
    const { join, leave, group } = groupUnderTest();
    const { memberId } = await join().promise;
    expect(leave(memberId)).toEqual([errors.NONE]);
    expect(group()?.pending.size).toBe(0);
  });
});

describe('static members', () => {
  const instance = (index: number) => ({ groupInstanceId: `pod-${index}` });

  test('one that restarts goes on with its assignment, the others do not stop, and the one of before is fenced off', async () => {
    const { stable, join, sync, heartbeat, group } = groupUnderTest();
    const [leader = '', follower = ''] = await stable(2, instance);
    const back = await join({ groupInstanceId: 'pod-1' }).promise;
    expect(back).toMatchObject({ errorCode: errors.NONE, generationId: 1, leader, members: [], skipAssignment: false });
    expect([group()?.state, back.memberId === follower]).toEqual(['Stable', false]);
    expect((await sync(back.memberId, 1, {}, { groupInstanceId: 'pod-1' }).promise).assignment.toString()).toBe('part 1');
    expect(heartbeat(follower, 1, 'pod-1')).toBe(errors.FENCED_INSTANCE_ID);
    expect(heartbeat(follower, 1)).toBe(errors.UNKNOWN_MEMBER_ID);
    expect(heartbeat(back.memberId, 1, 'pod-1')).toBe(errors.NONE);
  });

  test('a leader that restarts need not assign anything anew; an older one does not know that it leads', async () => {
    const { stable, join } = groupUnderTest();
    const [leader = ''] = await stable(2, instance);
    const back = await join({ groupInstanceId: 'pod-0' }).promise;
    expect(back).toMatchObject({ leader: back.memberId, skipAssignment: true });
    expect(back.members).toHaveLength(2);
    const older = await join({ groupInstanceId: 'pod-0' }, 8).promise;
    expect(older).toMatchObject({ leader: back.memberId, members: [] });
    expect([older.skipAssignment, older.memberId === back.memberId, leader === back.memberId]).toEqual([undefined, false, false]);
  });

  test('one that comes back while assignments are made starts them anew', async () => {
    const { join, sync, time, group } = groupUnderTest();
    const joining = [join(instance(0)), join(instance(1))];
    time.pass(2 * DELAY_MS);
    const [one, two] = await Promise.all(joining.map(({ promise }) => promise));
    const waiting = sync(two?.memberId ?? '', 1, {}, instance(1));
    const back = join(instance(1));
    expect((await waiting.promise).errorCode).toBe(errors.FENCED_INSTANCE_ID);
    expect(group()?.state).toBe('PreparingRebalance');
    join({ ...instance(0), memberId: one?.memberId ?? '' });
    expect((await back.promise).generationId).toBe(2);
  });

  test('its place is kept for its session, and a rebalance goes on without it', async () => {
    const { stable, join, time, group } = groupUnderTest();
    const given = (index: number) => ({ ...instance(index), sessionTimeoutMs: 100_000 });
    const [leader = '', follower = ''] = await stable(2, given);
    const again = join({ ...given(0), memberId: leader, protocols: other });
    time.pass(60_000);
    expect((await again.promise).members.map(({ memberId }) => memberId)).toEqual([leader, follower]);
    time.pass(100_000);
    expect(group()?.members.has(follower)).toBe(false);
  });

  test('an administrator removes one by its name alone', async () => {
    const { stable, coordinator, group } = groupUnderTest();
    await stable(2, instance);
    const leave = (groupInstanceId: string, memberId = '') => coordinator.leave(GROUP, [{ memberId, groupInstanceId, reason: 'test' }]);
    expect(leave('pod-1')).toEqual([{ memberId: '', groupInstanceId: 'pod-1', errorCode: errors.NONE }]);
    expect(leave('pod-1')).toMatchObject([{ errorCode: errors.UNKNOWN_MEMBER_ID }]);
    expect(leave('pod-0', 'another')).toMatchObject([{ errorCode: errors.FENCED_INSTANCE_ID }]);
    expect(group()?.members.size).toBe(1);
  });
});

describe('what a group reads', () => {
  test('is what its members say, and unknown where one cannot be read', async () => {
    const { stable, group } = groupUnderTest();
    await stable(2, (index) => (index === 0 ? {} : { protocols: other }));
    expect(group()?.subscribed).toEqual(new Set(['berth.orders', 'berth.events']));
    const { stable: alsoStable, group: odd } = groupUnderTest();
    await alsoStable(1, () => ({ protocols: [{ name: 'range', metadata: Buffer.from([0, 0, 0x7f, 0xff, 0xff, 0xff]) }] }));
    expect([odd()?.subscribed, odd()?.isSubscribedTo('anything')]).toEqual([undefined, true]);
  });
});
