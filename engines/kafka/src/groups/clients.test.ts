/** Consumers of two independent clients in one group, with an account's own rights, across restarts of the broker. */
import { randomUUID } from 'node:crypto';
import { Admin, Consumer, Producer, ProduceAcks, stringDeserializers, stringSerializers } from '@platformatic/kafka';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { PATIENCE_MS } from '@slipway/foundation/testing/patience.ts';

import { temporaryDirectory, upsertion } from '../access/access.fixture.ts';
import { SUPER, call, connect, localBroker, type LocalBroker } from '../access/local-broker.fixture.ts';
import { operations, resourceTypes } from '../parts.ts';
import { errors } from '../protocol/errors.ts';

const TOPIC = 'berth.orders';
const READER = { name: 'berth.reader', password: 'a-long-random-password' };

let home: Awaited<ReturnType<typeof temporaryDirectory>>;
let local: LocalBroker;
beforeAll(async () => {
  home = await temporaryDirectory();
  local = await localBroker(home.directory);
  const admin = await connect(local.port, SUPER);
  await call(admin, 'CreateTopics', 7, {
    topics: [{ name: TOPIC, numPartitions: 4, replicationFactor: 1, assignments: [], configs: [] }],
    timeoutMs: 1000,
    validateOnly: false,
  });
  await call(admin, 'AlterUserScramCredentials', 0, { deletions: [], upsertions: [upsertion(READER.name, READER.password)] });
  const rule = (resourceType: number, resourceName: string, resourcePatternType: number, operation: number) => ({
    resourceType,
    resourceName,
    resourcePatternType,
    principal: `User:${READER.name}`,
    host: '*',
    operation,
    permissionType: 3,
  });
  await call(admin, 'CreateAcls', 3, {
    creations: [
      rule(resourceTypes.topic, TOPIC, 3, operations.read),
      rule(resourceTypes.topic, TOPIC, 3, operations.write),
      rule(resourceTypes.group, `${READER.name}.`, 4, operations.read),
    ],
  });
  admin.close();
});
afterAll(async () => {
  await local.broker.close();
  await home.remove();
});

const connection = (user: { readonly name: string; readonly password: string }) => ({
  clientId: 'test',
  bootstrapBrokers: [`127.0.0.1:${local.port}`],
  sasl: { mechanism: 'SCRAM-SHA-512', username: user.name, password: user.password } as const,
  retries: 10,
});
const kafkajs = () =>
  new Kafka({
    clientId: 'kafkajs',
    brokers: [`127.0.0.1:${local.port}`],
    sasl: { mechanism: 'scram-sha-512', username: READER.name, password: READER.password },
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 50, retries: 30 },
  });

const produce = async (values: readonly string[]): Promise<void> => {
  const producer = new Producer({ ...connection(READER), serializers: stringSerializers, autocreateTopics: false });
  await producer.send({ messages: values.map((value, index) => ({ topic: TOPIC, partition: index % 4, value })), acks: ProduceAcks.ALL });
  await producer.close();
};

/** `read` collects the messages that members of the group have read. */
const joinWith = async (groupId: string, read: string[]): Promise<{ leave(): Promise<void>; assigned(): number[] }> => {
  const consumer = kafkajs().consumer({
    groupId,
    heartbeatInterval: 100,
    maxWaitTimeInMs: 50,
    sessionTimeout: 10_000,
    rebalanceTimeout: 10_000,
  });
  let assigned: number[] = [];
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    assigned = payload.memberAssignment[TOPIC] ?? [];
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [TOPIC], fromBeginning: true });
  await consumer.run({ autoCommitInterval: 50, eachMessage: async ({ message }) => void read.push(message.value?.toString() ?? '') });
  return { leave: () => consumer.disconnect(), assigned: () => assigned };
};

const committed = async (groupId: string): Promise<number> => {
  const admin = new Admin(connection(SUPER));
  const [group] = await admin.listConsumerGroupOffsets({ groups: [groupId] });
  await admin.close();
  return (group?.topics ?? [])
    .flatMap(({ partitions }) => partitions)
    .reduce((sum, { committedOffset }) => sum + Number(committedOffset), 0);
};
const eventually = <Value>(look: () => Value | Promise<Value>) => expect.poll(look, { timeout: PATIENCE_MS, interval: 50 });

test('two members part the partitions, and one takes over what the other leaves', async () => {
  const group = `${READER.name}.parted`;
  const read: string[] = [];
  await produce(['1', '2', '3', '4']);
  const one = await joinWith(group, read);
  await eventually(() => new Set(read).size).toBe(4);
  const two = await joinWith(group, read);
  await eventually(() => [one.assigned().length, two.assigned().length]).toEqual([2, 2]);
  expect([...one.assigned(), ...two.assigned()].toSorted()).toEqual([0, 1, 2, 3]);
  await one.leave();
  await eventually(() => two.assigned().length).toBe(4);
  await produce(['5', '6', '7', '8']);
  await eventually(() => new Set(read).size).toBe(8);
  await eventually(() => committed(group)).toBe(8);
  await two.leave();
});

test('a group goes on where it was when the broker comes back', async () => {
  const group = `${READER.name}.restarted`;
  const read: string[] = [];
  const member = await joinWith(group, read);
  await eventually(() => new Set(read).size).toBe(8);
  await eventually(() => committed(group)).toBe(8);
  const { port } = local;
  read.length = 0;
  await local.broker.close();
  local = await localBroker(home.directory, port);
  await produce(['9', '10', '11', '12']);
  // At least once: a consumer that has to rejoin reads its last messages again.
  await eventually(() => [...new Set(read)].toSorted()).toEqual(['10', '11', '12', '9']);
  await eventually(() => committed(group)).toBe(12);
  await member.leave();
  expect(local.failures).toEqual([]);
});

test('a consumer of another client reads with its own group, and with no other', async () => {
  const consume = async (groupId: string): Promise<string> => {
    const consumer = new Consumer({ ...connection(READER), groupId, deserializers: stringDeserializers, retries: 0 });
    try {
      const stream = await consumer.consume({ topics: [TOPIC], mode: 'earliest', autocommit: true, maxWaitTime: 100 });
      for await (const { value } of stream) return value ?? '';
      return 'nothing';
    } catch (error) {
      return codesOf(error).join(' ');
    } finally {
      await consumer.close(true);
    }
  };
  expect(await consume(`${READER.name}.${randomUUID()}`)).toMatch(/^\d+$/);
  expect(await consume('somebody.else')).toContain('GROUP_AUTHORIZATION_FAILED');
  expect(await consume(READER.name)).toContain('GROUP_AUTHORIZATION_FAILED');
});

/** Collects Kafka's error names, wherever the client has put them. */
const codesOf = (error: unknown): string[] => {
  if (typeof error !== 'object' || error === null) return [];
  const own = 'apiId' in error && typeof error.apiId === 'string' ? [error.apiId] : [];
  const inner = [...('errors' in error && Array.isArray(error.errors) ? error.errors : []), 'cause' in error ? error.cause : undefined];
  return [...own, ...inner.flatMap(codesOf)];
};

test('a connection of a deleted user ends, and one of a changed password goes on', async () => {
  const admin = await connect(local.port, SUPER);
  const alter = (password: string) =>
    call(admin, 'AlterUserScramCredentials', 0, { deletions: [], upsertions: [upsertion('berth.gone', password)] });
  await alter('the-first-password');
  const client = await connect(local.port, { name: 'berth.gone', password: 'the-first-password' });
  await alter('the-second-password');
  expect(await call(client, 'ListGroups', 4, { statesFilter: [] })).toMatchObject({ groups: [] });
  await expect(connect(local.port, { name: 'berth.gone', password: 'the-first-password' })).rejects.toThrow(
    String(errors.SASL_AUTHENTICATION_FAILED),
  );
  await call(admin, 'AlterUserScramCredentials', 0, { deletions: [{ name: 'berth.gone', mechanism: 2 }], upsertions: [] });
  await client.closed;
  admin.close();
});
