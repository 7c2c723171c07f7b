/** Kafka clients that write and read steadily, and remember what was acknowledged: for tests in which the broker ends or is replaced. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AssignerProtocol, CompressionTypes, Kafka, logLevel, type Consumer, type Producer } from 'kafkajs';
import { expect } from 'vitest';
import { PATIENCE_MS } from '#testing/patience.ts';

process.env['KAFKAJS_NO_PARTITIONER_WARNING'] = '1';
const WRITERS = 4;
const READERS = 2;
const HEARTBEAT_MS = 500;
const RESTART_MS = 100;

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
  readonly #group: string;
  readonly #readers: Consumer[] = [];
  readonly #crashes: string[] = [];
  readonly #restarts: Promise<void>[] = [];
  #writing: Promise<unknown> = Promise.resolve();
  #isOver = false;
  #isClosed = false;

  constructor(port: number, options: KafkaLoadOptions) {
    this.#options = options;
    const { user: username, password } = options;
    this.#group = `${username}.group`;
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
    for (let reader = 0; reader < READERS; reader += 1) await this.#startReader(reader);
    this.#writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => this.#write(writer)));
  }
  async #startReader(reader: number): Promise<void> {
    const consumer = this.#kafka.consumer({
      groupId: this.#group,
      sessionTimeout: 6000,
      heartbeatInterval: HEARTBEAT_MS,
      // KafkaJS sends heartbeats between fetches only.
      maxWaitTimeInMs: HEARTBEAT_MS,
    });
    this.#readers[reader] = consumer;
    consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
      this.#crashes.push(`reader ${reader}: ${error.message}`);
      if (!restart) this.#restarts.push(this.#restartReader(reader));
    });
    await consumer.connect();
    await consumer.subscribe({ topic: this.#options.topic, fromBeginning: true });
    await consumer.run({ autoCommitInterval: 100, eachMessage: async ({ message }) => void this.read.add(String(message.value)) });
  }
  /**
   * Replaces a reader, as a supervisor restarts a program. KafkaJS stops a consumer for good if the broker goes away while the consumer
   * signs in or looks for the group's coordinator (https://github.com/tulios/kafkajs/issues/1443).
   */
  async #restartReader(reader: number): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#startReader(reader);
        return;
      } catch (error) {
        this.#crashes.push(`reader ${reader} did not start: ${String(error)}`);
        await this.#readers[reader]?.disconnect();
        await delay(RESTART_MS);
      }
    }
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
  /** Waits until the group has read every acknowledged message. If it does not, the error describes the group. */
  async untilRead(): Promise<void> {
    const unread = (): number => this.acknowledged.filter((value) => !this.read.has(value)).length;
    try {
      await expect.poll(unread, { timeout: PATIENCE_MS }).toBe(0);
    } catch (cause) {
      const group = await this.describeGroup().catch(String);
      throw new Error(`The group has not read ${unread()} of ${this.acknowledged.length} messages. ${group}`, { cause });
    }
  }
  /** Returns the group's state, members, offsets, and the latest crashes of its readers. */
  async describeGroup(): Promise<string> {
    const { topic } = this.#options;
    const admin = this.#kafka.admin();
    await admin.connect();
    const { groups } = await admin.describeGroups([this.#group]);
    const [committed] = await admin.fetchOffsets({ groupId: this.#group, topics: [topic] });
    const ends = await admin.fetchTopicOffsets(topic);
    await admin.disconnect();
    const states = groups.map(({ state, members }) => {
      const assigned = members.map(({ memberAssignment }) => AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment[topic]);
      return `${state}, assigned ${JSON.stringify(assigned)}`;
    });
    const offsets = ends.map(({ partition, high }) => {
      const offset = committed?.partitions.find((one) => one.partition === partition)?.offset;
      return `partition ${partition} at ${offset} of ${high}`;
    });
    return `${[...states, ...offsets].join('; ')}; latest crashes: ${this.#crashes.slice(-10).join(', ') || 'none'}`;
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
    this.#isClosed = true;
    await Promise.all(this.#restarts);
    await Promise.all([this.#producer.disconnect(), ...this.#readers.map((reader) => reader.disconnect())]);
  }
}
