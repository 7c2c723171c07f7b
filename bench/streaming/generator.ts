/**
 * A client as programs have it, in a process of its own: the same library, the same orders for every broker.
 */
import { Consumer, Producer, type Message } from '@platformatic/kafka';
import { BATCH, IN_FLIGHT, MESSAGE_BYTES, PARTITIONS, WARM_SHARE, type Access, type Measured, type Order } from './orders.ts';

const CONNECT_MS = 10_000;
const REQUEST_MS = 60_000;
/** Number of different messages. No compressor can keep this many in its window at once. */
const VALUES = 512;
const TRY_AGAIN_MS = 10;

const access: Access = JSON.parse(process.argv[2] ?? '{}');

const options = (retries: number) => ({
  clientId: 'bench',
  bootstrapBrokers: [...access.brokers],
  sasl: { mechanism: access.mechanism, username: access.username, password: access.password },
  retries,
  connectTimeout: CONNECT_MS,
  requestTimeout: REQUEST_MS,
  autocreateTopics: false,
});
const newProducer = (retries = 3): Producer => new Producer(options(retries));

/** JSON such as events are, padded with letters that do not repeat themselves. */
const valueOf = (index: number): Buffer => {
  const event = { id: crypto.randomUUID(), berth: `C${index % 40}`, vessel: `Mare ${index % 97}`, eta: new Date().toISOString(), note: '' };
  const missing = MESSAGE_BYTES - JSON.stringify(event).length;
  const letters = Buffer.from(crypto.getRandomValues(new Uint8Array(missing)))
    .toString('base64')
    .slice(0, missing);
  return Buffer.from(JSON.stringify({ ...event, note: letters }));
};
const values = Array.from({ length: VALUES }, (_, index) => valueOf(index));
const valueAt = (index: number): Buffer => values[index % VALUES] ?? Buffer.alloc(0);

const messagesOf = (topic: string, from: number, count: number) => {
  const partition = Math.floor(from / count) % PARTITIONS;
  return Array.from({ length: count }, (_, index) => ({ topic, partition, value: valueAt(from + index) }));
};
const sendOne = (producer: Producer, topic: string, index: number) => producer.send({ messages: messagesOf(topic, index, 1), acks: -1 });

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Does `work` for every number below `count`, `together` at a time. */
const inTurn = async (count: number, together: number, work: (index: number) => Promise<unknown>): Promise<void> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: together }, worker));
};

const timesOf = async (count: number, together: number, work: (index: number) => Promise<unknown>): Promise<Measured> => {
  await inTurn(Math.ceil(count * WARM_SHARE), together, work);
  const times: number[] = [];
  const startedAt = performance.now();
  await inTurn(count, together, async (index) => {
    const sentAt = performance.now();
    await work(index);
    times.push(performance.now() - sentAt);
  });
  return measured(count, startedAt, times);
};
const measured = (count: number, startedAt: number, times: readonly number[], signInMs = 0): Measured => {
  const sorted = times.toSorted((left, right) => left - right);
  const now = performance.now();
  return {
    perSecond: (count / (now - startedAt)) * 1000,
    p50Ms: quantile(sorted, 0.5),
    p95Ms: quantile(sorted, 0.95),
    signInMs,
    doneAt: performance.timeOrigin + now,
  };
};

const withProducer = async <Result>(work: (producer: Producer) => Promise<Result>): Promise<Result> => {
  const producer = newProducer();
  try {
    return await work(producer);
  } finally {
    await producer.close();
  }
};

const batched = ({ topic, messages, compression }: Extract<Order, { kind: 'batched' }>): Promise<Measured> =>
  withProducer(async (producer) => {
    const sent = await timesOf(messages / BATCH, IN_FLIGHT, (index) =>
      producer.send({ messages: messagesOf(topic, index * BATCH, BATCH), acks: -1, compression }),
    );
    return { ...sent, perSecond: sent.perSecond * BATCH };
  });

const together = async ({ topic, messages, clients }: Extract<Order, { kind: 'together' }>): Promise<Measured> => {
  const producers = Array.from({ length: clients }, () => newProducer());
  try {
    const startedAt = performance.now();
    await Promise.all(producers.map((producer, index) => sendOne(producer, topic, index)));
    const signInMs = performance.now() - startedAt;
    const free = [...producers];
    const sent = await timesOf(messages, clients, async (index) => {
      const producer = free.pop();
      if (!producer) return;
      await sendOne(producer, topic, index);
      free.push(producer);
    });
    return { ...sent, signInMs };
  } finally {
    await Promise.all(producers.map((producer) => producer.close()));
  }
};

type Reading = { readonly group: string; readonly topic: string; readonly mode: 'earliest' | 'latest' };
/** Gives `take` every message, until `work` ends. */
const reading = async <Result>(
  { group, topic, mode }: Reading,
  take: (message: Message) => void,
  work: () => Promise<Result>,
): Promise<Result> => {
  const consumer = new Consumer({ ...options(3), groupId: group });
  try {
    const stream = await consumer.consume({ topics: [topic], mode, maxWaitTime: 500, autocommit: 1000 });
    stream.on('data', take);
    const failed = new Promise<never>((_, reject) => stream.once('error', reject));
    return await Promise.race([work(), failed]);
  } finally {
    await consumer.close(true);
  }
};

const consumed = ({ topic, messages, group }: Extract<Order, { kind: 'consumed' }>): Promise<Measured> => {
  let read = 0;
  const whole = Promise.withResolvers<void>();
  const take = (): void => {
    read += 1;
    if (read === messages) whole.resolve();
  };
  return reading({ group, topic, mode: 'earliest' }, take, async () => {
    const startedAt = performance.now();
    await whole.promise;
    return measured(messages, startedAt, []);
  });
};

/** A reader of the end finds it when it asks first: until something has arrived, messages may go past it. */
const endToEnd = ({ topic, messages, group }: Extract<Order, { kind: 'endToEnd' }>): Promise<Measured> => {
  let arrive: () => void = () => undefined;
  return reading(
    { group, topic, mode: 'latest' },
    () => arrive(),
    () =>
      withProducer(async (producer) => {
        let isThere = false;
        arrive = () => (isThere = true);
        for (let index = 0; !isThere; index += 1) {
          await sendOne(producer, topic, index);
          await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
        }
        return timesOf(messages, 1, async (index) => {
          const arrived = new Promise<void>((resolve) => (arrive = resolve));
          await sendOne(producer, topic, index);
          await arrived;
        });
      }),
  );
};

const first = async (topic: string): Promise<Measured> => {
  for (;;) {
    const producer = newProducer(0);
    try {
      await sendOne(producer, topic, 0);
      return measured(1, performance.now(), []);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    } finally {
      await producer.close(true);
    }
  }
};

const carryOut = (order: Order): Promise<Measured> => {
  switch (order.kind) {
    case 'single':
      return withProducer((producer) => timesOf(order.messages, 1, (index) => sendOne(producer, order.topic, index)));
    case 'batched':
      return batched(order);
    case 'consumed':
      return consumed(order);
    case 'endToEnd':
      return endToEnd(order);
    case 'together':
      return together(order);
    case 'first':
      return first(order.topic);
  }
};

process.on('message', (order: Order) => {
  carryOut(order).then(
    (result) => process.send?.({ measured: result }),
    (error: unknown) => process.send?.({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({ isReady: true });
