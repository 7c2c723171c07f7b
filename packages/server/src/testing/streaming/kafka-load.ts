/** Kafka clients that write and read steadily, and remember what was acknowledged: for tests in which the broker ends or is replaced. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { CompressionTypes, Kafka, logLevel, type Consumer, type Producer } from 'kafkajs';
import { expect } from 'vitest';

process.env['KAFKAJS_NO_PARTITIONER_WARNING'] = '1';
const WRITERS = 4;

export interface KafkaLoadOptions {
  readonly topic: string;
  readonly user: string;
  readonly password: string;
  /** Time between two messages of a writer. Defaults to none. */
  readonly pauseMs?: number;
}

/** Programs with an account of their own: four writers that want every message acknowledged, and a group of two readers that commit. */
export class KafkaLoad {
  readonly acknowledged: string[] = [];
  readonly read = new Set<string>();
  /** Longest time until a message was acknowledged. */
  longestPauseMs = 0;
  readonly #options: KafkaLoadOptions;
  readonly #kafka: Kafka;
  readonly #producer: Producer;
  readonly #consumers: Consumer[] = [];
  #writing: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(port: number, options: KafkaLoadOptions) {
    this.#options = options;
    const { user: username, password } = options;
    this.#kafka = new Kafka({
      brokers: [`127.0.0.1:${port}`],
      sasl: { mechanism: 'scram-sha-512', username, password },
      logLevel: logLevel.NOTHING,
      // Retries like a client that is configured for broker restarts.
      retry: { initialRetryTime: 50, maxRetryTime: 500, retries: 1000 },
    });
    this.#producer = this.#kafka.producer({ idempotent: true });
  }

  async start(): Promise<void> {
    await this.#producer.connect();
    for (const member of [0, 1]) this.#consumers[member] = await this.#reader('group', this.read);
    this.#writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => this.#write(writer)));
  }
  async #reader(group: string, read: Set<string>): Promise<Consumer> {
    const consumer = this.#kafka.consumer({ groupId: `${this.#options.user}.${group}`, sessionTimeout: 6000, heartbeatInterval: 500 });
    await consumer.connect();
    await consumer.subscribe({ topic: this.#options.topic, fromBeginning: true });
    await consumer.run({ autoCommitInterval: 100, eachMessage: async ({ message }) => void read.add(String(message.value)) });
    return consumer;
  }
  async #write(writer: number): Promise<void> {
    for (let index = 0; !this.#isOver; index += 1) {
      const since = performance.now();
      const value = `${writer} ${index}`;
      const compression = index % 2 === 0 ? CompressionTypes.GZIP : CompressionTypes.None;
      await this.#producer.send({ topic: this.#options.topic, acks: -1, compression, messages: [{ key: String(writer), value }] });
      this.acknowledged.push(value);
      this.longestPauseMs = Math.max(this.longestPauseMs, Math.round(performance.now() - since));
      if (this.#options.pauseMs !== undefined) await delay(this.#options.pauseMs);
    }
  }
  /** When so many more are acknowledged. */
  async more(messages: number): Promise<void> {
    const goal = this.acknowledged.length + messages;
    await expect.poll(() => this.acknowledged.length, { interval: 5 }).toBeGreaterThanOrEqual(goal);
  }
  async stopWriting(): Promise<void> {
    this.#isOver = true;
    await this.#writing;
  }
  /** Reads every message of the topic from the start, by offset. */
  async everything(): Promise<string[]> {
    const admin = this.#kafka.admin();
    await admin.connect();
    const ends = await admin.fetchTopicOffsets(this.#options.topic);
    await admin.disconnect();
    const count = ends.reduce((sum, { high }) => sum + Number(high), 0);
    const byPlace = new Map<string, string>();
    const consumer = this.#kafka.consumer({ groupId: `${this.#options.user}.${randomUUID()}` });
    await consumer.connect();
    await consumer.subscribe({ topic: this.#options.topic, fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ partition, message }) => void byPlace.set(`${partition} ${message.offset}`, String(message.value)),
    });
    await expect.poll(() => byPlace.size).toBe(count);
    await consumer.disconnect();
    return [...byPlace.values()];
  }
  async close(): Promise<void> {
    await this.stopWriting();
    await Promise.all([this.#producer.disconnect(), ...this.#consumers.map((consumer) => consumer.disconnect())]);
  }
}
