/**
 * Returns a page of messages across partitions in order of time, with the start of the next page in each partition. Reads forward from an
 * offset or a time, or backward from the end.
 */
import { messageLimits, type TopicMessageQuery } from '@slipway/contract/streaming/message.ts';
import type * as z from 'zod/mini';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { Problem } from '#kernel/problem.ts';
import type { BrowseFrom, SkippedMessages, Streaming, StreamingEnvironment, StreamMessage } from '#ports/streaming.ts';

/** Time limit of a response, so that a key search can report progress. A running read is completed. */
const SEARCH_MS = 100;
/** Time limit of a stretch. A slower stretch is shortened. */
const STRETCH_MS = 300;
const GROWTH = 4n;
/** Maximum over all partitions together. */
const LONGEST = 150_000n;
const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);
const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);

type Query = z.output<typeof TopicMessageQuery>;
export interface Browsing {
  readonly environment: StreamingEnvironment;
  /** Name on the cluster. */
  readonly topic: string;
  readonly query: Query;
  readonly key: Uint8Array | undefined;
}
export interface Found {
  readonly messages: readonly StreamMessage[];
  readonly next: string | null;
  readonly scanned: number;
  /** Offsets in this direction that were not searched yet. */
  readonly left: number;
  readonly skipped: readonly SkippedMessages[];
  readonly isPartial: boolean;
}

/** Position in each partition: forward, the next offset to read; backward, the first offset shown. */
interface Cursor {
  readonly isBack: boolean;
  readonly at: ReadonlyMap<number, bigint>;
  /** Offsets per partition to search in one call. */
  readonly span?: bigint;
}
const cursorText = ({ isBack, at, span }: Cursor): string => {
  const offsets = Object.fromEntries([...at].map(([partition, offset]) => [partition, String(offset)]));
  return Buffer.from(JSON.stringify({ b: isBack, at: offsets, ...(span && { s: Number(span) }) })).toString('base64url');
};
const wrong = () => new Problem('InvalidValue', { field: 'next' });
const readCursor = (text: string): Cursor => {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw wrong();
  }
  if (!isRecord(value) || typeof value['b'] !== 'boolean' || !isRecord(value['at'])) throw wrong();
  const at = new Map<number, bigint>();
  for (const [partition, offset] of Object.entries(value['at'])) {
    if (!/^\d{1,6}$/.test(partition) || typeof offset !== 'string' || !/^\d{1,18}$/.test(offset)) throw wrong();
    at.set(Number(partition), BigInt(offset));
  }
  const { b: isBack, s: span } = value;
  if (span === undefined) return { isBack, at };
  if (!Number.isInteger(span) || Number(span) < 1) throw wrong();
  return { isBack, at, span: min(BigInt(Number(span)), LONGEST) };
};

const byTime = (one: StreamMessage, other: StreamMessage): number =>
  one.timestamp.getTime() - other.timestamp.getTime() || one.partition - other.partition || Number(one.offset - other.offset);

const startOf = ({ from, offset, time }: Query): BrowseFrom => {
  if (from === 'OLDEST') return { at: 'start' };
  if (from === 'OFFSET') {
    if (offset === undefined) throw new Problem('Required', { field: 'offset', context: { label: 'Offset' } });
    return { at: 'offset', offset: BigInt(offset) };
  }
  if (time === undefined) throw new Problem('Required', { field: 'time', context: { label: 'Time' } });
  return { at: 'time', time: new Date(time) };
};

/** Returns the skipped messages in this page; the next page reports the rest. A partition without a bound reports all. */
const skippedFrom = (skipped: readonly SkippedMessages[], from: ReadonlyMap<number, bigint>): SkippedMessages[] =>
  skipped.flatMap((one) => {
    const fromOffset = max(one.fromOffset, from.get(one.partition) ?? one.fromOffset);
    return fromOffset > one.toOffset ? [] : [{ ...one, fromOffset }];
  });
const skippedBefore = (skipped: readonly SkippedMessages[], before: ReadonlyMap<number, bigint>): SkippedMessages[] =>
  skipped.flatMap((one) => {
    const toOffset = min(one.toOffset, (before.get(one.partition) ?? one.toOffset + 1n) - 1n);
    return one.fromOffset > toOffset ? [] : [{ ...one, toOffset }];
  });

const leftOf = (at: Cursor['at'], stretch: (partition: number, offset: bigint) => bigint): number =>
  [...at].reduce((sum, [partition, offset]) => sum + Number(stretch(partition, offset)), 0);

/** Reads from the end of the previous page, or from the requested start. */
const forwards = async (streaming: Streaming, browsing: Browsing, cursor: Cursor | undefined): Promise<Found> => {
  const { environment, topic, query, key } = browsing;
  const { messages, partitions, skipped, scanned } = await streaming.browse(environment, {
    topic,
    limit: query.limit,
    from: cursor ? { at: 'offsets', offsets: cursor.at } : startOf(query),
    ...(!cursor && query.partition !== undefined && { partition: query.partition }),
    ...(key && { key, searchMs: SEARCH_MS }),
  });
  const shown = [...messages].sort(byTime).slice(0, query.limit);
  const isShown = new Set(shown);
  const at = new Map<number, bigint>();
  for (const { partition, nextOffset, continueAt } of partitions) {
    const left = messages.filter((message) => message.partition === partition && !isShown.has(message));
    const [first] = left.map(({ offset }) => offset).sort((one, other) => Number(one - other));
    const goOn = first ?? continueAt;
    if (goOn < nextOffset) at.set(partition, goOn);
  }
  const ends = new Map(partitions.map(({ partition, nextOffset }) => [partition, nextOffset]));
  return {
    messages: shown,
    next: at.size === 0 ? null : cursorText({ isBack: false, at }),
    scanned,
    left: leftOf(at, (partition, offset) => (ends.get(partition) ?? offset) - offset),
    skipped: skippedBefore(skipped, at),
    isPartial: at.size > 0 && shown.length < query.limit,
  };
};

/** Reads a stretch of every partition before the offsets, or before the end. An incomplete stretch exceeds the response limit. */
const readBefore = async (streaming: Streaming, browsing: Browsing, at: Cursor['at'] | undefined, span: bigint) => {
  const { environment, topic, query, key } = browsing;
  const offsets = at && new Map([...at].map(([partition, before]) => [partition, max(0n, before - span)] as const));
  const found = await streaming.browse(environment, {
    topic,
    limit: key ? messageLimits.page : Number(span),
    from: offsets ? { at: 'offsets', offsets } : { at: 'end' },
    ...(at ? { until: at } : query.partition !== undefined && { partition: query.partition }),
    ...(key && { key, searchMs: STRETCH_MS }),
  });
  const parts = found.partitions.map(({ partition, firstOffset, nextOffset, continueAt }) => {
    const before = at?.get(partition) ?? nextOffset;
    return { partition, first: firstOffset, before, from: max(before - span, firstOffset), isWhole: continueAt >= before };
  });
  return { ...found, parts };
};

/** Reads stretches of increasing length, since a key may be far away. Stops when the page is full or the time is over. */
const backwards = async (streaming: Streaming, browsing: Browsing, cursor: Cursor | undefined): Promise<Found> => {
  const { limit } = browsing.query;
  const deadline = performance.now() + SEARCH_MS;
  const kept: StreamMessage[] = [];
  const skipped: SkippedMessages[] = [];
  let at = cursor?.at;
  let span = cursor?.span ?? BigInt(browsing.key ? messageLimits.page : limit);
  let scanned = 0;
  let firsts: ReadonlyMap<number, bigint> | undefined;
  // Reads at least one stretch, so that every request makes progress.
  while (kept.length < limit && at?.size !== 0 && (!firsts || performance.now() < deadline)) {
    const found = await readBefore(streaming, browsing, at, span);
    if (span > 1n && found.parts.some(({ isWhole }) => !isWhole)) {
      span = max(1n, span / GROWTH);
      at ??= new Map(found.parts.map(({ partition, before }) => [partition, before]));
      continue;
    }
    const shown = [...found.messages]
      .sort(byTime)
      .reverse()
      .slice(0, limit - kept.length);
    kept.push(...shown);
    scanned += found.scanned;
    at = goOnBefore(found, shown);
    skipped.push(...skippedFrom(found.skipped, at));
    firsts = new Map(found.parts.map(({ partition, first }) => [partition, first]));
    if (browsing.key) span = max(1n, min(span * GROWTH, LONGEST / BigInt(Math.max(1, at.size))));
  }
  const left = at ?? new Map<number, bigint>();
  return {
    messages: kept,
    next: left.size === 0 ? null : cursorText({ isBack: true, at: left, span }),
    scanned,
    left: leftOf(left, (partition, before) => before - (firsts?.get(partition) ?? 0n)),
    skipped,
    isPartial: left.size > 0 && kept.length < limit,
  };
};

type Stretch = Awaited<ReturnType<typeof readBefore>>;
/** Returns partition → offset to continue before. Omits partitions with nothing left. */
const goOnBefore = ({ parts, messages }: Stretch, shown: readonly StreamMessage[]): Map<number, bigint> => {
  const at = new Map<number, bigint>();
  for (const { partition, from, first, before } of parts) {
    const own = shown.filter((message) => message.partition === partition).map(({ offset }) => offset);
    const isAllShown = own.length === messages.filter((message) => message.partition === partition).length;
    const next = isAllShown ? from : own.reduce((least, offset) => (offset < least ? offset : least), before);
    if (next > first) at.set(partition, next);
  }
  return at;
};

export const browseMessages = async (streaming: Streaming, browsing: Browsing): Promise<Found> => {
  const { next, from } = browsing.query;
  const cursor = next === undefined ? undefined : readCursor(next);
  return (cursor?.isBack ?? from === 'NEWEST') ? backwards(streaming, browsing, cursor) : forwards(streaming, browsing, cursor);
};
