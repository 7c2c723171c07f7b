// @long: tries an engine by itself, which the tests of modules use, too
/** The embedded broker as the platform starts it: the port's test suite, and the cases where the broker or its owner dies. */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Producer, stringSerializers } from '@platformatic/kafka';
import { afterAll, describe, expect, test } from 'vitest';
import { brokerProgram } from '@slipway/kafka/program.ts';
import { kafkaClient } from '#adapters/streaming-kafka/kafka-client.fixture.ts';
import { KafkaStreaming } from '#adapters/streaming-kafka/kafka-streaming.ts';
import { createLog } from '#kernel/log.ts';
import type { StreamMessage } from '#ports/streaming.ts';
import { streamingSuite } from '#ports/streaming.suite.ts';
import { freePort } from '#testing/free-port.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { answersInTime } from './broker-health.ts';
import { EmbeddedBroker, type EmbeddedBrokerOptions } from './embedded-broker.ts';

const log = createLog(process.env['TEST_LOG'] ?? 'silent');
const root = mkdtempSync(join(tmpdir(), 'slipway-broker-'));
// As root, the broker runs as another user.
chmodSync(root, 0o711);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const optionsOf = async (name: string): Promise<EmbeddedBrokerOptions> => ({
  dataDir: join(root, name),
  program: brokerProgram,
  host: '127.0.0.1',
  ports: { development: await freePort(), production: await freePort() },
  advertisedHost: '127.0.0.1',
  adminPassword: async () => 'the-password-of-the-platform-itself',
  floorBytes: 0,
  log,
});
const brokerIn = async (name: string): Promise<EmbeddedBroker> => new EmbeddedBroker(await optionsOf(name));

streamingSuite('the embedded broker', async () => {
  const source = await brokerIn('suite');
  const streaming = new KafkaStreaming({ kind: 'embedded', source });
  const client = kafkaClient(await streaming.connection('development'));
  return { streaming, client, close: () => streaming.close() };
});

const env = 'development';
const topicOf = (name: string) => ({ name, partitions: 1, replication: 1, configs: {} });
const message = (text: string) => ({ key: null, value: Buffer.from(text) });
const valuesIn = async (streaming: KafkaStreaming, topic: string): Promise<string[]> => {
  const { messages } = await streaming.browse(env, { topic, from: { at: 'start' }, limit: 500 });
  return messages.map(({ value }) => Buffer.from(value ?? []).toString());
};
/** Finds the process that runs in the directory. */
const brokerPid = (name: string): number => {
  const found = readdirSync('/proc').find((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const isProgram = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('broker-main');
      return isProgram && readlinkSync(`/proc/${pid}/fd/2`) === join(realpathSync(join(root, name, 'broker')), 'broker.log');
    } catch {
      return false;
    }
  });
  return Number(found ?? 0);
};
const gone = async (pid: number): Promise<void> => {
  while (existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '') await delay(20);
};

describe('the embedded broker as a process', () => {
  test('is not started before it is needed, and then keeps the environments apart', async () => {
    const source = await brokerIn('needed');
    const streaming = new KafkaStreaming({ kind: 'embedded', source });
    await streaming.check();
    await source.resume();
    expect(await streaming.connection(env)).toMatchObject({ securityProtocol: 'SASL_PLAINTEXT' });
    expect(source.isInUse()).toBe(false);
    await streaming.createTopic(env, topicOf('needed.one'));
    expect(source.isInUse()).toBe(true);
    expect([await streaming.listTopics(env, ''), await streaming.listTopics('production', '')]).toEqual([['needed.one'], []]);
    await streaming.openUser(env, 'needed.reader', 'a-password');
    expect(await streaming.canSignIn('production', 'needed.reader', 'a-password')).toBe(false);
    const pid = brokerPid('needed');
    await streaming.close();
    await gone(pid);
    await expect(streaming.listTopics(env, '')).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test.skipIf(process.getuid?.() !== 0)('runs as a user of its own under root, with a directory that no other can read', async () => {
    const source = await brokerIn('rights');
    await source.access(env);
    const home = statSync(join(root, 'rights/broker'));
    const status = readFileSync(`/proc/${brokerPid('rights')}/status`, 'utf8');
    expect([home.uid, home.mode & 0o777]).toEqual([60_744, 0o700]);
    expect(/^Uid:\s+(.*)$/m.exec(status)?.[1]?.split('\t')).toEqual(Array(4).fill('60744'));
    expect(/^Groups:[ \t]*(.*)$/m.exec(status)?.[1]).toBe('');
    const seen = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${brokerPid('rights')}/${file}`, 'utf8')).join();
    expect(seen).not.toContain('the-password-of-the-platform-itself');
    await source.close();
  });

  test('what was acknowledged is there after kill -9 of it, and it runs again', { timeout: PATIENCE_MS }, async () => {
    const streaming = new KafkaStreaming({ kind: 'embedded', source: await brokerIn('killed') });
    await streaming.createTopic(env, topicOf('killed.one'));
    const written: string[] = [];
    for (let round = 0; round < 2; round++) {
      for (let count = 0; count < 20; count++) {
        const text = `${round}-${count}`;
        // Retries writes that get no answer.
        await eventually(() => streaming.produce(env, 'killed.one', message(text)));
        written.push(text);
      }
      process.kill(brokerPid('killed'), 'SIGKILL');
    }
    expect([...new Set(await eventually(() => valuesIn(streaming, 'killed.one')))]).toEqual(written);
    await streaming.close();
  });

  test('ends with an owner that is killed, and another one finds what was written', { timeout: PATIENCE_MS }, async () => {
    const ports = { development: await freePort(), production: await freePort() };
    const owner = spawn(
      process.execPath,
      [fileURLToPath(new URL('broker-owner.fixture.ts', import.meta.url)), join(root, 'owned'), brokerProgram, JSON.stringify(ports)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    await new Promise<void>((resolve) => owner.stdout.once('data', () => resolve()));
    const pid = brokerPid('owned');
    expect(pid).toBeGreaterThan(0);
    // While the owner runs, another replica uses its broker and does not start one.
    const source = new EmbeddedBroker({ ...(await optionsOf('owned')), ports });
    const streaming = new KafkaStreaming({ kind: 'embedded', source });
    await streaming.createTopic(env, topicOf('owned.one'));
    await streaming.produce(env, 'owned.one', message('kept'));
    expect(brokerPid('owned')).toBe(pid);
    owner.kill('SIGKILL');
    await gone(pid);
    expect(await eventually(() => valuesIn(streaming, 'owned.one'))).toEqual(['kept']);
    expect(brokerPid('owned')).not.toBe(pid);
    await streaming.close();
  });

  test('is taken over by a replica that resumed beside the one that ends', { timeout: PATIENCE_MS }, async () => {
    const options = await optionsOf('taken-over');
    const [one, two] = [new EmbeddedBroker(options), new EmbeddedBroker(options)];
    await one.access(env);
    await two.resume();
    await one.close();
    const address = { host: '127.0.0.1', port: options.ports.development };
    await expect.poll(() => answersInTime(address)).toBe(true);
    await two.close();
  });

  test('one that answers nothing is seen', async () => {
    const source = await brokerIn('hung');
    const { brokers } = await source.access(env);
    const [address = { host: '', port: 0 }] = brokers;
    expect(await answersInTime(address)).toBe(true);
    const pid = brokerPid('hung');
    process.kill(pid, 'SIGSTOP');
    expect(await answersInTime(address, 300)).toBe(false);
    process.kill(pid, 'SIGCONT');
    expect(await answersInTime(address)).toBe(true);
    await source.close();
  });

  test('a broker that cannot start says why', async () => {
    const port = await freePort();
    const taken = createServer().listen(port, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const source = new EmbeddedBroker({
      ...(await optionsOf('taken')),
      ports: { development: port, production: await freePort() },
      patienceMs: 500,
    });
    await expect(source.access(env)).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining(String(port)) });
    await new Promise((resolve) => taken.close(resolve));
    await source.access(env);
    await source.close();
  });
});

/** Retries while the broker restarts. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS / 2;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(100);
    }
  }
}

test('whoever follows a topic slower than it is written goes on near its end', { timeout: PATIENCE_MS }, async () => {
  const source = await brokerIn('followed');
  const streaming = new KafkaStreaming({ kind: 'embedded', source });
  const { brokers, user, password, mechanism } = await source.access('development');
  const producer = new Producer({
    clientId: 'writer',
    bootstrapBrokers: brokers.map(({ host, port }) => `${host}:${port}`),
    sasl: { mechanism, username: user, password },
    serializers: stringSerializers,
  });
  await streaming.createTopic(env, topicOf('followed.one'));
  const following = streaming.tail(env, { topic: 'followed.one' })[Symbol.asyncIterator]();
  const next = async () => ((await following.next()).value as StreamMessage).offset;
  const first = next();
  // The tail misses messages from before it starts, so the loop below writes until it sees one.
  const write = (count: number) =>
    producer.send({
      messages: Array.from({ length: count }, (_, index) => ({ topic: 'followed.one', value: `${index} ${'x'.repeat(100)}` })),
    });
  const isSeen = first.then(() => true);
  while (!(await Promise.race([isSeen, delay(100)]))) await write(1);
  for (let count = 0; count < 6; count += 1) await write(5000);
  const { nextOffset = 0n } = (await streaming.measureTopics(env, ['followed.one'])).get('followed.one')?.[0] ?? {};
  let [offset, read] = [await first, 1];
  while (offset < nextOffset - 1n) [offset, read] = [await next(), read + 1];
  expect(read).toBeLessThan(Number(nextOffset) - 10_000);
  await following.return?.(undefined);
  await producer.close();
  await streaming.close();
});
