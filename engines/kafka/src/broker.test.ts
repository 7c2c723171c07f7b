// @long: tries an engine by itself, which the tests of modules use, too
// The broker as a process: each request of its protocol, and what closes a connection. Tests with real clients are in clients.test.ts.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '@slipway/foundation/testing/patience.ts';
import { ADMIN, brokerDirectory, removeBroker, runBroker, type TestBroker } from './broker.fixture.ts';
import { batchOf } from './log/batch.fixture.ts';
import { limits } from './network/limits.ts';
import { apiTables } from './protocol/apis.ts';
import { errors } from './protocol/errors.ts';
import { apis } from './protocol/sample.fixture.ts';
import { RawClient } from './raw-client.fixture.ts';

let broker: TestBroker;
let admin: RawClient;
beforeAll(async () => {
  const at = { port: 0, advertisedHost: '127.0.0.1' };
  broker = await runBroker(await brokerDirectory(), { environments: ['development', 'production'].map((name) => ({ ...at, name })) });
  admin = await RawClient.signedIn(broker.port, ADMIN.name, ADMIN.password);
}, PATIENCE_MS);
afterAll(async () => {
  admin.close();
  await removeBroker(broker);
});

const asked = (name: string, more: object = {}) => ({
  name,
  numPartitions: 2,
  replicationFactor: 1,
  assignments: [],
  configs: [],
  ...more,
});
const create = async (name: string, more: object = {}, validateOnly = false) => {
  const answer = await admin.call('CreateTopics', 7, { topics: [asked(name, more)], timeoutMs: 1000, validateOnly });
  return answer?.topics[0];
};
const produce = async (name: string, records: Buffer | null, index = 0, acks = -1) => {
  const answer = await admin.call('Produce', 9, {
    acks,
    timeoutMs: 1000,
    transactionalId: null,
    topicData: [{ name, partitionData: [{ index, records }] }],
  });
  return answer?.responses[0]?.partitionResponses[0];
};
const fetchRequest = (topicId: string, fetchOffset: number, more: object = {}) => ({
  maxWaitMs: 0,
  minBytes: 1,
  maxBytes: 1 << 20,
  sessionEpoch: -1,
  topics: [
    {
      topic: '',
      topicId,
      partitions: [
        {
          partition: 0,
          currentLeaderEpoch: -1,
          fetchOffset,
          lastFetchedEpoch: -1,
          logStartOffset: -1,
          partitionMaxBytes: 1 << 20,
          replicaDirectoryId: topicId,
        },
      ],
    },
  ],
  ...more,
});
const message = () => batchOf([{ key: 'k', value: 'v', timestamp: Date.now() }]);

describe('topics', () => {
  test('one is made, listed, made larger and deleted', async () => {
    const made = await create('a.one', { replicationFactor: 3, configs: [{ name: 'retention.ms', value: '60000' }] });
    expect(made).toMatchObject({ errorCode: 0, numPartitions: 2, replicationFactor: 1 });
    expect(made?.configs?.find(({ name }) => name === 'retention.ms')).toMatchObject({ value: '60000', configSource: 1 });
    const listed = await admin.call('Metadata', 12, {
      topics: [{ topicId: made?.topicId ?? '', name: null }],
      includeTopicAuthorizedOperations: true,
    });
    expect(listed?.topics[0]).toMatchObject({ name: 'a.one', errorCode: 0, topicAuthorizedOperations: 0b1101_1111_1000 });
    expect(listed?.topics[0]?.partitions).toHaveLength(2);
    const grow = (count: number) =>
      admin.call('CreatePartitions', 3, { topics: [{ name: 'a.one', count, assignments: null }], timeoutMs: 1000 });
    expect((await grow(2))?.results[0]?.errorCode).toBe(errors.INVALID_PARTITIONS);
    expect((await grow(5))?.results[0]?.errorCode).toBe(0);
    const larger = await admin.call('Metadata', 9, { topics: [{ topicId: '', name: 'a.one' }] });
    expect(larger?.topics[0]?.partitions).toHaveLength(5);
    const deleted = await admin.call('DeleteTopics', 6, { topics: [{ name: null, topicId: made?.topicId ?? '' }], timeoutMs: 1000 });
    expect(deleted?.responses[0]).toMatchObject({ name: 'a.one', errorCode: 0 });
    const gone = await admin.call('Metadata', 9, { topics: [{ topicId: '', name: 'a.one' }] });
    expect(gone?.topics[0]?.errorCode).toBe(errors.UNKNOWN_TOPIC_OR_PARTITION);
  });

  test.each([
    ['a/b', {}, errors.INVALID_TOPIC_EXCEPTION],
    ['..', {}, errors.INVALID_TOPIC_EXCEPTION],
    ['x'.repeat(250), {}, errors.INVALID_TOPIC_EXCEPTION],
    ['b.one', { replicationFactor: 0 }, errors.INVALID_REPLICATION_FACTOR],
    ['b.one', { replicationFactor: 4 }, errors.INVALID_REPLICATION_FACTOR],
    ['b.one', { numPartitions: 0 }, errors.INVALID_PARTITIONS],
    ['b.one', { numPartitions: 100_000 }, errors.INVALID_PARTITIONS],
    ['b.one', { configs: [{ name: 'no.such', value: '1' }] }, errors.INVALID_CONFIG],
    ['b.one', { configs: [{ name: 'constructor', value: '1' }] }, errors.INVALID_CONFIG],
    ['b.one', { configs: [{ name: 'segment.bytes', value: '1000' }] }, errors.INVALID_CONFIG],
    ['b.one', { configs: [{ name: 'cleanup.policy', value: 'keep' }] }, errors.INVALID_CONFIG],
    [
      'b.one',
      { assignments: [{ partitionIndex: 0, brokerIds: [2] }], numPartitions: -1, replicationFactor: -1 },
      errors.INVALID_REPLICA_ASSIGNMENT,
    ],
  ])('%s with %j is refused with %i', async (name, more, errorCode) => {
    expect(await create(name, more)).toMatchObject({ errorCode });
  });

  test('a name is there once, dots and underscores aside, and a look changes nothing', async () => {
    expect(await create('c.one', {}, true)).toMatchObject({ errorCode: 0 });
    expect(await create('c.one')).toMatchObject({ errorCode: 0 });
    expect(await create('c.one')).toMatchObject({ errorCode: errors.TOPIC_ALREADY_EXISTS });
    expect(await create('c_one')).toMatchObject({ errorCode: errors.INVALID_TOPIC_EXCEPTION });
  });

  test('configs change one at a time, or all at once', async () => {
    await create('d.one', { configs: [{ name: 'retention.ms', value: '60000' }] });
    const valueOf = async (name: string) => {
      const answer = await admin.call('DescribeConfigs', 4, {
        resources: [{ resourceType: 2, resourceName: 'd.one', configurationKeys: [name] }],
      });
      return answer?.results[0]?.configs[0]?.value;
    };
    const alter = async (configOperation: number, name: string, value: string | null) => {
      const resources = [{ resourceType: 2, resourceName: 'd.one', configs: [{ name, configOperation, value }] }];
      return (await admin.call('IncrementalAlterConfigs', 1, { resources, validateOnly: false }))?.responses[0]?.errorCode;
    };
    expect(await alter(0, 'segment.bytes', '2000000')).toBe(0);
    expect(await alter(2, 'cleanup.policy', 'compact')).toBe(0);
    expect(await alter(0, 'retention.ms', 'soon')).toBe(errors.INVALID_CONFIG);
    expect([await valueOf('retention.ms'), await valueOf('segment.bytes'), await valueOf('cleanup.policy')]).toEqual([
      '60000',
      '2000000',
      'delete,compact',
    ]);
    expect(await alter(3, 'cleanup.policy', 'delete')).toBe(0);
    expect(await alter(1, 'retention.ms', null)).toBe(0);
    expect([await valueOf('retention.ms'), await valueOf('cleanup.policy')]).toEqual(['604800000', 'compact']);
    const resources = [{ resourceType: 2, resourceName: 'd.one', configs: [{ name: 'retention.ms', value: '5' }] }];
    expect((await admin.call('AlterConfigs', 2, { resources, validateOnly: false }))?.responses[0]?.errorCode).toBe(0);
    expect([await valueOf('retention.ms'), await valueOf('cleanup.policy')]).toEqual(['5', 'delete']);
  });
});

test('environments know nothing of each other', async () => {
  await create('z.one');
  const other = await RawClient.signedIn(broker.ports[1] ?? 0, ADMIN.name, ADMIN.password);
  expect((await other.call('Metadata', 9, { topics: null }))?.topics).toEqual([]);
  other.close();
});

describe('messages', () => {
  test('each refusal has its own code', async () => {
    await create('e.one', { configs: [{ name: 'max.message.bytes', value: '1000' }] });
    expect(await produce('e.one', message())).toMatchObject({ errorCode: 0, baseOffset: 0 });
    expect(await produce('e.one', message(), 7)).toMatchObject({ errorCode: errors.UNKNOWN_TOPIC_OR_PARTITION });
    expect(await produce('no.such', message())).toMatchObject({ errorCode: errors.UNKNOWN_TOPIC_OR_PARTITION });
    expect(await produce('e.one', message(), 0, 5)).toMatchObject({ errorCode: errors.INVALID_REQUIRED_ACKS });
    expect(await produce('e.one', batchOf([{ value: 'x'.repeat(2000), timestamp: Date.now() }]))).toMatchObject({
      errorCode: errors.MESSAGE_TOO_LARGE,
    });
    expect(await produce('e.one', message().subarray(0, -2))).toMatchObject({ errorCode: errors.CORRUPT_MESSAGE });
    const transactional = await admin.call('InitProducerId', 4, { transactionalId: 't', transactionTimeoutMs: 1000 });
    expect(transactional).toMatchObject({ errorCode: errors.UNSUPPORTED_VERSION, producerId: -1 });
  });

  test('a fetch waits until something is written, and no longer than it wants', async () => {
    const topicId = (await create('f.one'))?.topicId ?? '';
    const reader = await RawClient.signedIn(broker.port, ADMIN.name, ADMIN.password);
    const waiting = reader.call('Fetch', 16, fetchRequest(topicId, 0, { maxWaitMs: PATIENCE_MS }));
    expect(await produce('f.one', message())).toMatchObject({ errorCode: 0 });
    const answer = await waiting;
    expect(answer?.responses[0]?.partitions[0]).toMatchObject({ errorCode: 0, highWatermark: 1, logStartOffset: 0 });
    expect(answer?.responses[0]?.partitions[0]?.records).not.toHaveLength(0);
    const empty = await reader.call('Fetch', 16, fetchRequest(topicId, 1, { maxWaitMs: 20 }));
    expect(empty?.responses[0]?.partitions[0]).toMatchObject({ errorCode: 0, highWatermark: 1 });
    const beyond = await reader.call('Fetch', 16, fetchRequest(topicId, 2, { maxWaitMs: PATIENCE_MS }));
    expect(beyond?.responses[0]?.partitions[0]?.errorCode).toBe(errors.OFFSET_OUT_OF_RANGE);
    // Deleting the topic also ends the wait.
    const last = reader.call('Fetch', 16, fetchRequest(topicId, 1, { maxWaitMs: PATIENCE_MS }));
    await admin.call('DeleteTopics', 6, { topics: [{ name: 'f.one', topicId }], timeoutMs: 1000 });
    expect((await last)?.responses[0]?.partitions[0]?.errorCode).toBe(errors.UNKNOWN_TOPIC_ID);
    reader.close();
  });

  test('who wants no answer gets none, and the next answer is the right one', async () => {
    await create('g.one');
    const topicData = [{ name: 'g.one', partitionData: [{ index: 0, records: message() }] }];
    admin.send('Produce', 9, { acks: 0, timeoutMs: 1000, transactionalId: null, topicData });
    const ends = await admin.call('ListOffsets', 8, {
      topics: [{ name: 'g.one', partitions: [{ partitionIndex: 0, currentLeaderEpoch: -1, timestamp: -1, maxNumOffsets: 1 }] }],
    });
    expect(ends?.topics[0]?.partitions[0]).toMatchObject({ errorCode: 0, offset: 1 });
  });

  test('records are deleted up to an offset; sizes are answered', async () => {
    await create('h.one');
    for (let count = 0; count < 5; count += 1) await produce('h.one', message());
    const remove = (offset: number) =>
      admin.call('DeleteRecords', 2, { topics: [{ name: 'h.one', partitions: [{ partitionIndex: 0, offset }] }], timeoutMs: 1000 });
    expect((await remove(9))?.topics[0]?.partitions[0]?.errorCode).toBe(errors.OFFSET_OUT_OF_RANGE);
    expect((await remove(3))?.topics[0]?.partitions[0]).toMatchObject({ errorCode: 0, lowWatermark: 3 });
    const dirs = await admin.call('DescribeLogDirs', 4, { topics: [{ topic: 'h.one', partitions: [0, 1] }] });
    expect(dirs?.results[0]?.topics[0]?.partitions.map(({ partitionSize }) => partitionSize)).toEqual([message().length * 5, 0]);
    expect((await remove(-1))?.topics[0]?.partitions[0]).toMatchObject({ errorCode: 0, lowWatermark: 5 });
  });
});

describe('connections', () => {
  test('nothing is answered before the sign-in', async () => {
    const client = new RawClient(broker.port);
    expect(await client.call('ApiVersions', 3, { clientSoftwareName: 'x', clientSoftwareVersion: '1' })).toMatchObject({ errorCode: 0 });
    expect(await client.call('Metadata', 9, { topics: null })).toBeUndefined();
    await client.closed;
    const stranger = new RawClient(broker.port);
    expect(await stranger.signIn(ADMIN.name, 'not the password')).toBe(errors.SASL_AUTHENTICATION_FAILED);
    await stranger.closed;
    const plain = new RawClient(broker.port);
    const answer = await plain.call('SaslHandshake', 1, { mechanism: 'PLAIN' });
    expect(answer).toMatchObject({ errorCode: errors.UNSUPPORTED_SASL_MECHANISM, mechanisms: ['SCRAM-SHA-256', 'SCRAM-SHA-512'] });
    await plain.closed;
  });

  test('a client from the future learns what there is', async () => {
    const client = new RawClient(broker.port);
    client.send('ApiVersions', 9, {});
    const frame = await client.answer();
    expect(frame?.readInt16BE(4)).toBe(errors.UNSUPPORTED_VERSION);
    expect(frame?.readInt32BE(6)).toBeGreaterThan(30);
    client.close();
  });

  test.each([
    ['a frame that is too long', Buffer.from([0x7f, 0xff, 0xff, 0xff])],
    ['a negative length', Buffer.from([0xff, 0xff, 0xff, 0xff])],
    ['no such API', Buffer.from([0, 0, 0, 10, 0x03, 0xe7, 0, 0, 0, 0, 0, 1, 0xff, 0xff])],
    ['a version that is not offered', Buffer.from([0, 0, 0, 10, 0, 3, 0, 99, 0, 0, 0, 1, 0xff, 0xff])],
    ['an empty frame', Buffer.from([0, 0, 0, 0])],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
  ])('%s ends the connection, not the broker', async (_, bytes) => {
    for (const client of [new RawClient(broker.port), await RawClient.signedIn(broker.port, ADMIN.name, ADMIN.password)]) {
      client.socket.write(bytes);
      await client.closed;
    }
    expect(broker.child.exitCode).toBeNull();
    await expect.poll(broker.logged).toContain('a connection is closed');
  });

  test('strange values and random bytes are answered or end the connection', async () => {
    let client = await RawClient.signedIn(broker.port, ADMIN.name, ADMIN.password);
    const offered = await client.call('ApiVersions', 3, { clientSoftwareName: 'x', clientSoftwareVersion: '1' });
    const skipped = new Set(['ApiVersions', 'SaslHandshake', 'SaslAuthenticate']);
    for (const api of apis.filter((name) => !skipped.has(name))) {
      const { minVersion = 0, maxVersion = -1 } = offered?.apiKeys.find(({ apiKey }) => apiKey === apiTables[api].key) ?? {};
      for (let version = minVersion; version <= maxVersion; version += 1) {
        client.sendSample(api, version);
        if ((await client.answer()) === undefined) client = await RawClient.signedIn(broker.port, ADMIN.name, ADMIN.password);
        client.sendBytes(api, version, randomBytes(100));
        if ((await client.answer()) === undefined) client = await RawClient.signedIn(broker.port, ADMIN.name, ADMIN.password);
      }
    }
    client.close();
    expect(broker.child.exitCode).toBeNull();
    expect(
      broker
        .logged()
        .split('\n')
        .filter((line) => line.includes('"level":"error"')),
    ).toEqual([]);
  });

  test('requests are answered in their order, however many are sent at once', async () => {
    await create('i.one');
    const answers = Array.from({ length: 200 }, () => produce('i.one', message()));
    expect((await Promise.all(answers)).map((answer) => answer?.baseOffset)).toEqual(answers.map((_, index) => index));
  });

  test('those who do not sign in leave room for others', async () => {
    const strangers = Array.from({ length: limits.unauthenticatedOfAddress + 1 }, () => new RawClient(broker.port));
    await Promise.race(strangers.map(({ closed }) => closed));
    await expect.poll(broker.logged).toContain('a connection is refused');
    for (const stranger of strangers) stranger.close();
    await Promise.all(strangers.map(({ closed }) => closed));
  });

  test('no secret is in the log', () => {
    expect(broker.logged()).not.toContain(ADMIN.password);
  });
});

describe('the program', () => {
  test('a directory has one broker', async () => {
    await expect(runBroker(broker.directory)).rejects.toThrow('another broker works in this directory');
  });

  test('it ends with its lifeline, and finds everything again', async () => {
    const directory = await brokerDirectory();
    const first = await runBroker(directory, { flushMs: 2 });
    const client = await RawClient.signedIn(first.port, ADMIN.name, ADMIN.password);
    await client.call('CreateTopics', 7, { topics: [asked('a.kept')], timeoutMs: 1000 });
    const topics = [{ name: 'a.kept', partitionData: [{ index: 1, records: message() }] }];
    await client.call('Produce', 9, { acks: -1, timeoutMs: 1000, transactionalId: null, topicData: topics });
    expect(await first.end()).toBe(0);
    await client.closed;
    // The disk has less free space than the floor requires.
    const second = await runBroker(directory, { floorBytes: Number.MAX_SAFE_INTEGER });
    const again = await RawClient.signedIn(second.port, ADMIN.name, ADMIN.password);
    const answer = await again.call('Produce', 9, { acks: -1, timeoutMs: 1000, transactionalId: null, topicData: topics });
    expect(answer?.responses[0]?.partitionResponses[0]).toMatchObject({ errorCode: errors.KAFKA_STORAGE_ERROR });
    const at = { partitionIndex: 1, currentLeaderEpoch: -1, timestamp: -1, maxNumOffsets: 1 };
    const ends = await again.call('ListOffsets', 8, { topics: [{ name: 'a.kept', partitions: [at] }] });
    expect(ends?.topics[0]?.partitions[0]).toMatchObject({ errorCode: 0, offset: 1 });
    const deleted = await again.call('DeleteTopics', 5, { topicNames: ['a.kept'], timeoutMs: 1000 });
    expect(deleted?.responses[0]).toMatchObject({ errorCode: 0 });
    await removeBroker(second);
  });
});
