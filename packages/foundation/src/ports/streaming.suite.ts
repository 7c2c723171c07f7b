/** Tests for every event streaming adapter, on a real broker. An ordinary Kafka client reads and writes on behalf of accounts. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPortFailure } from './failure.ts';
import type { AccessRight, StreamMessage, Streaming, WantedTopic } from './streaming.ts';

export interface Login {
  readonly user: string;
  readonly password: string;
}
export interface ClientMessage {
  readonly key?: string;
  readonly value: string;
  readonly compression?: 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';
}
/** An ordinary Kafka client. Rejects with Kafka's name of the error. */
export interface StreamingClient {
  produce(as: Login, topic: string, messages: readonly ClientMessage[]): Promise<void>;
  /** Joins a group, reads `count` messages and commits them. Returns their values. Calls `whileMember` before it leaves. */
  consume(as: Login, topic: string, group: string, count: number, whileMember?: () => Promise<void>): Promise<readonly string[]>;
}
export interface StreamingSubject {
  readonly streaming: Streaming;
  readonly client: StreamingClient;
  close(): Promise<void>;
}

const PATIENCE_MS = 60_000;
const env = 'development';
const password = 'a-password-of-the-suite-0123456789';
const bytes = (text: string): Uint8Array => Buffer.from(text);
const texts = (messages: readonly StreamMessage[]): (string | null)[] =>
  messages.map(({ value }) => (value === null ? null : Buffer.from(value).toString()));
const right = (operation: AccessRight['operation'], name: string, more: Partial<AccessRight> = {}): AccessRight => ({
  resource: 'topic',
  pattern: 'literal',
  name,
  operation,
  ...more,
});

export function streamingSuite(name: string, make: () => Promise<StreamingSubject>): void {
  describe(name, () => {
    let subject: StreamingSubject;
    let streaming: Streaming;
    let count = 0;
    const stamp = Date.now().toString(36);
    beforeAll(async () => {
      subject = await make();
      streaming = subject.streaming;
    }, PATIENCE_MS * 3);
    afterAll(() => subject?.close(), PATIENCE_MS);

    const newName = (kind = 'topic'): string => `suite.${kind}${++count}${stamp}`;
    const wanted = (topic: string, more: Partial<WantedTopic> = {}): WantedTopic => ({
      name: topic,
      partitions: 1,
      replication: 1,
      configs: { 'retention.ms': '3600000' },
      ...more,
    });
    const made = async (more: Partial<WantedTopic> = {}): Promise<string> => {
      const topic = newName();
      await streaming.createTopic(env, wanted(topic, more));
      return topic;
    };
    const account = async (...rights: readonly AccessRight[]): Promise<Login> => {
      const user = newName('account');
      await streaming.openUser(env, user, password);
      await streaming.setRights(env, user, rights);
      return { user, password };
    };
    const observed = async (topic: string) => (await streaming.observeTopics(env, [topic])).get(topic);
    const failure = (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => 'none',
        (error: unknown) => (isPortFailure(error) ? [error.kind, error.code].filter(Boolean).join(' ') : String(error)),
      );
    const refusal = (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => 'let in',
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    const within = (test: () => Promise<void>): [() => Promise<void>, number] => [test, PATIENCE_MS];
    const write = async (topic: string, values: readonly string[], partition = 0): Promise<void> => {
      for (const value of values) await streaming.produce(env, topic, { partition, key: bytes(`key-${value}`), value: bytes(value) });
    };

    test(
      'makes a topic that is led and set as it was wanted',
      ...within(async () => {
        const topic = await made({ partitions: 3, configs: { 'retention.ms': '86400000', 'cleanup.policy': 'delete' } });
        const { topicId, partitions, ...found } = (await observed(topic)) ?? {};
        expect(found).toEqual({
          name: topic,
          replication: 1,
          configs: { 'retention.ms': '86400000', 'cleanup.policy': 'delete' },
          isReady: true,
        });
        expect(partitions?.map(({ partition }) => partition)).toEqual([0, 1, 2]);
        expect(partitions?.every(({ leader, inSync }) => leader !== undefined && inSync.includes(leader))).toBe(true);
        expect(topicId).toMatch(/^[0-9a-f-]{36}$/);
        expect(await streaming.listTopics(env, topic)).toEqual([topic]);
        expect((await streaming.measureTopics(env, [topic])).get(topic)).toMatchObject([
          { partition: 0, firstOffset: 0n, nextOffset: 0n, sizeBytes: 0 },
          { partition: 1, firstOffset: 0n, nextOffset: 0n, sizeBytes: 0 },
          { partition: 2, firstOffset: 0n, nextOffset: 0n, sizeBytes: 0 },
        ]);
      }),
    );

    test(
      'a topic that is there is a conflict, and one that is not there is left out',
      ...within(async () => {
        const topic = await made();
        expect(await failure(streaming.createTopic(env, wanted(topic)))).toBe('conflict');
        expect(await failure(streaming.createTopic(env, wanted(topic), { validateOnly: true }))).toBe('conflict');
        const none = newName();
        expect([...(await streaming.observeTopics(env, [none, topic])).keys()]).toEqual([topic]);
        expect([...(await streaming.measureTopics(env, [none])).keys()]).toEqual([]);
      }),
    );

    test(
      'what would be made is checked, and nothing is made',
      ...within(async () => {
        const topic = newName();
        await streaming.createTopic(env, wanted(topic), { validateOnly: true });
        expect(await observed(topic)).toBeUndefined();
        const tried = (more: Partial<WantedTopic>) => failure(streaming.createTopic(env, wanted(topic, more), { validateOnly: true }));
        expect(await tried({ name: 'no spaces' })).toBe('rejected StreamingNameRefused');
        expect(await tried({ partitions: 0 })).toBe('rejected StreamingPartitionsRefused');
        expect(await tried({ replication: 99 })).toBe('rejected StreamingReplicationRefused');
        expect(await tried({ configs: { 'no.such.config': '1' } })).toBe('rejected StreamingConfigRefused');
        expect(await tried({ configs: { 'retention.ms': 'long' } })).toBe('rejected StreamingConfigRefused');
      }),
    );

    test(
      'changes what is named and nothing else; partitions only grow',
      ...within(async () => {
        const topic = await made({ partitions: 2, configs: { 'retention.ms': '86400000', 'max.message.bytes': '100000' } });
        await streaming.alterTopic(env, topic, { partitions: 4, configs: { 'retention.ms': '7200000' } }, { validateOnly: true });
        expect((await observed(topic))?.partitions).toHaveLength(2);
        const change = { partitions: 4, configs: { 'retention.ms': '7200000', 'cleanup.policy': 'compact' } };
        await streaming.alterTopic(env, topic, change);
        await streaming.alterTopic(env, topic, change);
        const now = await observed(topic);
        expect(now?.configs).toEqual({ 'retention.ms': '7200000', 'max.message.bytes': '100000', 'cleanup.policy': 'compact' });
        expect(now?.partitions).toHaveLength(4);
        await streaming.alterTopic(env, topic, { reset: ['max.message.bytes'] });
        expect((await observed(topic))?.configs).toEqual({ 'retention.ms': '7200000', 'cleanup.policy': 'compact' });
        const fewer = { partitions: 1, configs: { 'retention.ms': '1000' } };
        expect(await failure(streaming.alterTopic(env, topic, fewer))).toBe('rejected StreamingPartitionsRefused');
        expect(await failure(streaming.alterTopic(env, topic, { configs: { 'retention.ms': 'x' } }))).toBe(
          'rejected StreamingConfigRefused',
        );
        expect((await observed(topic))?.configs['retention.ms']).toBe('7200000');
        expect(await failure(streaming.alterTopic(env, newName(), { partitions: 2 }))).toBe('notFound');
      }),
    );

    test(
      'a deleted topic is gone with the rules that name it, and its name is free',
      ...within(async () => {
        const [topic, other] = [await made(), await made()];
        const { user } = await account(right('read', topic), right('write', other), right('read', topic, { pattern: 'prefixed' }));
        const before = await observed(topic);
        await streaming.deleteTopic(env, topic);
        await streaming.deleteTopic(env, topic);
        expect(await observed(topic)).toBeUndefined();
        // Apache Kafka may list a rule for a moment after its deletion.
        const left = async () => (await streaming.listRules(env, { user })).map((rule) => [rule.name, rule.pattern, rule.operation]);
        await expect
          .poll(async () => (await left()).toSorted())
          .toEqual(
            [
              [topic, 'prefixed', 'read'],
              [other, 'literal', 'write'],
            ].toSorted(),
          );
        await streaming.createTopic(env, wanted(topic));
        expect((await observed(topic))?.topicId).not.toBe(before?.topicId);
      }),
    );

    test(
      'a user signs in with its password alone, until it is closed',
      ...within(async () => {
        const user = newName('account');
        expect(await streaming.canSignIn(env, user, password)).toBe(false);
        await streaming.openUser(env, user, password);
        expect([await streaming.canSignIn(env, user, password), await streaming.canSignIn(env, user, 'wrong')]).toEqual([true, false]);
        await streaming.openUser(env, user, 'another-password');
        expect([await streaming.canSignIn(env, user, password), await streaming.canSignIn(env, user, 'another-password')]).toEqual([
          false,
          true,
        ]);
        expect(await streaming.listUsers(env, user)).toEqual([user]);
        await streaming.closeUser(env, user);
        await streaming.closeUser(env, user);
        expect(await streaming.canSignIn(env, user, 'another-password')).toBe(false);
        expect(await streaming.listUsers(env, user)).toEqual([]);
      }),
    );

    test(
      'a user has exactly the rights that were set, and the broker keeps to them',
      ...within(async () => {
        const [topic, other] = [await made(), await made()];
        const login = await account(right('write', topic));
        const { user } = login;
        await subject.client.produce(login, topic, [{ value: 'one' }]);
        expect(await refusal(subject.client.produce(login, other, [{ value: 'one' }]))).toMatch(/TOPIC_AUTHORIZATION_FAILED/);
        expect(await refusal(subject.client.produce({ user, password: 'wrong' }, topic, [{ value: 'x' }]))).toMatch(
          /SASL_AUTHENTICATION_FAILED/,
        );
        expect(await refusal(subject.client.consume(login, topic, `${user}.readers`, 1))).toMatch(/AUTHORIZATION_FAILED/);

        const rights = [right('read', topic), right('read', `${user}.`, { resource: 'group', pattern: 'prefixed' })];
        const change = await streaming.setRights(env, user, rights);
        expect(change.added).toEqual(rights);
        expect(change.removed).toMatchObject([
          { resource: 'topic', name: topic, operation: 'write', permission: 'allow', user, host: '*' },
        ]);
        expect(await streaming.setRights(env, user, rights)).toEqual({ added: [], removed: [] });
        expect(await subject.client.consume(login, topic, `${user}.readers`, 1)).toEqual(['one']);
        expect(await refusal(subject.client.consume(login, topic, `${user}x`, 1))).toMatch(/GROUP_AUTHORIZATION_FAILED/);
        expect(await refusal(subject.client.produce(login, topic, [{ value: 'two' }]))).toMatch(/TOPIC_AUTHORIZATION_FAILED/);

        await streaming.changeRights(env, user, { added: [right('write', other)], removed: [] });
        expect(await streaming.listRules(env, { user })).toHaveLength(3);
        await streaming.setRights(env, user, []);
        expect(await streaming.listRules(env, { user })).toEqual([]);
      }),
    );

    test(
      'says what an account may do as the broker decides it',
      ...within(async () => {
        const topic = await made();
        const { user } = await account(right('read', topic), right('write', topic.slice(0, -2), { pattern: 'prefixed' }));
        const asked = (operation: 'read' | 'write' | 'describe', name = topic) =>
          streaming.mayAccess(env, { user, resource: 'topic', name, operation });
        expect((await asked('read')).rule).toMatchObject({ pattern: 'literal', operation: 'read' });
        expect((await asked('write')).rule).toMatchObject({ pattern: 'prefixed', operation: 'write' });
        expect((await asked('describe')).isAllowed).toBe(true);
        expect(await asked('read', `${topic}x`)).toEqual({ isAllowed: false, rule: undefined });
        expect((await asked('write', `${topic}x`)).isAllowed).toBe(true);
        const about = await streaming.listRules(env, { topic });
        expect(
          about
            .filter((rule) => rule.user === user)
            .map(({ pattern }) => pattern)
            .toSorted(),
        ).toEqual(['literal', 'prefixed']);
      }),
    );

    test(
      'says who reads a topic, how far behind, and since when',
      ...within(async () => {
        const topic = await made();
        const user = newName('account');
        const group = `${user}.readers`;
        const login = await account(right('read', topic), right('read', user, { resource: 'group', pattern: 'prefixed' }));
        expect(await streaming.groupsOfTopic(env, topic)).toEqual([]);
        await write(topic, ['a', 'b']);
        await subject.client.consume(login, topic, group, 2, async () => {
          const [live] = await streaming.groupsOfTopic(env, topic);
          expect(live).toMatchObject({ group, state: 'Stable', members: [{ partitions: [0] }] });
          expect((await streaming.surveyTopics(env, [topic])).get(topic)?.groups).toMatchObject([
            { group, members: [{ partitions: [0] }] },
          ]);
          expect(await failure(streaming.deleteGroup(env, group))).toBe('conflict');
        });
        const beforeMs = Date.now();
        await write(topic, ['c', 'd', 'e']);
        const [found] = await streaming.groupsOfTopic(env, topic);
        expect(found).toMatchObject({
          group,
          state: 'Empty',
          members: [],
          lag: 3n,
          partitions: [{ partition: 0, committedOffset: 2n, lag: 3n }],
        });
        expect(Math.abs((found?.waitingSince?.getTime() ?? 0) - beforeMs)).toBeLessThan(30_000);
        expect((await streaming.surveyTopics(env, [topic])).get(topic)?.groups).toEqual([found]);
        expect(await streaming.listGroups(env, group)).toEqual([{ group, state: 'Empty' }]);
        await streaming.deleteGroup(env, group);
        await streaming.deleteGroup(env, group);
        expect(await streaming.groupsOfTopic(env, topic)).toEqual([]);
      }),
    );

    test(
      'lists rules that hold for a topic, without those of the platform itself',
      ...within(async () => {
        const topic = await made();
        const { user } = await account(right('read', topic), right('write', 'suite.', { pattern: 'prefixed' }));
        const found = await streaming.listRules(env, { topic });
        expect(found.map((rule) => rule.user)).toEqual([user, user]);
        await streaming.setRights(env, user, []);
      }),
    );

    test(
      'counts messages of partitions where a group has committed nothing',
      ...within(async () => {
        const topic = await made({ partitions: 3 });
        const user = newName('account');
        const login = await account(right('read', topic), right('read', user, { resource: 'group', pattern: 'prefixed' }));
        await write(topic, ['a']);
        await subject.client.consume(login, topic, `${user}.readers`, 1);
        await write(topic, ['b', 'c'], 2);
        const [found] = await streaming.groupsOfTopic(env, topic);
        expect(found?.partitions.map(({ committedOffset, lag }) => [committedOffset, lag])).toEqual([
          [1n, 0n],
          [undefined, 0n],
          [undefined, 2n],
        ]);
        expect([found?.lag, found?.waitingSince]).toEqual([2n, undefined]);
        expect((await streaming.surveyTopics(env, [topic])).get(topic)?.groups).toEqual([found]);
      }),
    );

    test(
      'writes a message where other clients write its key, and reads it as it was written',
      ...within(async () => {
        const topic = await made({ partitions: 3 });
        const headers = [
          { key: 'trace', value: bytes('abc') },
          { key: 'none', value: null },
        ];
        const written = await streaming.produce(env, topic, { key: bytes('foobar'), value: bytes('{}'), headers });
        // Kafka's own test vector: the murmur2 hash of `foobar` is -790332482.
        expect(written).toEqual({ partition: (-790_332_482 & 0x7fff_ffff) % 3, offset: 0n });
        const found = await streaming.readMessage(env, topic, written.partition, 0n);
        expect(found).toMatchObject({ ...written, key: Buffer.from('foobar'), value: Buffer.from('{}') });
        expect(found?.headers.map(({ key, value }) => [key, value && Buffer.from(value).toString()])).toEqual([
          ['trace', 'abc'],
          ['none', null],
        ]);
        expect(Math.abs((found?.timestamp.getTime() ?? 0) - Date.now())).toBeLessThan(30_000);
        expect(await streaming.readMessage(env, topic, written.partition, 1n)).toBeUndefined();
        const deleted = await streaming.produce(env, topic, { partition: 1, key: bytes('k'), value: null });
        expect((await streaming.readMessage(env, topic, 1, deleted.offset))?.value).toBeNull();
        expect(await failure(streaming.produce(env, newName(), { key: null, value: null }))).toBe('notFound');
        expect(await failure(streaming.readMessage(env, topic, 7, 0n))).toBe('notFound');
      }),
    );

    test(
      'refuses what the topic does not take',
      ...within(async () => {
        const topic = await made({ configs: { 'cleanup.policy': 'compact', 'max.message.bytes': '2000' } });
        const tried = (key: string | null, value: string) =>
          failure(streaming.produce(env, topic, { key: key === null ? null : bytes(key), value: bytes(value) }));
        expect(await tried('k', 'v')).toBe('none');
        expect(await tried(null, 'v')).toBe('rejected StreamingMessageRefused');
        expect(await tried('k', 'v'.repeat(5000))).toBe('rejected StreamingMessageTooLarge');
      }),
    );

    test(
      'browses from the start, the end, an offset and a time, by key, and goes on where it stopped',
      ...within(async () => {
        const topic = await made();
        await write(topic, ['0', '1', '2', '3']);
        await delay(20);
        const time = new Date();
        await delay(20);
        await write(topic, ['4', '5', '6', '7', '8', '9']);
        const read = async (more: Omit<Parameters<Streaming['browse']>[1], 'topic'>) => {
          const { messages, partitions } = await streaming.browse(env, { topic, ...more });
          return [texts(messages).join(''), Number(partitions[0]?.continueAt)];
        };
        expect(await read({ from: { at: 'start' }, limit: 3 })).toEqual(['012', 3]);
        expect(await read({ from: { at: 'offset', offset: 3n }, limit: 500 })).toEqual(['3456789', 10]);
        expect(await read({ from: { at: 'offset', offset: 99n }, limit: 5 })).toEqual(['', 10]);
        expect(await read({ from: { at: 'end' }, limit: 2 })).toEqual(['89', 10]);
        expect(await read({ from: { at: 'time', time }, limit: 500 })).toEqual(['456789', 10]);
        expect(await read({ from: { at: 'time', time: new Date(Date.now() + 60_000) }, limit: 5 })).toEqual(['', 10]);
        expect(await read({ from: { at: 'start' }, limit: 5, key: bytes('key-7') })).toEqual(['7', 10]);
        expect(await failure(streaming.browse(env, { topic: newName(), from: { at: 'start' }, limit: 1 }))).toBe('notFound');
      }),
    );

    test(
      'surveys many topics at once: what each is, holds, and who reads it',
      ...within(async () => {
        const topics = [await made({ partitions: 2 }), await made({ configs: { 'retention.ms': '7200000' } })];
        await write(topics[0] ?? '', ['a', 'b'], 1);
        const surveyed = await streaming.surveyTopics(env, [...topics, newName()]);
        expect([...surveyed.keys()]).toEqual(topics);
        const [observed, measured] = [await streaming.observeTopics(env, topics), await streaming.measureTopics(env, topics)];
        for (const [name, { topic, figures, groups }] of surveyed) {
          expect(topic).toEqual(observed.get(name));
          expect(figures).toEqual(measured.get(name));
          expect(groups).toEqual([]);
        }
        expect(await streaming.surveyTopics(env, [])).toEqual(new Map());
      }),
    );

    test(
      'looks for a key in a stretch of each partition, says how many messages it looked at, and stops in time',
      ...within(async () => {
        const topic = await made({ partitions: 2 });
        for (const partition of [0, 1]) await write(topic, ['a', 'b', 'a', 'c'], partition);
        const asked = { topic, limit: 500, key: bytes('key-a') };
        const offsets = new Map([[0, 1n]]);
        const some = await streaming.browse(env, { ...asked, from: { at: 'offsets', offsets }, until: new Map([[0, 3n]]) });
        expect(some.messages.map(({ partition, offset }) => [partition, offset])).toEqual([[0, 2n]]);
        expect(some).toMatchObject({ scanned: 2, partitions: [{ partition: 0, continueAt: 3n, nextOffset: 4n }] });
        expect(await streaming.browse(env, { ...asked, from: { at: 'start' } })).toMatchObject({ scanned: 8, messages: [{}, {}, {}, {}] });
        // At least one request per partition, even with the shortest time.
        const short = await streaming.browse(env, { ...asked, from: { at: 'start' }, searchMs: 0 });
        expect(short.partitions.every(({ continueAt }) => continueAt > 0n)).toBe(true);
      }),
    );

    test(
      'browses all partitions by time, and no more than was asked for',
      ...within(async () => {
        const topic = await made({ partitions: 2 });
        for (const [index, partition] of [0, 1, 0, 1].entries()) {
          await write(topic, [`${index}`], partition);
          await delay(5);
        }
        const { messages, partitions } = await streaming.browse(env, { topic, from: { at: 'start' }, limit: 500 });
        expect(texts(messages)).toEqual(['0', '1', '2', '3']);
        expect(partitions).toMatchObject([
          { partition: 0, firstOffset: 0n, nextOffset: 2n, continueAt: 2n },
          { partition: 1, firstOffset: 0n, nextOffset: 2n, continueAt: 2n },
        ]);
        await write(topic, ['x'.repeat(100_000), 'y'.repeat(100_000), 'z'.repeat(100_000)]);
        const some = await streaming.browse(env, {
          topic,
          partition: 0,
          from: { at: 'offset', offset: 2n },
          limit: 500,
          maxBytes: 250_000,
        });
        expect(texts(some.messages).map((text) => text?.[0])).toEqual(['x', 'y']);
        expect(some.partitions).toMatchObject([{ partition: 0, continueAt: 4n, nextOffset: 5n }]);
      }),
    );

    test(
      'reads what clients have compressed',
      ...within(async () => {
        const topic = await made();
        const login = await account(right('write', topic));
        const ways = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
        for (const compression of ways)
          await subject.client.produce(login, topic, [{ key: 'k', value: `${compression} `.repeat(50), compression }]);
        const { messages, skipped } = await streaming.browse(env, { topic, from: { at: 'start' }, limit: 500 });
        expect(texts(messages).map((text) => text?.split(' ')[0])).toEqual(ways);
        expect(skipped).toEqual([]);
      }),
    );

    test(
      'tails what is written from now on, until nobody reads any more',
      ...within(async () => {
        const topic = await made({ partitions: 2 });
        await write(topic, ['before']);
        const stop = new AbortController();
        const seen: string[] = [];
        const reading = (async () => {
          for await (const message of streaming.tail(env, { topic, signal: stop.signal })) {
            seen.push(...texts([message]).map(String));
            if (seen.length === 3) break;
          }
        })();
        // The tail starts some time after the call, so write messages until it has received one.
        for (let sent = 0; seen.length === 0; sent++) {
          await write(topic, [`early-${sent}`]);
          await delay(100);
        }
        await write(topic, ['one'], 1);
        await write(topic, ['two']);
        await reading;
        expect(seen).not.toContain('before');
        const waiting = (async () => {
          for await (const message of streaming.tail(env, { topic, signal: stop.signal })) seen.push(...texts([message]).map(String));
        })();
        setTimeout(() => stop.abort(), 300);
        await waiting;
      }),
    );

    test(
      'says how clients reach it, and that it is well',
      ...within(async () => {
        const { bootstrapServers, mechanism, securityProtocol } = await streaming.connection(env);
        expect(bootstrapServers.length).toBeGreaterThan(0);
        expect([mechanism, securityProtocol]).toEqual(['SCRAM-SHA-512', expect.stringMatching(/^SASL_(PLAINTEXT|SSL)$/)]);
        const { brokers, clusterId, maxReplication } = await streaming.cluster(env);
        expect(brokers.length).toBe(maxReplication);
        expect(clusterId).not.toBe('');
        await streaming.check();
      }),
    );
  });
}
