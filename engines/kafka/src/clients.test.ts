// @long: tries an engine by itself, which the tests of modules use, too
// The clients that people use: KafkaJS, common in Node programs, and @platformatic/kafka, which the platform uses. Also kills the broker
// under load.
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { Admin, Consumer, Producer, stringDeserializers, stringSerializers } from '@platformatic/kafka';
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  CompressionTypes,
  Kafka,
  logLevel,
  ResourcePatternTypes,
  type Admin as KafkaJsAdmin,
} from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE_MS, roundsOf } from '@slipway/foundation/testing/patience.ts';
import { ADMIN, brokerDirectory, removeBroker, runBroker, type TestBroker } from './broker.fixture.ts';
import { RawClient } from './raw-client.fixture.ts';

process.env['KAFKAJS_NO_PARTITIONER_WARNING'] = '1';
const KILLS = roundsOf(20, 2);
let broker: TestBroker;
let admin: KafkaJsAdmin;

const kafkaJs = (port: number, username = ADMIN.name, password = ADMIN.password) =>
  new Kafka({
    brokers: [`127.0.0.1:${port}`],
    sasl: { mechanism: 'scram-sha-256', username, password },
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 50, retries: 3 },
  });
const platformatic = (port: number, username = ADMIN.name, password = ADMIN.password) => ({
  clientId: 'test',
  bootstrapBrokers: [`127.0.0.1:${port}`],
  sasl: { mechanism: 'SCRAM-SHA-512', username, password } as const,
  retries: 1,
});

beforeAll(async () => {
  broker = await runBroker(await brokerDirectory());
  admin = kafkaJs(broker.port).admin();
  await admin.connect();
}, PATIENCE_MS);
afterAll(async () => {
  await admin.disconnect();
  await removeBroker(broker);
});

/** Consumes as a member of a group until there are `count` values. */
const consumed = async (kafka: Kafka, topic: string, groupId: string, count: number): Promise<string[]> => {
  const consumer = kafka.consumer({ groupId });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const values: string[] = [];
  await new Promise<void>((resolve, reject) => {
    consumer.on('consumer.crash', ({ payload }) => reject(payload.error));
    void consumer.run({
      eachMessage: async ({ message }) => {
        values.push(String(message.value));
        if (values.length === count) resolve();
      },
    });
  });
  await consumer.disconnect();
  return values;
};

describe('KafkaJS', () => {
  test('writes packed messages and reads them in a group', async () => {
    await admin.createTopics({ topics: [{ topic: 'js.orders', numPartitions: 3, replicationFactor: 3 }] });
    const producer = kafkaJs(broker.port).producer({ idempotent: true });
    await producer.connect();
    const messages = Array.from({ length: 500 }, (_, index) => ({ key: `k${index}`, value: `v${index}`, headers: { h: 'x' } }));
    await producer.send({ topic: 'js.orders', compression: CompressionTypes.GZIP, messages });
    await producer.disconnect();
    const values = await consumed(kafkaJs(broker.port), 'js.orders', 'js.readers', 500);
    expect(values.toSorted()).toEqual(messages.map(({ value }) => value).toSorted());
    const [offsets] = await admin.fetchOffsets({ groupId: 'js.readers' });
    expect(offsets?.partitions.reduce((sum, { offset }) => sum + Number(offset), 0)).toBe(500);
    const ends = await admin.fetchTopicOffsets('js.orders');
    expect(ends.reduce((sum, { high }) => sum + Number(high), 0)).toBe(500);
  });
});

describe('@platformatic/kafka', () => {
  test('writes, reads, and finds the place of a time', async () => {
    const options = platformatic(broker.port);
    const own = new Admin(options);
    await own.createTopics({ topics: ['pf.orders'], partitions: 1, replicas: 1, configs: [{ name: 'retention.ms', value: '3600000' }] });
    const producer = new Producer({ ...options, idempotent: true, serializers: stringSerializers });
    const start = BigInt(Date.now());
    const messages = Array.from({ length: 300 }, (_, index) => ({
      topic: 'pf.orders',
      key: `k${index}`,
      value: `v${index}`,
      timestamp: start + BigInt(index),
    }));
    for (const compression of ['none', 'gzip', 'zstd'] as const) await producer.send({ messages, compression });
    await producer.close();
    const consumer = new Consumer({ ...options, groupId: 'pf.readers', deserializers: stringDeserializers });
    const stream = await consumer.consume({ topics: ['pf.orders'], mode: 'earliest', maxWaitTime: 100 });
    const values: string[] = [];
    for await (const { value } of stream) {
      values.push(value);
      if (values.length === 900) break;
    }
    await consumer.close(true);
    expect(values).toEqual([...messages, ...messages, ...messages].map(({ value }) => value));
    const found = await own.listOffsets({ topics: [{ name: 'pf.orders', partitions: [{ partitionIndex: 0, timestamp: start + 123n }] }] });
    expect(found[0]?.partitions[0]).toMatchObject({ offset: 123n, timestamp: start + 123n });
    await own.close();
  });
});

test('a client outside its grants is refused by the broker', async () => {
  const [name, password] = ['team.app', 'a password for the team'];
  await admin.createTopics({ topics: [{ topic: 'team.one' }, { topic: 'other.one' }] });
  await upsertUser(broker.port, name, password);
  const rule = {
    principal: `User:${name}`,
    host: '*',
    permissionType: AclPermissionTypes.ALLOW,
    resourcePatternType: ResourcePatternTypes.LITERAL,
  };
  await admin.createAcls({
    acl: [{ ...rule, resourceType: AclResourceTypes.TOPIC, resourceName: 'team.one', operation: AclOperationTypes.WRITE }],
  });
  const own = kafkaJs(broker.port, name, password);
  const producer = own.producer();
  await producer.connect();
  await producer.send({ topic: 'team.one', messages: [{ value: 'mine' }] });
  await expect(producer.send({ topic: 'other.one', messages: [{ value: 'not mine' }] })).rejects.toThrow(/not authorized/i);
  await producer.disconnect();
  // KafkaJS's message for "group authorization failed".
  await expect(consumed(own, 'team.one', 'team.readers', 1)).rejects.toThrow('Failed to find group coordinator');
  await expect(kafkaJs(broker.port, name, 'a wrong one').admin().connect()).rejects.toThrow();
});

test(
  'kill -9 under load loses nothing that was acknowledged',
  async () => {
    const directory = await brokerDirectory();
    let running = await runBroker(directory);
    const { port } = running;
    const acknowledged: string[] = [];
    const topic = 'kill.me';
    await kafkaJs(port)
      .admin()
      .createTopics({ topics: [{ topic }] });
    for (let round = 0; round < KILLS; round += 1) {
      const producer = kafkaJs(port).producer({ idempotent: true, retry: { retries: 1, initialRetryTime: 10 } });
      await producer.connect();
      const write = async (writer: number): Promise<void> => {
        for (let index = 0; ; index += 1) {
          const value = `${round} ${writer} ${index}`;
          await producer.send({ topic, messages: [{ value }] });
          acknowledged.push(value);
          if (writer === 0 && index === 100) running.child.kill('SIGKILL');
        }
      };
      await Promise.allSettled(Array.from({ length: 4 }, (_, writer) => write(writer)));
      await producer.disconnect().catch(() => undefined);
      await running.kill();
      running = await runBroker(directory, {}, port);
    }
    const client = kafkaJs(port).admin();
    await client.connect();
    const [end] = await client.fetchTopicOffsets(topic);
    await client.disconnect();
    const values = await consumed(kafkaJs(port), topic, 'kill.readers', Number(end?.high));
    expect(new Set(values).size).toBe(values.length);
    expect(acknowledged.filter((value) => !values.includes(value))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(KILLS * 100);
    await removeBroker(running);
  },
  PATIENCE_MS * KILLS,
);

/** Creates users like the platform: the broker only sees the salted form. */
const upsertUser = async (port: number, name: string, password: string): Promise<void> => {
  const client = await RawClient.signedIn(port, ADMIN.name, ADMIN.password);
  const salt = randomBytes(16);
  const saltedPassword = pbkdf2Sync(password, salt, 4096, 32, 'sha256');
  const answer = await client.call('AlterUserScramCredentials', 0, {
    deletions: [],
    upsertions: [{ name, mechanism: 1, iterations: 4096, salt, saltedPassword }],
  });
  expect(answer?.results).toMatchObject([{ user: name, errorCode: 0 }]);
  client.close();
};
