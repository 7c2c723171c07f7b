import { mapLimited } from '#kernel/map-limited.ts';
/** Reads a range of a topic from its start, its end, an offset or a time, with limits on messages, bytes and time. */
import { PortFailure } from '#ports/failure.ts';
import type { Browse, BrowsedMessages, BrowsedPartition, SkippedMessages, StreamMessage } from '#ports/streaming.ts';
import type { KafkaCluster } from '../cluster.ts';
import { EARLIEST, LATEST, ledPartitions, offsetsAt, partitionKey, type LedPartition } from '../offsets.ts';
import { fetchMessages } from './fetch.ts';
import { readableAfter } from './past-damage.ts';

const MOST_MESSAGES = 500;
const DEFAULT_BYTES = 8 * 1024 * 1024;
const LEAST_BYTES = 64 * 1024;
/** Maximum size of a search request. */
const SEARCH_BYTES = 1024 * 1024;
/** Estimated size per message when all messages are shown. A larger batch comes whole. */
const MESSAGE_BYTES = 2048;
const WAIT_MS = 500;
/** How long to search for a key before the caller decides whether to continue. */
const SEARCH_MS = 4000;

interface Bounds {
  readonly first: bigint;
  readonly next: bigint;
}
interface Stretch extends Bounds {
  readonly led: LedPartition;
  readonly start: bigint;
  readonly end: bigint;
}

export async function browseMessages(cluster: KafkaCluster, browse: Browse): Promise<BrowsedMessages> {
  const stretches = await stretchesOf(cluster, browse);
  const limits = {
    limit: Math.min(browse.limit, MOST_MESSAGES),
    maxBytes: Math.max(LEAST_BYTES, Math.floor((browse.maxBytes ?? DEFAULT_BYTES) / Math.max(1, stretches.length))),
    deadline: performance.now() + (browse.searchMs ?? SEARCH_MS),
    key: browse.key,
  };
  const read = await mapLimited(stretches, (stretch) => readStretch(cluster, stretch, limits));
  return {
    messages: read.flatMap(({ messages }) => messages).toSorted(byTime),
    skipped: read.flatMap(({ skipped }) => skipped),
    partitions: read.map(({ partition }) => partition),
    scanned: read.reduce((sum, { scanned }) => sum + scanned, 0),
  };
}

const byTime = (one: StreamMessage, other: StreamMessage): number =>
  one.partition === other.partition ? Number(one.offset - other.offset) : one.timestamp.getTime() - other.timestamp.getTime();

/** Returns the partitions. Throws `notFound` if the topic or partition does not exist. */
export async function partitionsOf(cluster: KafkaCluster, topic: string, partition?: number): Promise<readonly LedPartition[]> {
  const all = await ledPartitions(cluster, [topic]);
  const wanted = partition === undefined ? all : all.filter((led) => led.partition === partition);
  if (wanted.length === 0)
    throw new PortFailure('notFound', `There is no ${topic}${partition === undefined ? '' : `, partition ${partition}`}`);
  return wanted;
}

async function stretchesOf(cluster: KafkaCluster, { topic, partition, from, until, limit }: Browse): Promise<readonly Stretch[]> {
  const all = await partitionsOf(cluster, topic, partition);
  const led = from.at === 'offsets' ? all.filter((one) => from.offsets.has(one.partition)) : all;
  const at = (timestamp: bigint) => offsetsAt(cluster, led, timestamp);
  const [firsts, nexts, timed] = await Promise.all([
    at(EARLIEST),
    at(LATEST),
    from.at === 'time' ? at(BigInt(from.time.getTime())) : new Map<string, bigint | undefined>(),
  ]);
  return led.map((one) => {
    const key = partitionKey(one.topic, one.partition);
    const [first, next] = [firsts.get(key) ?? 0n, nexts.get(key) ?? 0n];
    const wanted = {
      start: () => first,
      end: () => next - BigInt(limit),
      offset: () => (from.at === 'offset' ? from.offset : first),
      offsets: () => (from.at === 'offsets' ? (from.offsets.get(one.partition) ?? first) : first),
      time: () => timed.get(key) ?? next,
    }[from.at]();
    const end = until?.get(one.partition) ?? next;
    return { led: one, first, next, start: wanted < first ? first : wanted > next ? next : wanted, end: end < next ? end : next };
  });
}

interface ReadLimits {
  readonly limit: number;
  readonly maxBytes: number;
  readonly deadline: number;
  readonly key: Uint8Array | undefined;
}
interface ReadStretch {
  readonly messages: readonly StreamMessage[];
  readonly skipped: readonly SkippedMessages[];
  readonly partition: BrowsedPartition;
  readonly scanned: number;
}

async function readStretch(cluster: KafkaCluster, { led, first, next, start, end }: Stretch, limits: ReadLimits): Promise<ReadStretch> {
  const { limit, maxBytes, deadline, key } = limits;
  const messages: StreamMessage[] = [];
  const skipped: SkippedMessages[] = [];
  let at = start;
  let bytes = 0;
  let scanned = 0;
  const isFull = (): boolean => messages.length >= limit || bytes >= maxBytes;
  // At least one request, so that each call makes progress.
  for (let isFirst = true; at < end && !isFull() && (isFirst || performance.now() < deadline); isFirst = false) {
    const from = at;
    const fetchLimits = {
      maxBytes: Math.min(key ? SEARCH_BYTES : Math.max(LEAST_BYTES, (limit - messages.length) * MESSAGE_BYTES), maxBytes),
      maxWaitMs: WAIT_MS,
      key,
      ...(key ? {} : { mostMessages: limit - messages.length }),
    };
    const position = { topicId: led.topicId, partition: led.partition, offset: at };
    const [fetched] = await cluster.read(led.leader, (connection) => fetchMessages(connection, [position], fetchLimits));
    if (fetched?.isDamaged && fetched.continueAt === from) {
      at = await cluster.read(led.leader, (connection) => readableAfter(connection, position, end));
      skipped.push({ partition: led.partition, fromOffset: from, toOffset: at - 1n, reason: 'broker' });
      continue;
    }
    if (!fetched || fetched.continueAt === from) break;
    skipped.push(...fetched.skipped);
    scanned += fetched.scanned;
    at = fetched.continueAt;
    for (const message of fetched.messages) {
      if (isFull() || message.offset >= end) {
        at = message.offset;
        break;
      }
      messages.push(message);
      bytes += (message.key?.length ?? 0) + (message.value?.length ?? 0);
    }
  }
  // Messages written in the meantime and transaction markers are beyond the end.
  const continueAt = at > end ? end : at;
  // Batches are opened whole, even if they extend beyond the end.
  const passed = key ? Math.min(scanned, Number(continueAt - start)) : messages.length;
  const passedOver = within(skipped, start, continueAt);
  return {
    messages,
    skipped: passedOver,
    partition: { partition: led.partition, firstOffset: first, nextOffset: next, continueAt },
    scanned: passed,
  };
}

/** Reports a skipped batch only for the part that is in the range. The rest belongs to the previous or next page. */
const within = (skipped: readonly SkippedMessages[], start: bigint, end: bigint): SkippedMessages[] =>
  skipped.flatMap((one) => {
    const fromOffset = one.fromOffset < start ? start : one.fromOffset;
    const toOffset = one.toOffset < end ? one.toOffset : end - 1n;
    return fromOffset > toOffset ? [] : [{ ...one, fromOffset, toOffset }];
  });

export async function readOneMessage(
  cluster: KafkaCluster,
  topic: string,
  partition: number,
  offset: bigint,
): Promise<StreamMessage | undefined> {
  const { messages } = await browseMessages(cluster, { topic, partition, from: { at: 'offset', offset }, limit: 1 });
  return messages[0]?.offset === offset ? messages[0] : undefined;
}
