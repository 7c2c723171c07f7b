/** Malformed input: the broker answers or closes the connection, logs no error, and serves the next client. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { openGroups, someTopics } from '../groups/offsets.fixture.ts';
import { apiTables, type Api } from '../protocol/apis.ts';
import { readRequest, writeRequest, writeResponse } from '../protocol/codec.ts';
import { MalformedRequest, Reader } from '../protocol/reader.ts';
import { Writer } from '../protocol/writer.ts';
import { RawClient } from '../raw-client.fixture.ts';
import { ADMIN, callerNamed, openAccess, directoryForTest, temporaryDirectory } from './access.fixture.ts';
import { SUPER, call, connect, localBroker, type LocalBroker } from './local-broker.fixture.ts';

let home: Awaited<ReturnType<typeof temporaryDirectory>>;
let local: LocalBroker;
beforeAll(async () => {
  home = await temporaryDirectory();
  local = await localBroker(home.directory);
});
afterAll(async () => {
  await local.broker.close();
  await home.remove();
});

/** A seeded random generator, so that failures are reproducible. */
const numbers = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

/** Requests to these APIs, with default values. */
const apis: readonly (readonly [Api, number])[] = [
  ['FindCoordinator', 4],
  ['JoinGroup', 9],
  ['JoinGroup', 1],
  ['SyncGroup', 5],
  ['Heartbeat', 4],
  ['LeaveGroup', 5],
  ['LeaveGroup', 1],
  ['DescribeGroups', 5],
  ['ListGroups', 5],
  ['DeleteGroups', 2],
  ['OffsetCommit', 9],
  ['OffsetCommit', 2],
  ['OffsetFetch', 9],
  ['OffsetFetch', 1],
  ['OffsetDelete', 0],
  ['DescribeAcls', 3],
  ['CreateAcls', 3],
  ['DeleteAcls', 1],
  ['DescribeUserScramCredentials', 0],
  ['AlterUserScramCredentials', 0],
];

/** Fields of plausible requests, as the base for byte changes. */
const sample: object = {
  groupId: 'berth.group',
  groups: [],
  groupsNames: ['berth.group'],
  coordinatorKeys: ['berth.group'],
  memberId: 'c-1',
  generationId: 1,
  sessionTimeoutMs: 10_000,
  rebalanceTimeoutMs: 10_000,
  protocolType: 'consumer',
  protocolName: 'range',
  protocols: [{ name: 'range', metadata: Buffer.from([0, 0, 0, 0, 0, 1, 0, 1, 97]) }],
  assignments: [{ memberId: 'c-1', assignment: Buffer.alloc(4) }],
  members: [{ memberId: 'c-1', groupInstanceId: null, reason: null }],
  topics: [{ name: 'berth.orders', partitions: [{ partitionIndex: 0, committedOffset: 1 }], partitionIndexes: [0] }],
  creations: [
    { resourceType: 2, resourceName: 'x', resourcePatternType: 3, principal: 'User:x', host: '*', operation: 3, permissionType: 3 },
  ],
  filters: [{ resourceTypeFilter: 1, patternTypeFilter: 1, operation: 1, permissionType: 1 }],
  upsertions: [{ name: 'x', mechanism: 2, iterations: 4096, salt: Buffer.alloc(16), saltedPassword: Buffer.alloc(64) }],
  users: [{ name: 'x' }],
};

/** Returns the bytes with some changed, removed or added. */
const changed = (bytes: Buffer, random: () => number): Buffer => {
  const any = (below: number): number => Math.floor(random() * below);
  const copy = Buffer.from(bytes);
  for (let count = any(4); count > 0 && copy.length > 0; count -= 1) copy.writeUInt8(random() < 0.5 ? any(256) : any(4), any(copy.length));
  if (random() < 0.3) return copy.subarray(0, any(copy.length + 1));
  return random() < 0.3 ? Buffer.concat([copy, Buffer.from(Array.from({ length: any(30) }, () => any(256)))]) : copy;
};

test.each(apis)('%s of version %i, cut off and changed', async (api, version) => {
  const own = await directoryForTest();
  const access = await openAccess(own.directory);
  const groups = await openGroups(own.directory, someTopics({ 'berth.orders': 3 }).directory);
  const handler = [...access.handlers, ...groups.handlers].find((one) => one.api === api);
  const caller = callerNamed(ADMIN.name, { version });
  const random = numbers(api.length * 100 + version);
  const writer = new Writer();
  writeRequest(writer, api, version, sample);
  const whole = Buffer.concat(writer.finish());
  const answers: Promise<unknown>[] = [];
  let malformed = 0;
  for (let round = 0; round < 400; round += 1) {
    try {
      const request = readRequest(api, version, new Reader(changed(whole, random)));
      const answer = Promise.resolve(handler?.handle(request, caller)).then((body) => writeResponse(new Writer(), api, version, body));
      answers.push(answer);
    } catch (error) {
      if (!(error instanceof MalformedRequest)) throw error;
      malformed += 1;
    }
  }
  // Closing answers the requests that wait for other members.
  await Promise.all([groups.close(), access.close()]);
  await Promise.all(answers);
  expect([malformed > 0, answers.length > 0]).toEqual([true, true]);
});

test('a frame that is cut off, over a connection, ends this connection alone', async () => {
  const other = await connect(local.port, SUPER);
  for (const [api, version] of apis) {
    const client = await connect(local.port, SUPER);
    const head = Buffer.alloc(9);
    head.writeInt16BE(apiTables[api].key, 0);
    head.writeInt16BE(version, 2);
    client.frame(head);
    await client.closed;
  }
  expect(await call(other, 'ListGroups', 4, { statesFilter: [] })).toMatchObject({ errorCode: 0 });
  other.close();
  expect(local.failures).toEqual([]);
});

test('messages of a sign-in that are none', async () => {
  const random = numbers(7);
  for (let round = 0; round < 30; round += 1) {
    const client = new RawClient(local.port);
    await call(client, 'SaslHandshake', 1, { mechanism: round % 2 === 0 ? 'SCRAM-SHA-256' : 'SCRAM-SHA-512' });
    const noise = Buffer.from(Array.from({ length: Math.floor(random() * 60) }, () => Math.floor(random() * 256)));
    const authBytes = round % 3 === 0 ? noise : Buffer.concat([Buffer.from('n,,n=platform,r='), noise]);
    const first = await call(client, 'SaslAuthenticate', 2, { authBytes });
    if (first.errorCode === 0) {
      const second = await call(client, 'SaslAuthenticate', 2, { authBytes: noise });
      expect(second).toMatchObject({ errorCode: 58 });
    }
    await client.closed;
  }
  expect(local.failures).toEqual([]);
});

test('nothing but a sign-in is answered before it', async () => {
  for (const [api, version] of apis) {
    const client = new RawClient(local.port);
    await expect(call(client, api, version, {})).rejects.toThrow('closed');
  }
});
