/** Measures each broker: idle, in rounds, with many topics, and after a start. */
import type { AccessRight } from '../../packages/foundation/src/ports/streaming.ts';
import { costOf, idleActivity, megabytesOf, type Activity } from './activity.ts';
import { startClient, type Client } from './client.ts';
import { PARTITIONS, WARM_SHARE, type Measured } from './orders.ts';
import type { Peer } from './peers.ts';

const env = 'development';
const USER = 'bench.client';
const PASSWORD = 'the-password-of-the-client-itself';
const SIGNED_IN_TOGETHER = 100;
const messages = { single: 2000, batched: 30_000, endToEnd: 1000, together: 5000 };
const STARTS = 3;
/** Made one after the other and timed; the rest is made so many at a time. */
const TIMED_TOPICS = 30;
const TOPICS_AT_ONCE = 8;

export interface Round {
  readonly single: Measured;
  readonly batched: Measured;
  readonly packed: Measured;
  readonly consumed: Measured;
  readonly endToEnd: Measured;
  readonly together: Measured;
  /** While batches were written. */
  readonly peakMegabytes: number;
  /** Processor milliseconds that the broker used per 1000 messages. */
  readonly singleProcessorMs: number;
  readonly batchedProcessorMs: number;
}
/** Measurements of one broker. */
export interface Figures {
  readonly name: string;
  readonly idle: Activity;
  readonly rounds: readonly Round[];
  /** Milliseconds until a new topic with three partitions is visible. Holds a value for each timed topic. */
  readonly topicMs: readonly number[];
  readonly topics: number;
  readonly megabytesWithTopics: number;
  /** From the start of the program to the first message that is acknowledged. */
  readonly startMs: readonly number[];
}

interface Bench {
  readonly peer: Peer;
  readonly client: Client;
  readonly rounds: Round[];
}
const bulk = (round: number): string => `bench.bulk-${round}`;
const packed = (round: number): string => `bench.packed-${round}`;

/** Makes the topics, and the account as the platform does it: a rule for each topic and operation, and one for its groups. */
const prepare = async (peer: Peer, rounds: number): Promise<Bench> => {
  const { streaming } = peer;
  const numbers = Array.from({ length: rounds + 1 }, (_, round) => round);
  const topics = ['bench.single', 'bench.ends', 'bench.together', ...numbers.flatMap((round) => [bulk(round), packed(round)])];
  for (const name of topics) await makeTopic(peer, name);
  const rights = topics.flatMap((name) =>
    (['read', 'write'] as const).map((operation): AccessRight => ({ resource: 'topic', pattern: 'literal', name, operation })),
  );
  await streaming.openUser(env, USER, PASSWORD);
  await streaming.setRights(env, USER, [...rights, { resource: 'group', pattern: 'prefixed', name: `${USER}.`, operation: 'read' }]);
  const { bootstrapServers, mechanism } = await streaming.connection(env);
  const brokers = bootstrapServers.map(({ host, port }) => `${host}:${port}`);
  return { peer, client: await startClient({ brokers, mechanism, username: USER, password: PASSWORD }), rounds: [] };
};
const makeTopic = ({ streaming }: Peer, name: string): Promise<void> =>
  streaming.createTopic(env, { name, partitions: PARTITIONS, replication: 1, configs: { 'retention.ms': '3600000' } });

/** With those that warm it up. */
const thousands = (count: number): number => (count * (1 + WARM_SHARE)) / 1000;

const measureRound = async ({ peer, client }: Bench, round: number): Promise<Round> => {
  const group = `${USER}.readers-${round}`;
  const single = await costOf(peer.pid(), () => client.measure({ kind: 'single', topic: 'bench.single', messages: messages.single }));
  const written = await costOf(peer.pid(), () =>
    client.measure({ kind: 'batched', topic: bulk(round), messages: messages.batched, compression: 'none' }),
  );
  return {
    single: single.result,
    batched: written.result,
    peakMegabytes: written.peakMegabytes,
    singleProcessorMs: single.processorMs / thousands(messages.single),
    batchedProcessorMs: written.processorMs / thousands(messages.batched),
    packed: await client.measure({ kind: 'batched', topic: packed(round), messages: messages.batched, compression: 'zstd' }),
    consumed: await client.measure({ kind: 'consumed', topic: bulk(round), messages: messages.batched, group }),
    endToEnd: await client.measure({ kind: 'endToEnd', topic: 'bench.ends', messages: messages.endToEnd, group: `${group}-ends` }),
    together: await client.measure({
      kind: 'together',
      topic: 'bench.together',
      messages: messages.together,
      clients: SIGNED_IN_TOGETHER,
    }),
  };
};

const makeTopics = async (peer: Peer, count: number): Promise<number[]> => {
  const times: number[] = [];
  const names = Array.from({ length: count }, (_, index) => `bench.many-${index}`);
  for (const name of names.splice(0, TIMED_TOPICS)) {
    const startedAt = performance.now();
    await makeTopic(peer, name);
    times.push(performance.now() - startedAt);
  }
  const worker = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) await makeTopic(peer, name);
  };
  await Promise.all(Array.from({ length: TOPICS_AT_ONCE }, worker));
  return times;
};

const measureStart = async ({ peer, client }: Bench): Promise<number> => {
  await peer.stop();
  const startedAt = performance.timeOrigin + performance.now();
  const [{ doneAt }] = await Promise.all([client.measure({ kind: 'first', topic: 'bench.single' }), peer.start()]);
  return doneAt - startedAt;
};

const said = ({ single, batched, consumed, endToEnd }: Round): string =>
  `one p50 ${single.p50Ms.toFixed(2)} ms, end to end ${endToEnd.p50Ms.toFixed(2)} ms, ` +
  `written ${Math.round(batched.perSecond)} and read ${Math.round(consumed.perSecond)} messages/s`;

export const compareBrokers = async (
  peers: readonly Peer[],
  { rounds, topics }: { readonly rounds: number; readonly topics: number },
): Promise<Figures[]> => {
  const benches: Bench[] = [];
  try {
    for (const peer of peers) benches.push(await prepare(peer, rounds));
    const idle = await Promise.all(benches.map(({ peer }) => idleActivity(peer.pid())));
    for (const bench of benches) await measureRound(bench, 0);
    for (let round = 1; round <= rounds; round += 1) {
      for (const bench of round % 2 === 0 ? benches : benches.toReversed()) {
        const measured = await measureRound(bench, round);
        bench.rounds.push(measured);
        console.log(`round ${round} of ${rounds}: ${bench.peer.name} ${said(measured)}`);
      }
    }
    const topicMs: number[][] = [];
    for (const { peer } of benches) topicMs.push(await makeTopics(peer, topics));
    const megabytes = benches.map(({ peer }) => megabytesOf(peer.pid()));
    const starts: number[][] = benches.map(() => []);
    for (let start = 0; start < STARTS; start += 1)
      for (const [index, bench] of benches.entries()) starts[index]?.push(await measureStart(bench));
    return benches.map(({ peer, rounds: measured }, index) => ({
      name: peer.name,
      idle: idle[index] ?? { megabytes: 0, wakeups: 0, writtenBytes: 0, processorMs: 0 },
      rounds: measured,
      topicMs: topicMs[index] ?? [],
      topics,
      megabytesWithTopics: megabytes[index] ?? 0,
      startMs: starts[index] ?? [],
    }));
  } finally {
    for (const { client } of benches) client.stop();
  }
};
