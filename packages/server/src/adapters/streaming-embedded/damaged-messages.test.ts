// @long: tries an engine by itself, which the tests of modules use, too
/** Messages damaged on disk: each is reported once, by its offset, and all others can be read forwards, backwards and live. */
import { chmodSync, closeSync, globSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokerProgram } from '@slipway/kafka/program.ts';
import { KafkaCluster } from '#adapters/streaming-kafka/cluster.ts';
import { KafkaStreaming } from '#adapters/streaming-kafka/kafka-streaming.ts';
import { tailMessages } from '#adapters/streaming-kafka/messages/tail.ts';
import { createLog } from '#kernel/log.ts';
import type { SkippedMessages, StreamMessage } from '#ports/streaming.ts';
import { freePort } from '#testing/free-port.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { EmbeddedBroker } from './embedded-broker.ts';

const root = mkdtempSync(join(tmpdir(), 'slipway-damaged-'));
chmodSync(root, 0o711);
const env = 'development';
const limit = 7;
/** More than the 64 positions that the broker caches per partition. */
const COUNT = 90;
let source: EmbeddedBroker;
let streaming: KafkaStreaming;

beforeAll(async () => {
  source = new EmbeddedBroker({
    dataDir: root,
    program: brokerProgram,
    host: '127.0.0.1',
    ports: { development: await freePort(), production: await freePort() },
    advertisedHost: '127.0.0.1',
    adminPassword: async () => 'the-password-of-the-platform-itself',
    floorBytes: 0,
    log: createLog('silent'),
  });
  streaming = new KafkaStreaming({ kind: 'embedded', source });
}, PATIENCE_MS);
afterAll(async () => {
  await streaming.close();
  rmSync(root, { recursive: true, force: true });
});

const fill = async (topic: string, count = COUNT): Promise<void> => {
  await streaming.createTopic(env, { name: topic, partitions: 1, replication: 1, configs: {} });
  for (let index = 0; index < count; index += 1)
    await streaming.produce(env, topic, { key: Buffer.from('k'), value: Buffer.from(`${index} ${'x'.repeat(600)}`) });
};
/** Each message is in its own batch. */
const damage = (topic: string, offset: number, at: number, bytes: readonly number[]): void => {
  const rows = globSync(join(realpathSync(join(root, 'broker')), '**/topic.json'));
  const row = rows.find((one) => readFileSync(one, 'utf8').includes(`"${topic}"`)) ?? '';
  const [file = ''] = globSync(join(dirname(row), '**/*.log'));
  const log = readFileSync(file);
  let position = 0;
  while (log.readBigInt64BE(position) < offset) position += 12 + log.readInt32BE(position + 8);
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.from(bytes), 0, bytes.length, position + at);
  closeSync(descriptor);
};
/** Positions in a batch: its length, its compression, its last offset delta and its records. */
const [LENGTH, COMPRESSION, LAST_OFFSET, RECORDS] = [8, 22, 23, 61];

interface Read {
  readonly messages: readonly StreamMessage[];
  readonly skipped: readonly SkippedMessages[];
}
const offsetsOf = ({ messages, skipped }: Read): number[] => {
  const between = ({ fromOffset, toOffset }: SkippedMessages) =>
    Array.from({ length: Number(toOffset - fromOffset) + 1 }, (_, index) => Number(fromOffset) + index);
  return [...messages.map(({ offset }) => Number(offset)), ...skipped.flatMap(between)].sort((one, other) => one - other);
};
const all = Array.from({ length: COUNT }, (_, index) => index);

const pages = async (topic: string, key?: Buffer): Promise<Read> => {
  const read: Read[] = [];
  for (let at = 0n; at < COUNT;) {
    const from = { at: 'offsets', offsets: new Map([[0, at]]) } as const;
    const { partitions, ...page } = await streaming.browse(env, { topic, from, limit, ...(key && { key }) });
    read.push(page);
    const next = partitions[0]?.continueAt ?? 0n;
    expect(next).toBeGreaterThan(at);
    at = next;
  }
  return { messages: read.flatMap(({ messages }) => messages), skipped: read.flatMap(({ skipped }) => skipped) };
};

test.each([
  ['its content', 'content', [[RECORDS + 30, [0x01]]], 'checksum'],
  ['its compression', 'compression', [[COMPRESSION, [0x04]]], 'checksum'],
  ['the last of its offsets, backwards', 'before', [[LAST_OFFSET, [0xff, 0xff, 0xff, 0x00]]], 'checksum'],
  ['the last of its offsets, forwards', 'behind', [[LAST_OFFSET, [0x7f, 0xff, 0xff, 0x00]]], 'checksum'],
  ['its length', 'length', [[LENGTH, [0x7f, 0xff, 0xff, 0xff]]], 'broker'],
] as const)('damage of %s is named, and reading goes on behind it', { timeout: PATIENCE_MS }, async (_, name, changes, reason) => {
  const topic = `damaged.${name}`;
  await fill(topic);
  for (const [at, bytes] of changes) damage(topic, 20, at, bytes);
  for (const read of [await pages(topic), await pages(topic, Buffer.from('k'))]) {
    expect(offsetsOf(read)).toEqual(all);
    expect(read.skipped[0]).toMatchObject({ partition: 0, fromOffset: 20n, reason });
    // The broker can read again from the next entry of its index.
    if (reason === 'broker') expect(read.messages.length).toBeGreaterThan(COUNT - 15);
    else expect(read.messages).toHaveLength(COUNT - 1);
    for (const { offset, value } of read.messages) expect(Buffer.from(value ?? []).toString()).toMatch(new RegExp(`^${offset} x+$`));
  }
});

test('where the end of a partition is damaged, its end is reached', { timeout: PATIENCE_MS }, async () => {
  await fill('damaged.end');
  damage('damaged.end', COUNT - 1, LAST_OFFSET, [0x7f]);
  damage('damaged.end', COUNT - 2, RECORDS + 30, [0x01]);
  const read = await pages('damaged.end');
  expect(offsetsOf(read)).toEqual(all);
  expect(read.messages).toHaveLength(COUNT - 2);
});

test('a live view goes on behind what is damaged', { timeout: PATIENCE_MS }, async () => {
  const topic = 'damaged.live';
  await fill(topic, 1);
  const cluster = new KafkaCluster(() => source.access(env));
  let open = (): void => undefined;
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  const opened = Promise.withResolvers<void>();
  const openPool = cluster.openPool.bind(cluster);
  cluster.openPool = async () => {
    const pool = await openPool();
    opened.resolve();
    return { get: async (node) => (await isOpen, pool.get(node)), close: () => pool.close() };
  };
  const following = tailMessages(cluster, { topic });
  const first = following.next();
  await opened.promise;
  for (let index = 1; index < 8; index += 1)
    await streaming.produce(env, topic, { key: null, value: Buffer.from(`${index} ${'x'.repeat(600)}`) });
  damage(topic, 3, RECORDS + 30, [0x01]);
  damage(topic, 1, LENGTH, [0x7f]);
  open();
  const seen = [(await first).value as StreamMessage];
  while ((seen.at(-1)?.offset ?? 0n) < 7n) seen.push((await following.next()).value as StreamMessage);
  const offsets = seen.map(({ offset }) => Number(offset));
  expect(offsets).not.toContain(1);
  expect(offsets).not.toContain(3);
  expect(offsets.slice(-4)).toEqual([4, 5, 6, 7]);
  await following.return(undefined);
  await cluster.close();
});
