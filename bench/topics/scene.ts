/** A database with the load of streaming, a broker, and what the platform's parts need to look at both, in this process. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { brokerProgram } from '../../engines/kafka/src/program.ts';
import { EmbeddedBroker } from '../../packages/server/src/adapters/streaming-embedded/embedded-broker.ts';
import { ConfiguredClusters, type ConfiguredCluster } from '../../packages/server/src/adapters/streaming-kafka/configured-clusters.ts';
import { KafkaCluster } from '../../packages/server/src/adapters/streaming-kafka/cluster.ts';
import { KafkaStreaming } from '../../packages/server/src/adapters/streaming-kafka/kafka-streaming.ts';
import { EmbeddedSchemaRegistry } from '../../engines/schemas/src/registry/embedded-schema-registry.ts';
import { openDatabase } from '../../packages/server/src/db/database.ts';
import { startEmbeddedPostgres } from '../../engines/postgres/src/embedded-postgres.ts';
import { migrate } from '../../packages/server/src/db/migrator.ts';
import { seedStreamingLoad } from '../../packages/server/src/testing/load/streaming-load.ts';

export const log = { debug() {}, info() {}, warn: console.warn, error: console.error };
const port = Number(process.env['BENCH_PORT'] ?? 4700);

export interface Sizes {
  readonly topics: number;
  readonly accounts: number;
  /** An Apache Kafka instead of our own broker, as JSON. */
  readonly kafka?: string | undefined;
}
export type Scene = Awaited<ReturnType<typeof openScene>>;

const brokerIn = (directory: string): EmbeddedBroker =>
  new EmbeddedBroker({
    dataDir: path.join(directory, 'streaming'),
    program: brokerProgram,
    host: '127.0.0.1',
    ports: { development: port + 85, production: port + 86 },
    advertisedHost: '127.0.0.1',
    adminPassword: async () => 'the-password-of-the-bench-itself',
    floorBytes: 0,
    log,
  });

export const openScene = async ({ topics, accounts, kafka }: Sizes) => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-bench-topics-'));
  fs.chmodSync(directory, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: directory, log });
  const database = openDatabase(postgres.connection);
  await migrate(database.pool, { log });
  const client = await database.pool.connect();
  await seedStreamingLoad(client, { topics, accounts, member: 'platform-automation' });
  client.release();
  const given = kafka === undefined ? undefined : (JSON.parse(kafka) as ConfiguredCluster);
  const source = given ? new ConfiguredClusters({ development: given }) : brokerIn(directory);
  const streaming = new KafkaStreaming({ kind: given ? 'kafka' : 'embedded', source });
  const cluster = new KafkaCluster(() => source.access('development'));
  const signIn = { token: async () => undefined };
  const registry = new EmbeddedSchemaRegistry({ pool: database.pool, publicUrl: 'http://localhost', signIn, log });
  const { host, user, password, database: name } = postgres.connection;
  return {
    db: database.db,
    pool: database.pool,
    streaming,
    registry,
    cluster,
    directory,
    url: `postgresql://${user}:${encodeURIComponent(password)}@localhost/${name}?host=${encodeURIComponent(host)}`,
    close: async () => {
      await cluster.close();
      await streaming.close();
      await database.close();
      await postgres.stop();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
};
