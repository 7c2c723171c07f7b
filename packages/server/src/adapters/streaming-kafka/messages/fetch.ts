/** Reads from partitions like a consumer without a group. Records arrive as bytes and are opened here, with limits. */
import { createAPI, FetchIsolationLevels, fetchV13, type Connection, type Reader } from '@platformatic/kafka';
import type { SkippedMessages, StreamMessage } from '#ports/streaming.ts';
import { CORRUPT_MESSAGE, OFFSET_OUT_OF_RANGE, throwIfFailed } from '../failures.ts';
import { readBatches } from './record-batches.ts';

interface RawPartition {
  readonly topicId: string;
  readonly partition: number;
  readonly errorCode: number;
  readonly lastStableOffset: bigint;
  readonly logStartOffset: bigint;
  readonly aborted: readonly { readonly producerId: bigint; readonly firstOffset: bigint }[];
  readonly records: Buffer;
}
interface RawFetch {
  readonly errorCode: number;
  readonly partitions: readonly RawPartition[];
}

function readPartition(topicId: string, reader: Reader): RawPartition {
  const [partition, errorCode] = [reader.readInt32(), reader.readInt16()];
  reader.readInt64();
  const [lastStableOffset, logStartOffset] = [reader.readInt64(), reader.readInt64()];
  const aborted = reader.readArray((r) => ({ producerId: r.readInt64(), firstOffset: r.readInt64() })) ?? [];
  reader.readInt32();
  const length = Math.max(0, reader.readUnsignedVarInt() - 1);
  const records = Buffer.from(reader.buffer.slice(reader.position, reader.position + length));
  reader.skip(length);
  return { topicId, partition, errorCode, lastStableOffset, logStartOffset, aborted, records };
}

function parseFetch(_correlationId: number, _apiKey: number, _apiVersion: number, reader: Reader): RawFetch {
  reader.readInt32();
  const errorCode = reader.readInt16();
  reader.readInt32();
  const topics = reader.readArray((r) => {
    const topicId = r.readUUID();
    return r.readArray((one) => readPartition(topicId, one));
  });
  return { errorCode, partitions: topics.flat() };
}

/** The package's fetch request, with an answer parser that does not open the records. */
const rawFetch = createAPI<Parameters<typeof fetchV13.createRequest>, RawFetch>(
  fetchV13.api.key,
  fetchV13.api.version,
  fetchV13.createRequest,
  parseFetch,
);

export interface FetchPosition {
  readonly topicId: string;
  readonly partition: number;
  readonly offset: bigint;
}
export interface FetchLimits {
  readonly maxBytes: number;
  readonly maxWaitMs: number;
  /** Bytes per partition. Defaults to the limit for all partitions. */
  readonly partitionBytes?: number;
  /** Messages per partition. Later messages are not opened. */
  readonly mostMessages?: number;
  /** Only messages with this key. */
  readonly key?: Uint8Array | undefined;
}
export interface FetchedPartition {
  readonly topicId: string;
  readonly partition: number;
  /** Number of messages examined, with or without the key. */
  readonly scanned: number;
  readonly messages: readonly StreamMessage[];
  readonly skipped: readonly SkippedMessages[];
  /** Offset for the next request. Equal to this request's offset if there was nothing. */
  readonly continueAt: bigint;
  /** True if the data at `continueAt` is damaged. The length of the damage is unknown. */
  readonly isDamaged: boolean;
  /** Last stable offset. Later messages may belong to open transactions. */
  readonly endOffset: bigint;
}
const NO_SESSION = [0, -1] as const;
/** Default number of messages per partition. */
const MOST_MESSAGES = 10_000;
/** Bytes to unpack in one turn of the event loop. The rest comes with the next request. */
const OPENED_BYTES = 32 * 1024 * 1024;

/** Fetches from partitions that are all led by the broker at the other end. */
export async function fetchMessages(
  connection: Connection,
  positions: readonly FetchPosition[],
  limits: FetchLimits,
): Promise<readonly FetchedPartition[]> {
  const { maxBytes, maxWaitMs, partitionBytes = maxBytes } = limits;
  const topics = [...Map.groupBy(positions, ({ topicId }) => topicId)].map(([topicId, all]) => ({
    topicId,
    partitions: all.map(({ partition, offset }) => ({
      partition,
      currentLeaderEpoch: -1,
      fetchOffset: offset,
      lastFetchedEpoch: -1,
      partitionMaxBytes: partitionBytes,
    })),
  }));
  const committed = FetchIsolationLevels.READ_COMMITTED;
  const answer = await rawFetch.async(connection, maxWaitMs, 1, maxBytes, committed, ...NO_SESSION, topics, [], '');
  throwIfFailed(answer.errorCode, 'Fetch');
  return answer.partitions.flatMap((raw) => {
    const from = positions.find(({ topicId, partition }) => topicId === raw.topicId && partition === raw.partition);
    return from ? [fetchedOf(raw, from.offset, limits)] : [];
  });
}

function fetchedOf(raw: RawPartition, from: bigint, { key, mostMessages = MOST_MESSAGES }: FetchLimits): FetchedPartition {
  const { topicId, partition, logStartOffset } = raw;
  const place = { topicId, partition };
  const nothing = { ...place, scanned: 0, messages: [], skipped: [] };
  // Retention deleted messages during the read.
  if (raw.errorCode === OFFSET_OUT_OF_RANGE && from < logStartOffset)
    return { ...nothing, continueAt: logStartOffset, isDamaged: false, endOffset: logStartOffset + 1n };
  if (raw.errorCode === CORRUPT_MESSAGE) return { ...nothing, continueAt: from, isDamaged: true, endOffset: from + 1n };
  throwIfFailed(raw.errorCode, 'Fetch');
  const messages: StreamMessage[] = [];
  const skipped: SkippedMessages[] = [];
  const isAborted = abortedTransactions(raw.aborted);
  let continueAt = from;
  let scanned = 0;
  let isDamaged = false;
  let openedBytes = 0;
  for (const batch of readBatches(raw.records, partition, { key, from, most: mostMessages })) {
    if (messages.length >= mostMessages || openedBytes >= OPENED_BYTES) break;
    openedBytes += batch.openedBytes;
    if (batch.skipped && (batch.nextOffset <= batch.firstOffset || batch.nextOffset > raw.lastStableOffset)) {
      isDamaged = true;
      break;
    }
    continueAt = batch.nextOffset > continueAt ? batch.nextOffset : continueAt;
    if (isAborted(batch) || batch.control) continue;
    if (batch.skipped && batch.nextOffset > from)
      skipped.push({ partition, fromOffset: batch.firstOffset, toOffset: batch.nextOffset - 1n, reason: batch.skipped });
    scanned += batch.scanned;
    // A batch comes whole, even if it begins before the requested offset.
    for (const message of batch.messages) if (message.offset >= from) messages.push(message);
  }
  return { ...place, scanned, messages, skipped, continueAt, isDamaged, endOffset: raw.lastStableOffset };
}

/** Returns a filter for aborted transactions: a producer's batches are void from the offset on, until its own abort marker. */
function abortedTransactions(aborted: RawPartition['aborted']) {
  const waiting = aborted.toSorted((one, other) => Number(one.firstOffset - other.firstOffset));
  const open = new Set<bigint>();
  return (batch: {
    firstOffset: bigint;
    producerId: bigint;
    isTransactional: boolean;
    control: 'abort' | 'commit' | undefined;
  }): boolean => {
    while (waiting[0] && waiting[0].firstOffset <= batch.firstOffset) open.add(waiting.shift()?.producerId ?? -1n);
    if (batch.control === 'abort') open.delete(batch.producerId);
    return batch.isTransactional && batch.control === undefined && open.has(batch.producerId);
  };
}
