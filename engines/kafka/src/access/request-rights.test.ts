/**
 * The rights that each request needs, as in Apache Kafka's KafkaApis and AclApis: refused without them, and not refused with only them. A
 * supported request that is missing in the table fails the test.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { CLUSTER, operations, resourceTypes, type Operation, type ResourceType } from '../parts.ts';
import { apiTables, type Api, type Request } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import type { RawClient } from '../raw-client.fixture.ts';
import { temporaryDirectory, upsertion } from './access.fixture.ts';
import { SUPER, call, connect, localBroker, type LocalBroker } from './local-broker.fixture.ts';

const TOPIC = 'berth.orders';
const GROUP = 'berth.reader.group';
const READER = { name: 'berth.reader', password: 'a-long-random-password' };
const TOPIC_REFUSED = errors.TOPIC_AUTHORIZATION_FAILED;
const GROUP_REFUSED = errors.GROUP_AUTHORIZATION_FAILED;
const CLUSTER_REFUSED = errors.CLUSTER_AUTHORIZATION_FAILED;

type Right = readonly [Operation, ResourceType, string];
const onTopic = (operation: Operation): Right => [operation, resourceTypes.topic, TOPIC];
const onGroup = (operation: Operation): Right => [operation, resourceTypes.group, GROUP];
const onCluster = (operation: Operation): Right => [operation, resourceTypes.cluster, CLUSTER];
const { read, write, create, alter, describe: see, describeConfigs, alterConfigs, delete: remove } = operations;

interface Line {
  readonly api: Api;
  readonly version: number;
  readonly request: object;
  /** All of these rights are needed. */
  readonly rights: readonly Right[];
  readonly refusal: number;
}
const line = <A extends Api>(api: A, version: number, rights: readonly Right[], refusal: number, request: Partial<Request<A>>): Line => ({
  api,
  version,
  request,
  rights,
  refusal,
});

const partitions = [{ partitionIndex: 0 }];
const acl = { resourceType: 2, resourceName: 'x', resourcePatternType: 3, principal: 'User:x', host: '*', operation: 3, permissionType: 3 };
const filter = {
  resourceTypeFilter: 1,
  resourceNameFilter: 'x',
  patternTypeFilter: 1,
  principalFilter: null,
  hostFilter: null,
  operation: 1,
  permissionType: 1,
};
const member = { groupId: GROUP, generationId: 1, memberId: 'x', groupInstanceId: null };
const commit = { partitionIndex: 0, committedOffset: 1, committedLeaderEpoch: -1, commitTimestamp: -1, committedMetadata: '' };
const NO_ID = 'AAAAAAAAAAAAAAAAAAAAAA';
const fetched = {
  partition: 0,
  fetchOffset: 0,
  partitionMaxBytes: 1000,
  currentLeaderEpoch: -1,
  lastFetchedEpoch: -1,
  logStartOffset: -1,
  replicaDirectoryId: NO_ID,
};
const newTopic = { name: TOPIC, numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] };
const topicResource = { resourceType: 2, resourceName: TOPIC };

const table: readonly Line[] = [
  line('FindCoordinator', 4, [onGroup(see)], GROUP_REFUSED, { keyType: 0, coordinatorKeys: [GROUP] }),
  line('JoinGroup', 9, [onGroup(read)], GROUP_REFUSED, {
    groupId: GROUP,
    sessionTimeoutMs: 1,
    memberId: '',
    protocolType: 'consumer',
    protocols: [],
  }),
  line('SyncGroup', 5, [onGroup(read)], GROUP_REFUSED, { ...member, protocolType: 'consumer', protocolName: 'range', assignments: [] }),
  line('Heartbeat', 4, [onGroup(read)], GROUP_REFUSED, member),
  line('LeaveGroup', 5, [onGroup(read)], GROUP_REFUSED, {
    groupId: GROUP,
    members: [{ memberId: 'x', groupInstanceId: null, reason: null }],
  }),
  line('DescribeGroups', 5, [onGroup(see)], GROUP_REFUSED, { groups: [GROUP] }),
  line('DeleteGroups', 2, [onGroup(remove)], GROUP_REFUSED, { groupsNames: [GROUP] }),
  line('OffsetCommit', 9, [onGroup(read), onTopic(read)], GROUP_REFUSED, {
    groupId: GROUP,
    generationIdOrMemberEpoch: -1,
    topics: [{ name: TOPIC, partitions: [commit] }],
  }),
  line('OffsetFetch', 9, [onGroup(see), onTopic(see)], GROUP_REFUSED, {
    groups: [{ groupId: GROUP, memberId: null, memberEpoch: -1, topics: [{ name: TOPIC, partitionIndexes: [0] }] }],
  }),
  line('OffsetDelete', 0, [onGroup(remove), onTopic(read)], GROUP_REFUSED, { groupId: GROUP, topics: [{ name: TOPIC, partitions }] }),
  line('DescribeAcls', 3, [onCluster(see)], CLUSTER_REFUSED, filter),
  line('CreateAcls', 3, [onCluster(alter)], CLUSTER_REFUSED, { creations: [acl] }),
  line('DeleteAcls', 3, [onCluster(alter)], CLUSTER_REFUSED, { filters: [filter] }),
  line('DescribeUserScramCredentials', 0, [onCluster(see)], CLUSTER_REFUSED, { users: [{ name: 'x' }] }),
  line('AlterUserScramCredentials', 0, [onCluster(alter)], CLUSTER_REFUSED, { deletions: [{ name: 'x', mechanism: 2 }], upsertions: [] }),
  line('Produce', 9, [onTopic(write)], TOPIC_REFUSED, {
    acks: 1,
    timeoutMs: 1000,
    topicData: [{ name: TOPIC, partitionData: [{ index: 0, records: Buffer.alloc(0) }] }],
  }),
  line('InitProducerId', 4, [onTopic(write)], CLUSTER_REFUSED, { transactionalId: null, transactionTimeoutMs: 1000 }),
  line('InitProducerId', 4, [onCluster(operations.idempotentWrite)], CLUSTER_REFUSED, {
    transactionalId: null,
    transactionTimeoutMs: 1000,
  }),
  line('Fetch', 12, [onTopic(read)], TOPIC_REFUSED, {
    maxWaitMs: 0,
    minBytes: 0,
    maxBytes: 1000,
    sessionEpoch: -1,
    topics: [{ topic: TOPIC, topicId: NO_ID, partitions: [fetched] }],
  }),
  line('ListOffsets', 7, [onTopic(see)], TOPIC_REFUSED, {
    replicaId: -1,
    topics: [{ name: TOPIC, partitions: [{ partitionIndex: 0, timestamp: -1, currentLeaderEpoch: -1, maxNumOffsets: 1 }] }],
  }),
  line('OffsetForLeaderEpoch', 4, [onTopic(see)], TOPIC_REFUSED, {
    replicaId: -1,
    topics: [{ topic: TOPIC, partitions: [{ partition: 0, currentLeaderEpoch: -1, leaderEpoch: 0 }] }],
  }),
  line('DeleteRecords', 2, [onTopic(remove)], TOPIC_REFUSED, {
    topics: [{ name: TOPIC, partitions: [{ partitionIndex: 0, offset: 0 }] }],
    timeoutMs: 1000,
  }),
  line('Metadata', 12, [onTopic(see)], TOPIC_REFUSED, { topics: [{ topicId: NO_ID, name: TOPIC }] }),
  line('CreateTopics', 7, [onTopic(create)], TOPIC_REFUSED, { topics: [newTopic], timeoutMs: 1000, validateOnly: true }),
  line('CreateTopics', 7, [onCluster(create)], TOPIC_REFUSED, { topics: [newTopic], timeoutMs: 1000, validateOnly: true }),
  line('CreatePartitions', 3, [onTopic(alter)], TOPIC_REFUSED, {
    topics: [{ name: TOPIC, count: 1, assignments: null }],
    timeoutMs: 1000,
    validateOnly: true,
  }),
  line('DescribeConfigs', 4, [onTopic(describeConfigs)], TOPIC_REFUSED, { resources: [{ ...topicResource, configurationKeys: null }] }),
  line('AlterConfigs', 2, [onTopic(alterConfigs)], TOPIC_REFUSED, { resources: [{ ...topicResource, configs: [] }], validateOnly: true }),
  line('IncrementalAlterConfigs', 1, [onTopic(alterConfigs)], TOPIC_REFUSED, {
    resources: [{ ...topicResource, configs: [] }],
    validateOnly: true,
  }),
  line('DescribeLogDirs', 4, [onCluster(see)], CLUSTER_REFUSED, { topics: null }),
  line('DeleteTopics', 6, [onTopic(remove)], TOPIC_REFUSED, { topics: [{ name: TOPIC, topicId: NO_ID }], timeoutMs: 1000 }),
];
/** Requests that all signed-in users may send. Their answers only contain what the caller may see. */
const filtered: readonly Api[] = ['ApiVersions', 'SaslHandshake', 'SaslAuthenticate', 'ListGroups', 'DescribeCluster'];

/** Collects every error code in an answer. */
const codesIn = (answer: unknown): number[] => {
  if (Array.isArray(answer)) return answer.flatMap(codesIn);
  if (typeof answer !== 'object' || answer === null || Buffer.isBuffer(answer)) return [];
  return Object.entries(answer).flatMap(([name, value]) => (name === 'errorCode' && typeof value === 'number' ? [value] : codesIn(value)));
};
const refusals: readonly number[] = [TOPIC_REFUSED, GROUP_REFUSED, CLUSTER_REFUSED, errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED];

let home: Awaited<ReturnType<typeof temporaryDirectory>>;
let local: LocalBroker;
let admin: RawClient;
let reader: RawClient;
beforeAll(async () => {
  home = await temporaryDirectory();
  local = await localBroker(home.directory);
  admin = await connect(local.port, SUPER);
  await call(admin, 'AlterUserScramCredentials', 0, { deletions: [], upsertions: [upsertion(READER.name, READER.password)] });
  reader = await connect(local.port, READER);
});
afterAll(async () => {
  for (const client of [admin, reader]) client.close();
  await local.broker.close();
  await home.remove();
});

const creationOf = ([operation, resourceType, resourceName]: Right) => ({
  ...acl,
  resourceType,
  resourceName,
  operation,
  principal: `User:${READER.name}`,
});
const grant = (rights: readonly Right[]) => call(admin, 'CreateAcls', 3, { creations: rights.map(creationOf) });
const revoke = () =>
  call(admin, 'DeleteAcls', 3, { filters: [{ ...filter, resourceNameFilter: null, principalFilter: `User:${READER.name}` }] });
const refused = async ({ api, version, request }: Line): Promise<number[]> =>
  codesIn(await call(reader, api, version, request)).filter((code) => refusals.includes(code));

test('every request that is offered is in the table', async () => {
  const { apiKeys } = await call(admin, 'ApiVersions', 3, { clientSoftwareName: 'test', clientSoftwareVersion: '1' });
  const keys = new Set<number>([...table.map(({ api }) => api), ...filtered].map((api) => apiTables[api].key));
  expect(apiKeys.filter(({ apiKey }) => !keys.has(apiKey))).toEqual([]);
});

test.each(table.map((one) => [one.api, one] as const))(
  '%s is refused without its right, whether the topic exists or not, and not with it',
  async (_, one) => {
    const without = await refused(one);
    expect(without.length).toBeGreaterThan(0);
    expect(new Set(without)).toEqual(new Set([one.refusal]));
    await call(admin, 'CreateTopics', 7, { topics: [newTopic], timeoutMs: 1000, validateOnly: false });
    expect(await refused(one)).toEqual(without);
    for (const missing of one.rights) {
      await grant(one.rights.filter((right) => right !== missing));
      expect(await refused(one)).not.toEqual([]);
      await revoke();
    }
    await grant(one.rights);
    expect(await refused(one)).toEqual([]);
    await revoke();
    await call(admin, 'DeleteTopics', 6, { topics: [{ name: TOPIC, topicId: NO_ID }], timeoutMs: 1000 });
  },
);

test('lists hold what the caller may see', async () => {
  await call(admin, 'CreateTopics', 7, { topics: [newTopic, { ...newTopic, name: 'other.orders' }], timeoutMs: 1000, validateOnly: false });
  const names = async () => (await call(reader, 'Metadata', 12, { topics: null })).topics.map(({ name }) => name);
  expect(await names()).toEqual([]);
  await grant([onTopic(see)]);
  expect(await names()).toEqual([TOPIC]);
  await revoke();
});
