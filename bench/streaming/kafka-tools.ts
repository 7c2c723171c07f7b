/**
 * Both brokers by Kafka's own perf tools, kafka-producer-perf-test and kafka-consumer-perf-test: another client than the bench's own, with
 * other batches. They come with the jars that the engines kit fetches.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AccessRight } from '../../packages/foundation/src/ports/streaming.ts';
import { engineCache } from '../../scripts/test-runs/engines-kit.ts';
import { median } from '../compare/pairs.ts';
import type { Peer } from './peers.ts';

const run = promisify(execFile);
const env = 'development';
const USER = 'bench.tools';
const PASSWORD = 'the-password-of-the-tools-themselves';
const PARTITIONS = 3;
const cases = [
  { bytes: 100, codec: 'none', records: 500_000 },
  { bytes: 1000, codec: 'none', records: 200_000 },
  { bytes: 1000, codec: 'zstd', records: 200_000 },
] as const;
type Case = (typeof cases)[number];

export interface ToolFigures {
  readonly producedPerSecond: number;
  readonly producedP95Ms: number;
  readonly consumedPerSecond: number;
}

const jars = (): string => {
  const dist = join(engineCache, 'dist');
  const newest = readdirSync(dist)
    .filter((name) => name.startsWith('kafka-'))
    .toSorted()
    .at(-1);
  if (newest === undefined) throw new Error(`There is no Kafka in ${dist}`);
  return join(dist, newest, 'libs', '*');
};
const tool = async (name: string, words: readonly string[]): Promise<string> =>
  (await run('java', ['-Xmx512m', '-cp', jars(), `org.apache.kafka.tools.${name}`, ...words])).stdout;

/** Returns the number that a pattern finds in the last line of a tool's output. */
const figure = (output: string, pattern: RegExp): number => {
  const last = output.trim().split('\n').at(-1) ?? '';
  const [, found] = pattern.exec(last) ?? [];
  if (found === undefined) throw new Error(`${pattern} is not in: ${last}`);
  return Number(found);
};

const prepare = async ({ streaming }: Peer, topics: readonly string[]): Promise<string> => {
  for (const name of topics) await streaming.createTopic(env, { name, partitions: PARTITIONS, replication: 1, configs: {} });
  const rights = topics.flatMap((name) =>
    (['read', 'write'] as const).map((operation): AccessRight => ({ resource: 'topic', pattern: 'literal', name, operation })),
  );
  await streaming.openUser(env, USER, PASSWORD);
  await streaming.setRights(env, USER, [...rights, { resource: 'group', pattern: 'prefixed', name: `${USER}.`, operation: 'read' }]);
  const { bootstrapServers, mechanism } = await streaming.connection(env);
  return [
    `bootstrap.servers=${bootstrapServers.map(({ host, port }) => `${host}:${port}`).join(',')}`,
    'security.protocol=SASL_PLAINTEXT',
    `sasl.mechanism=${mechanism}`,
    `sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="${USER}" password="${PASSWORD}";`,
    'acks=all',
  ].join('\n');
};

const measure = async (config: string, topic: string, { bytes, codec, records }: Case): Promise<ToolFigures> => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-tools-'));
  try {
    const file = join(folder, 'client.properties');
    writeFileSync(file, config, { mode: 0o600 });
    const common = ['--topic', topic, '--num-records', String(records), '--command-config', file];
    const size = ['--throughput', '-1', '--record-size', String(bytes), '--command-property', `compression.type=${codec}`];
    const produced = await tool('ProducerPerformance', [...common, ...size]);
    const [, servers = ''] = /^bootstrap\.servers=(.*)$/m.exec(config) ?? [];
    const group = ['--bootstrap-server', servers, '--group', `${USER}.${topic}`, '--hide-header'];
    const consumed = await tool('ConsumerPerformance', [...common, ...group]);
    return {
      producedPerSecond: figure(produced, /, ([\d.]+) records\/sec/),
      producedP95Ms: figure(produced, / ([\d.]+) ms 95th/),
      consumedPerSecond: figure(consumed, /^(?:[^,]*,\s*){5}([\d.]+)/),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Measures the peers in turns, so that both meet the same machine, and prints medians with their ratios. */
export const compareByTools = async (peers: readonly Peer[], rounds: number): Promise<void> => {
  const topicOf = (index: number, round: number): string => `bench.tools-${index}-${round}`;
  const topics = cases.flatMap((_, index) => Array.from({ length: rounds }, (__, round) => topicOf(index, round)));
  const prepared: { peer: Peer; config: string }[] = [];
  for (const peer of peers) prepared.push({ peer, config: await prepare(peer, topics) });
  for (const [index, one] of cases.entries()) {
    const found = new Map(peers.map(({ name }): [string, ToolFigures[]] => [name, []]));
    for (let round = 0; round < rounds; round++)
      for (const { peer, config } of round % 2 === 0 ? prepared : prepared.toReversed())
        found.get(peer.name)?.push(await measure(config, topicOf(index, round), one));
    printCase(one, found);
  }
};

const printCase = ({ bytes, codec, records }: Case, found: ReadonlyMap<string, readonly ToolFigures[]>): void => {
  console.log(`\n${records} messages of ${bytes} bytes, compression ${codec}, by Kafka's perf tools (medians):`);
  const names = ['producedPerSecond', 'producedP95Ms', 'consumedPerSecond'] as const;
  console.table(
    names.map((what) => {
      const medians = [...found].map(([name, figures]): [string, number] => [name, median(figures.map((one) => one[what]))]);
      const [ours, theirs] = medians.map(([, value]) => value);
      return {
        what,
        ...Object.fromEntries(medians.map(([name, value]) => [name, Math.round(value)])),
        ...(ours !== undefined && theirs !== undefined && { ratio: (ours / theirs).toFixed(2) }),
      };
    }),
  );
};
