/**
 * The embedded broker beside one node of Apache Kafka (of `../shared/engines-kit`) in the same run: the same client, in processes of their own,
 * signs in by SCRAM as an account with an account's rules. Each round measures both, in turns first; medians are compared. Neither flushes
 * before it answers: a message is in the system's page cache then, and outlives a kill of the broker, not one of the machine.
 * Where there is no Kafka, that is said and ours is measured alone. BENCH_TOPICS (1000), BENCH_ONLY (`brokers`, `api`).
 * `-- streaming --kafka-tools` measures both by Kafka's own perf tools instead, since ratios depend on the client.
 */
import type { BenchOptions } from './compare/pairs.ts';
import { compareByTools } from './streaming/kafka-tools.ts';
import { measureFromApi } from './streaming/from-api.ts';
import { apachePeer, embeddedPeer, type Peer } from './streaming/peers.ts';
import { compareBrokers } from './streaming/rounds.ts';
import { printBrokers, printFromApi } from './streaming/tables.ts';
import { missingFor } from '../scripts/test-runs/engines-kit.ts';

const port = Number(process.env['BENCH_PORT'] ?? 4700) + 90;
const only = process.env['BENCH_ONLY'];

const isByTools = process.argv.includes('--kafka-tools');

const brokers = async (rounds: number): Promise<void> => {
  const missing = missingFor('kafka', 17);
  if (missing) console.log(`streaming: NOT COMPARED with Apache Kafka: ${missing}`);
  const peers: Peer[] = [];
  try {
    if (!missing) peers.push(await apachePeer(port));
    peers.unshift(await embeddedPeer(port + 5));
    if (isByTools) await compareByTools(peers, rounds);
    else printBrokers(await compareBrokers(peers, { rounds, topics: Number(process.env['BENCH_TOPICS'] ?? 1000) }), rounds);
  } finally {
    for (const peer of peers) await peer.remove();
  }
};

export const run = async ({ rounds }: BenchOptions): Promise<void> => {
  if (only !== 'api') await brokers(rounds);
  if (only !== 'brokers' && !isByTools) printFromApi(await measureFromApi());
};
