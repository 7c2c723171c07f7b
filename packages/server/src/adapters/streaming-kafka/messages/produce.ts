/** Writes one message, acknowledged by all in-sync replicas. */
import { randomInt } from 'node:crypto';
import { murmur2, ProduceAcks, produceV9 } from '@platformatic/kafka';
import { PortFailure } from '#ports/failure.ts';
import type { NewMessage, WrittenMessage } from '#ports/streaming.ts';
import { type KafkaCluster, WORK_MS } from '../cluster.ts';
import { throwIfFailed } from '../failures.ts';
import { steadily } from '../patience.ts';
import { partitionsOf } from './browse.ts';

const NON_NEGATIVE = 0x7fff_ffff;
const bytesOf = (bytes: Uint8Array | null): Buffer | null => bytes && Buffer.from(bytes);

export async function produceMessage(cluster: KafkaCluster, topic: string, message: NewMessage): Promise<WrittenMessage> {
  const all = await steadily(() => partitionsOf(cluster, topic));
  const partition = message.partition ?? partitionFor(message.key, all.length);
  const led = all.find((one) => one.partition === partition);
  if (!led) throw new PortFailure('notFound', `There is no ${topic}, partition ${partition}`);
  const headers = new Map((message.headers ?? []).map(({ key, value }) => [Buffer.from(key), bytesOf(value)]));
  // The package's types do not allow a null value (a tombstone), but its writer supports it.
  const record = { topic, partition, key: bytesOf(message.key) ?? undefined, value: bytesOf(message.value), headers } as Parameters<
    typeof produceV9.createRequest
  >[2][number];
  const answer = await cluster.askNode(led.leader, 'Produce', produceV9.api, ProduceAcks.ALL, WORK_MS, [record]);
  const written = typeof answer === 'boolean' ? undefined : answer.responses[0]?.partitionResponses[0];
  if (!written) throw new PortFailure('unavailable', 'Produce: no answer', { context: { engine: 'Kafka cluster' } });
  throwIfFailed(written.errorCode, 'Produce', written.errorMessage);
  return { partition, offset: written.baseOffset };
}

/**
 * Partitions like Java's clients, so that a key stays in its partition. The package's default keeps the sign and chooses other partitions.
 */
const partitionFor = (key: Uint8Array | null, partitions: number): number =>
  key ? (murmur2(Buffer.from(key)) & NON_NEGATIVE) % partitions : randomInt(partitions);
