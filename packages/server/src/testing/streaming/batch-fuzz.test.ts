// @long: tries an engine by itself, which the tests of modules use, too
/**
 * Fuzzes a broker with batches that no client makes, while it serves another client: `npm run fuzz:broker -- --minutes 10 --seed 7`. The
 * seed determines everything except the order of answers. Every batch that the broker accepts must be readable.
 */
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { compressionsAlgorithms } from '@platformatic/kafka';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isLongRun, PATIENCE_MS } from '#testing/patience.ts';
import { randomOf, type Random } from '#testing/storm/random.ts';
import { readBatches } from '#adapters/streaming-kafka/messages/record-batches.ts';
import { ADMIN, brokerDirectory, removeBroker, runBroker, type TestBroker } from '@slipway/kafka/broker.fixture.ts';
import { NO_TOPIC_ID } from '@slipway/kafka/handlers/metadata.ts';
import { batchOf } from '@slipway/kafka/log/batch.fixture.ts';
import { HEAD_BYTES, readHead, seal, writeInt64 } from '@slipway/kafka/log/batch.ts';
import { bombRecords } from '@slipway/kafka/log/records/opened.fixture.ts';
import { RawClient } from '@slipway/kafka/raw-client.fixture.ts';

const SEED = Number(process.env['SLIPWAY_FUZZ_SEED'] ?? 1);
const SECONDS = Number(process.env['SLIPWAY_FUZZ_SECONDS'] ?? (isLongRun ? 60 : 5));
const SERVED_WITHIN_MS = 1000;
const MEMORY_BYTES = 768 * 1024 * 1024;
/** Larger batches are only compared with what was sent, not opened. */
const OPENED_RECORDS = 20_000;
const TOPICS = ['fuzz.plain', 'fuzz.compacted'] as const;
const QUIET = 'fuzz.quiet';

const codecs = [
  (bytes: Buffer) => bytes,
  (bytes: Buffer) => gzipSync(bytes),
  compressionsAlgorithms.snappy.compressSync,
  compressionsAlgorithms.lz4.compressSync,
  (bytes: Buffer) => zstdCompressSync(bytes),
] as const;
let broker: TestBroker;
let bombs: readonly Buffer[] = [];

/** Returns one batch per codec that unpacks to `records` records, or to zeros. */
const bombsOf = (): Buffer[] => {
  const zeros = Buffer.alloc(64 * 1024 * 1024);
  return codecs.flatMap((pack, codec) => {
    if (codec === 0) return [];
    return [bombRecords(1_600_000), bombRecords(300_000), { body: zeros, count: 9_000_000 }].map(({ body, count }) =>
      withBody(batchOf([{ timestamp: Date.now() }]), codec, pack(body), count),
    );
  });
};
const withBody = (head: Buffer, codec: number, body: Buffer, count: number): Buffer => {
  const batch = Buffer.concat([head.subarray(0, HEAD_BYTES), body]);
  batch.writeInt16BE(codec, 21);
  batch.writeInt32BE(count - 1, 23);
  batch.writeInt32BE(count, 57);
  seal(batch);
  return batch;
};

const edges = [-(2 ** 31), -2, -1, 0, 1, 2, 127, 128, 300, 65_536, 2 ** 31 - 1] as const;
const anyNumber = (random: Random): number => random.of(edges) ?? 0;
const messagesOf = (random: Random) =>
  Array.from({ length: 1 + random.below(random.below(20) === 0 ? 2000 : 12) }, () => ({
    key: random.below(10) === 0 ? null : `key ${random.below(50)}`,
    value: random.below(10) === 0 ? null : 'v'.repeat(random.below(200)),
    timestamp: Date.now() - random.below(1000),
  }));
/** Changes that a faulty or malicious client would make. Most of them leave the checksum correct. */
const changes: readonly ((batch: Buffer, random: Random) => Buffer)[] = [
  (batch) => batch,
  (batch, random) => at(batch, (copy) => copy.writeInt32BE(anyNumber(random), 57)),
  (batch, random) => at(batch, (copy) => copy.writeInt32BE(anyNumber(random), 23)),
  (batch, random) => at(batch, (copy) => copy.writeInt16BE(random.below(65_536) - 32_768, 21)),
  (batch, random) => at(batch, (copy) => copy.writeInt16BE(random.below(8), 21)),
  (batch, random) => at(batch, (copy) => writeInt64(copy, anyNumber(random) * 1000, 27)),
  (batch, random) => at(batch, (copy) => writeInt64(copy, anyNumber(random) * 1000, 35)),
  (batch, random) => at(batch, (copy) => writeInt64(copy, anyNumber(random), 0)),
  (batch, random) => at(batch, (copy) => [43, 47, 51, 53].forEach((place) => copy.writeInt16BE(random.below(100) - 2, place))),
  (batch, random) => sealed(Buffer.concat([batch, Buffer.alloc(random.below(40), random.below(256))])),
  (batch, random) => sealed(batch.subarray(0, Math.max(HEAD_BYTES, batch.length - random.below(batch.length)))),
  (batch, random) => batch.subarray(0, random.below(batch.length)),
  (batch, random) => at(batch, (copy) => flip(copy, HEAD_BYTES, random)),
  (batch, random) => at(batch, (copy) => flip(copy, 12, random)),
  (batch, random) => {
    const copy = Buffer.from(batch);
    flip(copy, 0, random);
    return copy;
  },
];
const sealed = (batch: Buffer): Buffer => at(batch, () => {});
const at = (batch: Buffer, change: (copy: Buffer) => unknown): Buffer => {
  const copy = Buffer.from(batch);
  change(copy);
  seal(copy);
  return copy;
};
const flip = (batch: Buffer, from: number, random: Random): void => {
  for (let count = 1 + random.below(4); count > 0 && batch.length > from; count -= 1) {
    const place = from + random.below(batch.length - from);
    batch[place] = (batch[place] ?? 0) ^ (1 << random.below(8));
  }
};
const nextBatch = (random: Random): Buffer => {
  const bomb = random.below(25) === 0 ? random.of(bombs) : undefined;
  const codec = random.below(codecs.length);
  const plain = batchOf(messagesOf(random));
  const packed = withBody(plain, codec, (codecs[codec] ?? codecs[0])(plain.subarray(HEAD_BYTES)), readHead(plain).count);
  const change = random.of(changes);
  return (change ?? ((batch: Buffer) => batch))(bomb ?? packed, random);
};

const produce = async (client: RawClient, name: string, records: Buffer) => {
  const topicData = [{ name, partitionData: [{ index: 0, records }] }];
  const answer = await client.call('Produce', 9, { acks: -1, timeoutMs: 1000, transactionalId: null, topicData });
  return answer?.responses[0]?.partitionResponses[0];
};
const fetched = async (client: RawClient, topic: string, fetchOffset: number): Promise<Buffer> => {
  const asked = { partition: 0, currentLeaderEpoch: -1, fetchOffset, lastFetchedEpoch: -1, logStartOffset: -1, partitionMaxBytes: 1 };
  const topics = [{ topic, topicId: NO_TOPIC_ID, partitions: [{ ...asked, replicaDirectoryId: NO_TOPIC_ID }] }];
  const answer = await client.call('Fetch', 12, { maxWaitMs: 0, minBytes: 0, maxBytes: 1, sessionEpoch: -1, topics });
  return Buffer.concat([answer?.responses[0]?.partitions[0]?.records ?? Buffer.alloc(0)].flat());
};
/** Returns why a reader could not read an accepted batch. */
const faultOf = (stored: Buffer, baseOffset: number): string | undefined => {
  if (stored.length < HEAD_BYTES) return 'nothing is there';
  const head = readHead(stored);
  if (head.baseOffset !== baseOffset) return `it begins at ${head.baseOffset}`;
  if (head.count > OPENED_RECORDS) return undefined;
  const [batch] = readBatches(stored, 0);
  if (batch?.skipped !== undefined) return batch.skipped;
  const offsets = batch?.messages.map(({ offset }) => Number(offset)) ?? [];
  return offsets.length === head.count && offsets.every((offset, index) => offset === baseOffset + index) ? undefined : 'offsets';
};

beforeAll(async () => {
  bombs = bombsOf();
  broker = await runBroker(await brokerDirectory());
  const admin = await RawClient.signedIn(broker.port, ADMIN.name, ADMIN.password);
  const topic = { numPartitions: 1, replicationFactor: 1, assignments: [] };
  const compaction = [
    { name: 'cleanup.policy', value: 'compact' },
    { name: 'segment.bytes', value: '1048576' },
    { name: 'min.cleanable.dirty.ratio', value: '0' },
  ];
  const topics = [...TOPICS, QUIET].map((name) => ({ ...topic, name, configs: name === TOPICS[1] ? compaction : [] }));
  const made = await admin.call('CreateTopics', 7, { topics, timeoutMs: 1000, validateOnly: false });
  expect(made?.topics.map(({ errorCode }) => errorCode)).toEqual([0, 0, 0]);
  admin.close();
}, PATIENCE_MS);
afterAll(() => removeBroker(broker));

const memoryOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;

test(`batches by the seed ${SEED}, for ${SECONDS} s`, { timeout: SECONDS * 1000 + 2 * PATIENCE_MS }, async () => {
  const end = performance.now() + SECONDS * 1000;
  const isOver = (): boolean => performance.now() > end;
  const faults: string[] = [];
  const codes = new Map<number | string, number>();
  const attack = async (seed: number): Promise<void> => {
    const random = randomOf(seed);
    const signedIn = () => RawClient.signedIn(broker.port, ADMIN.name, ADMIN.password);
    for (let client = await signedIn(), turn = 0; !isOver(); turn += 1) {
      const topic = random.of(TOPICS) ?? TOPICS[0];
      const batch = nextBatch(random);
      const answer = await produce(client, topic, batch);
      const code = answer?.errorCode ?? 'closed';
      codes.set(code, (codes.get(code) ?? 0) + 1);
      if (answer === undefined) client = await signedIn();
      else if (answer.errorCode === 0) {
        const fault = faultOf(await fetched(client, topic, answer.baseOffset), answer.baseOffset);
        if (fault) faults.push(`seed ${seed}, turn ${turn}: ${fault}: ${batch.subarray(0, 200).toString('hex')}`);
      }
      if (random.below(10) === 0) {
        const partitions = [{ partitionIndex: 0, timestamp: Date.now() - random.below(2000), currentLeaderEpoch: -1, maxNumOffsets: 1 }];
        await client.call('ListOffsets', 7, { replicaId: -1, topics: [{ name: topic, partitions }] });
      }
    }
  };
  let slowest = 0;
  let largest = 0;
  const witness = async (): Promise<void> => {
    const client = await RawClient.signedIn(broker.port, ADMIN.name, ADMIN.password);
    // This process also makes the batches, so its own delay is measured separately from the broker's.
    const ownDelay = monitorEventLoopDelay({ resolution: 5 });
    ownDelay.enable();
    while (!isOver()) {
      ownDelay.reset();
      const since = performance.now();
      const written = await produce(client, QUIET, batchOf([{ key: 'k', value: 'v', timestamp: Date.now() }]));
      expect(written?.errorCode).toBe(0);
      expect(await fetched(client, QUIET, written?.baseOffset ?? 0)).not.toHaveLength(0);
      slowest = Math.max(slowest, performance.now() - since - ownDelay.max / 1e6);
      if (process.platform === 'linux') largest = Math.max(largest, memoryOf(broker.child.pid ?? 0));
      await pause(20);
    }
  };
  await Promise.all([attack(SEED), attack(SEED + 1000), attack(SEED + 2000), witness()]);
  process.stdout.write(`answers ${JSON.stringify([...codes])}, slowest ${Math.round(slowest)} ms, largest ${largest >> 20} MiB\n`);
  expect(broker.child.exitCode, broker.logged()).toBeNull();
  expect(faults).toEqual([]);
  expect(codes.get(0)).toBeGreaterThan(0);
  expect(slowest).toBeLessThan(SERVED_WITHIN_MS);
  expect(largest).toBeLessThan(MEMORY_BYTES);
});
