/** Measures the message browser over millions of messages: newest, oldest, an offset, a time, a key, and the live view. */
import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createAPI, createRecordsBatch, produceV9, Writer, type Connection } from '@platformatic/kafka';
import type { TopicMessage } from '@slipway/contract/streaming/message.ts';
import { seal } from '../../engines/kafka/src/log/batch.ts';
import { browseMessages, type Found } from '../../packages/server/src/modules/streaming/messages/browse-messages.ts';
import { tailMessages } from '../../packages/server/src/modules/streaming/messages/tail-messages.ts';
import type { StreamMessage } from '../../packages/foundation/src/ports/streaming.ts';
import { log, type Scene } from './scene.ts';

const topic = 'bench.messages';
const PARTITIONS = 3;
const RECORDS = 5000;
const TIMES = 10;
const HOUR_MS = 3_600_000;
const RARE = 'the-key-that-is-seldom';

/** Batches as they are, without making each record anew. */
const produceRaw = createAPI(
  produceV9.api.key,
  produceV9.api.version,
  (partition: number, batch: Buffer) =>
    Writer.create()
      .appendString(null)
      .appendInt16(-1)
      .appendInt32(30_000)
      .appendArray([topic], (all, name) => {
        all.appendString(name).appendArray([partition], (one, index) => one.appendInt32(index).appendBytes(batch));
      })
      .appendTaggedFields(),
  produceV9.parseResponse,
);

const batchOf = (keys: readonly string[]): Buffer => {
  const messages = keys.map((key, index) => ({
    topic,
    key: Buffer.from(key),
    value: Buffer.from(`{"berth":"C${index % 40}","n":${index}}`),
    timestamp: 0n,
  }));
  return Buffer.from(createRecordsBatch(messages).buffer);
};
const stamped = (batch: Buffer, at: number): Buffer => {
  batch.writeBigInt64BE(BigInt(at), 27);
  batch.writeBigInt64BE(BigInt(at), 35);
  seal(batch);
  return batch;
};

/** Over an hour, oldest first; one message in the first batch of a partition has the key that is looked for. */
const fill = async ({ streaming, cluster }: Scene, count: number): Promise<Date> => {
  await streaming.createTopic('development', {
    name: topic,
    partitions: PARTITIONS,
    replication: 1,
    configs: { 'retention.ms': '86400000' },
  });
  const usual = batchOf(Array.from({ length: RECORDS }, (_, index) => `vessel-${index}`));
  const first = batchOf(Array.from({ length: RECORDS }, (_, index) => (index === 7 ? RARE : `vessel-${index}`)));
  const batches = Math.ceil(count / RECORDS);
  const beginsAt = Date.now() - HOUR_MS;
  const timeOf = (index: number): number => Math.round(beginsAt + (index / batches) * HOUR_MS);
  const { brokers } = await cluster.metadata([topic]);
  const [node] = brokers;
  if (!node) throw new Error('There is no broker');
  await cluster.read(node.nodeId, async (connection: Connection) => {
    for (let index = 0; index < batches; index += 1)
      await produceRaw.async(connection, index % PARTITIONS, stamped(index < PARTITIONS ? first : usual, timeOf(index)));
  });
  return new Date(timeOf(batches / 2));
};

const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
/** Returns the resident memory of the broker's process in bytes, or 0 if the broker is not a child of this process. */
const brokerBytes = (): number => {
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const isOurs = (pid: string): boolean => {
    try {
      return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(process.pid);
    } catch {
      return false;
    }
  };
  const children = pids.filter(isOurs).map((pid) => fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.max(
    0,
    ...children.filter((text) => text.includes('Name:\tnode')).map((text) => Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) * 1024),
  );
};

const LIVE_SECONDS = 5;
const EACH = 100;
/** 10,000 messages a second are written while somebody looks on: what the live view shows and leaves out of them. */
const watchLive = async ({ streaming, cluster }: Scene): Promise<string> => {
  const usual = batchOf(Array.from({ length: 1000 }, (_, index) => `vessel-${index}`));
  const counts = { shown: 0, skipped: 0 };
  const show = async ({ offset }: StreamMessage) => ({ offset: String(offset) }) as TopicMessage;
  const body = tailMessages({ messages: (signal) => streaming.tail('development', { topic, signal }), show, log });
  body.on('data', (chunk: Buffer) => {
    for (const [, event, data = '{}'] of String(chunk).matchAll(/event: (\w+)\ndata: (.*)\n/g)) {
      if (event === 'message') counts.shown += 1;
      if (event === 'skipped') counts.skipped += (JSON.parse(data) as { count: number }).count;
    }
  });
  await delay(2000);
  const processor = process.cpuUsage();
  const [node] = (await cluster.metadata([topic])).brokers;
  for (let turn = 0; turn < (LIVE_SECONDS * 1000) / EACH; turn += 1) {
    await cluster.read(node?.nodeId ?? 0, (connection) => produceRaw.async(connection, turn % PARTITIONS, stamped(usual, Date.now())));
    await delay(EACH);
  }
  await delay(2000);
  const { user, system } = process.cpuUsage(processor);
  body.destroy();
  const written = ((LIVE_SECONDS * 1000) / EACH) * 1000;
  return `live: ${written} written in ${LIVE_SECONDS} s, ${counts.shown} shown, ${counts.skipped} left out, ${(user + system) / 1000} ms of processor`;
};

export interface BrowseFigures {
  readonly 'p50 ms': number;
  readonly 'p95 ms': number;
  readonly answers: number;
  readonly 'looked at': number;
}
interface Browsed {
  readonly figures: Record<string, BrowseFigures>;
  readonly worst: number;
  readonly memoryMiB: number;
}

const figuresOf = (took: readonly number[], scanned: number): BrowseFigures => {
  const sorted = [...took].sort((one, other) => one - other);
  const at = (share: number): number => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
  return { 'p50 ms': at(0.5), 'p95 ms': at(0.95), answers: took.length, 'looked at': scanned };
};

export const measureMessages = async (scene: Scene, count: number): Promise<Browsed> => {
  const startedAt = performance.now();
  const middle = await fill(scene, count);
  console.log(`${count} messages written in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  const took: number[] = [];
  const ask = async (query: Partial<Parameters<typeof browseMessages>[1]['query']>): Promise<Found> => {
    const { key, ...rest } = query;
    const browsing = {
      environment: 'development',
      topic,
      query: { from: 'NEWEST', limit: 50, ...rest },
      key: key === undefined ? undefined : Buffer.from(key),
    } as const;
    const from = performance.now();
    const found = await browseMessages(scene.streaming, browsing);
    took.push(performance.now() - from);
    return found;
  };
  const figures: Record<string, BrowseFigures> = {};
  let peak = 0;
  const noted = (name: string, scanned: number): void => {
    figures[name] = figuresOf(took.splice(0), scanned);
    peak = Math.max(peak, process.memoryUsage().rss + brokerBytes());
  };
  const pages = async (name: string, query: Parameters<typeof ask>[0]): Promise<void> => {
    let { next, scanned } = await ask(query);
    for (let index = 1; index < TIMES && next !== null; index += 1) ({ next, scanned } = await ask({ ...query, next }));
    noted(name, scanned);
  };
  await pages('newest, page after page', {});
  await pages('oldest', { from: 'OLDEST' });
  await pages('offset in the middle', { from: 'OFFSET', offset: String(Math.floor(count / PARTITIONS / 2)) });
  await pages('time in the middle', { from: 'TIME', time: middle.toISOString() });
  await pages('a usual key', { key: 'vessel-9' });
  for (const from of ['NEWEST', 'OLDEST'] as const) {
    let scanned = 0;
    let found = await ask({ from, key: RARE });
    scanned += found.scanned;
    while (found.messages.length === 0 && found.next !== null) {
      found = await ask({ from, key: RARE, next: found.next });
      scanned += found.scanned;
    }
    if (found.messages.length === 0) throw new Error('The message was not found');
    noted(`a key that is seldom, ${from.toLowerCase()} first`, scanned);
  }
  console.log(await watchLive(scene));
  return { figures, worst: Math.max(...Object.values(figures).map((one) => one['p95 ms'])), memoryMiB: megabytes(peak) };
};
