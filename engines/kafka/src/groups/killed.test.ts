/** Kills the broker while groups commit and users and rules are created: acknowledged changes survive, and nothing is half-written. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { upsertion } from '../access/access.fixture.ts';
import { call, connect } from '../access/local-broker.fixture.ts';
import { ADMIN, brokerDirectory, removeBroker, runBroker, type TestBroker } from '../broker.fixture.ts';

const TOPIC = 'berth.orders';

let broker: TestBroker;
beforeAll(async () => {
  broker = await runBroker(await brokerDirectory());
  const admin = await connect(broker.port, ADMIN);
  const topics = [{ name: TOPIC, numPartitions: 2, replicationFactor: 1, assignments: [], configs: [] }];
  await call(admin, 'CreateTopics', 7, { topics, timeoutMs: 1000, validateOnly: false });
  admin.close();
});
afterAll(() => removeBroker(broker));

/** Repeats an operation until the broker is gone. Returns how many were acknowledged. */
const untilGone = async (act: (count: number, client: Awaited<ReturnType<typeof connect>>) => Promise<unknown>): Promise<number> => {
  const client = await connect(broker.port, ADMIN);
  for (let count = 1; ; count += 1) {
    const isAnswered = await act(count, client).then(
      () => true,
      () => false,
    );
    if (!isAnswered) return count - 1;
  }
};
const commitBoth = (groupId: string, offset: number, client: Awaited<ReturnType<typeof connect>>) => {
  const partitions = [0, 1].map((partitionIndex) => ({
    partitionIndex,
    committedOffset: offset,
    committedLeaderEpoch: -1,
    commitTimestamp: -1,
    committedMetadata: '',
  }));
  return call(client, 'OffsetCommit', 9, { groupId, generationIdOrMemberEpoch: -1, topics: [{ name: TOPIC, partitions }] });
};
const userNamed = (round: number, count: number): string => `berth.u${round}.n${count}`;

test.each([1, 2])('kill -9, round %i', async (round) => {
  const group = `berth.g${round}`;
  const rule = (user: string) => ({
    resourceType: 2,
    resourceName: TOPIC,
    resourcePatternType: 3,
    principal: `User:${user}`,
    host: '*',
    operation: 3,
    permissionType: 3,
  });
  const secret = upsertion('', 'secret');
  const commits = untilGone((count, client) => commitBoth(group, count, client));
  const users = untilGone((count, client) =>
    call(client, 'AlterUserScramCredentials', 0, { deletions: [], upsertions: [{ ...secret, name: userNamed(round, count) }] }),
  );
  const rules = untilGone((count, client) => call(client, 'CreateAcls', 3, { creations: [rule(userNamed(round, count))] }));
  // Waits for progress, not for time, because the machine may be busy.
  const watch = await connect(broker.port, ADMIN);
  await expect
    .poll(() => call(watch, 'DescribeUserScramCredentials', 0, { users: [{ name: userNamed(round, 5) }] }), { interval: 5 })
    .toMatchObject({
      results: [{ errorCode: 0 }],
    });
  await broker.kill();
  const answered = { commits: await commits, users: await users, rules: await rules };
  expect(Math.min(...Object.values(answered))).toBeGreaterThan(0);
  broker = await runBroker(broker.directory);
  const admin = await connect(broker.port, ADMIN);
  const fetched = await call(admin, 'OffsetFetch', 8, { groups: [{ groupId: group, memberId: null, memberEpoch: -1, topics: null }] });
  const [first, second] = fetched.groups[0]?.topics[0]?.partitions ?? [];
  expect(first?.committedOffset).toBe(second?.committedOffset);
  expect(first?.committedOffset).toBeGreaterThanOrEqual(answered.commits);
  expect(first?.committedOffset).toBeLessThanOrEqual(answered.commits + 1);
  const described = await call(admin, 'DescribeUserScramCredentials', 0, { users: null });
  const known = new Set(described.results.map(({ user }) => user));
  const { resources } = await call(admin, 'DescribeAcls', 3, {
    resourceTypeFilter: 1,
    patternTypeFilter: 1,
    resourceNameFilter: null,
    principalFilter: null,
    hostFilter: null,
    operation: 1,
    permissionType: 1,
  });
  const ruled = new Set(resources.flatMap(({ acls }) => acls.map(({ principal }) => principal.slice('User:'.length))));
  const missing = (count: number, there: ReadonlySet<string>) =>
    Array.from({ length: count }, (_, index) => userNamed(round, index + 1)).filter((name) => !there.has(name));
  expect([missing(answered.users, known), missing(answered.rules, ruled)]).toEqual([[], []]);
  admin.close();
});
