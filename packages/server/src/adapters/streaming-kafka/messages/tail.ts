/** Streams new messages for as long as the caller reads: one long poll per leader, on separate connections. */
import { setTimeout as delay } from 'node:timers/promises';
import { mapLimited } from '#kernel/map-limited.ts';
import type { StreamMessage, Tail } from '#ports/streaming.ts';
import type { KafkaCluster } from '../cluster.ts';
import { failureFrom, PassingFailure } from '../failures.ts';
import { LATEST, offsetsAt, partitionKey, type LedPartition } from '../offsets.ts';
import { partitionsOf } from './browse.ts';
import { fetchMessages } from './fetch.ts';
import { readableAfter } from './past-damage.ts';

const FETCH_BYTES = 1024 * 1024;
const WAIT_MS = 500;
/** Milliseconds between requests, so that each brings many messages under load. */
const PAUSE_MS = 100;
/** Maximum number of unread messages per partition. Slower readers skip ahead to near the end. */
const MOST_BEHIND = 10_000n;
/** How many messages before the end to continue after skipping. */
const NEAR = 100n;

type Position = LedPartition & { readonly offset: bigint };

export async function* tailMessages(cluster: KafkaCluster, { topic, partition, signal }: Tail): AsyncGenerator<StreamMessage> {
  const led = await partitionsOf(cluster, topic, partition);
  const ends = await offsetsAt(cluster, led, LATEST);
  const positions = new Map(
    led.map((one): [number, Position] => [one.partition, { ...one, offset: ends.get(partitionKey(topic, one.partition)) ?? 0n }]),
  );
  const pool = await cluster.openPool();
  // Aborts the pending long polls.
  const stop = (): void => void pool.close();
  signal?.addEventListener('abort', stop, { once: true });
  const pass = async (leader: number, position: Position): Promise<void> => {
    const end = (await offsetsAt(cluster, [position], LATEST)).get(partitionKey(topic, position.partition)) ?? position.offset + 1n;
    positions.set(position.partition, { ...position, offset: await readableAfter(await pool.get(leader), position, end) });
  };
  const readFrom = async (leader: number, from: readonly Position[]): Promise<readonly StreamMessage[]> => {
    const fetched = await fetchMessages(await pool.get(leader), from, { maxBytes: FETCH_BYTES, maxWaitMs: WAIT_MS });
    for (const one of fetched) {
      const before = positions.get(one.partition);
      if (before && one.isDamaged && one.continueAt === before.offset) {
        await pass(leader, before);
        continue;
      }
      const isFarBehind = one.endOffset - one.continueAt > MOST_BEHIND;
      if (before) positions.set(one.partition, { ...before, offset: isFarBehind ? one.endOffset - NEAR : one.continueAt });
    }
    return fetched.flatMap(({ messages }) => messages);
  };
  const readAll = async (): Promise<readonly StreamMessage[]> => {
    const leaders = Map.groupBy(positions.values(), ({ leader }) => leader);
    // One long poll per broker, all in parallel: brokers are few, and none may wait for another.
    return (await mapLimited(leaders, ([leader, from]) => readFrom(leader, from), leaders.size)).flat();
  };
  try {
    while (!signal?.aborted) {
      const read = await readAll().catch(async (error: unknown) => {
        if (!(error instanceof PassingFailure)) throw error;
        // Leadership has moved to another broker.
        for (const one of await partitionsOf(cluster, topic, partition))
          positions.set(one.partition, { ...one, offset: positions.get(one.partition)?.offset ?? 0n });
        return [];
      });
      yield* read.toSorted((one, other) => one.timestamp.getTime() - other.timestamp.getTime());
      if (read.length > 0) await delay(PAUSE_MS, undefined, { signal });
    }
  } catch (error) {
    if (!signal?.aborted) throw failureFrom(error, 'Fetch');
  } finally {
    signal?.removeEventListener('abort', stop);
    await pool.close();
  }
}
