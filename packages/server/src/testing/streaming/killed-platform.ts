/**
 * A platform with event streaming that is killed: its server and its broker as programs, an app with a schema, two topics and an account that
 * stay, and another team's topic. What it holds afterwards is asked of the broker and the registry, and compared with the rows.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { accountCreate, accountDelete, accountUpdate } from '@slipway/contract/streaming/account.ts';
import { accountPasswordTake, AccountPassword } from '@slipway/contract/streaming/account-password.ts';
import { schemaCreate, schemaDelete } from '@slipway/contract/streaming/schema.ts';
import { topicCreate, topicDelete } from '@slipway/contract/streaming/topic.ts';
import { RawClient } from '@slipway/kafka/raw-client.fixture.ts';
import { killQuietly } from '@slipway/runtime/sandbox/process-tree.ts';
import { seedPeople } from '../actors.ts';
import { testDatabase, type TestDatabase } from '../database.ts';
import { seedApp } from '../fixtures.ts';
import { freePort } from '#testing/free-port.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { Program, programToken, removeData } from '../program.ts';
import { brokerPassword, brokerPid, inRegistry, onBroker, streamingDifferences, wantedByRows } from './broker-state.ts';

export const place = { app: 'berth', env: 'development' };
export const avro = (...fields: object[]): string =>
  JSON.stringify({ type: 'record', name: 'Event', fields: [{ name: 'berth', type: 'string' }, ...fields] });
export const topicSpec = {
  retentionHours: 24,
  partitionNumber: 2,
  segmentBytes: 1_073_741_824,
  cleanupPolicy: 'DELETE',
  isSharable: true,
  dataSecurityClassification: 'INTERNAL',
};
const topicBody = (name: string, more: object = {}) => ({
  name,
  description: 'Killed',
  spec: { ...topicSpec, replicationFactor: 1, valueSchema: { resourceId: 'events' }, ...more },
});
export const topicLists = (produce: readonly string[], consume: readonly string[]) => ({
  description: 'Killed',
  produceTopics: produce.map((resourceId) => ({ resourceId })),
  consumeTopics: consume.map((resourceId) => ({ resourceId })),
});
export type StreamingKind = 'schema' | 'topic' | 'account';

export class KilledPlatform {
  readonly database: TestDatabase;
  readonly dataDir: string;
  readonly kafkaPort: number;
  readonly #environment: Record<string, string>;
  #server: Program | undefined;

  private constructor(database: TestDatabase, dataDir: string, ports: readonly [number, number, number, number]) {
    this.database = database;
    this.dataDir = dataDir;
    const [port, ingress, development, production] = ports;
    this.kafkaPort = development;
    this.#environment = {
      PORT: String(port),
      SLIPWAY_INGRESS_PORT: String(ingress),
      SLIPWAY_KAFKA_PORT_DEVELOPMENT: String(development),
      SLIPWAY_KAFKA_PORT_PRODUCTION: String(production),
      SLIPWAY_DATA: dataDir,
      DATABASE_URL: database.url,
    };
  }

  /** Started, and furnished with what stays: `events`, `orders`, `moves`, `reader`, and the topic `arrivals` of another team. */
  static async open(): Promise<KilledPlatform> {
    const dataDir = await mkdtemp(join(tmpdir(), 'slipway-streaming-kills-'));
    const ports = [await freePort(), await freePort(), await freePort(), await freePort()] as const;
    const opened = new KilledPlatform(await testDatabase(), dataDir, ports);
    const { db, pool } = opened.database;
    await seedPeople(db);
    await seedApp(db, { id: 'berth' });
    await seedApp(db, { id: 'eta', team: 'customs' });
    await opened.start();
    await pool.query(
      `insert into team_member (team_id, identity_id, role)
         select team.id, identity.id, 'OWNER' from team, identity where identity.id = 'platform-automation'`,
    );
    await opened.completed(await opened.make.schema('events'));
    await Promise.all(['orders', 'moves'].map(async (name) => opened.completed(await opened.make.topic(name))));
    await opened.completed(await opened.send(accountCreate, {}, { name: 'reader', ...topicLists([], ['moves']) }));
    await opened.completed(await opened.send(schemaCreate, { app: 'eta' }, { name: 'events', content: avro() }));
    const secret = topicBody('arrivals', { dataSecurityClassification: 'CONFIDENTIAL' });
    await opened.completed(await opened.send(topicCreate, { app: 'eta' }, secret));
    return opened;
  }

  readonly make = {
    schema: (name: string) => this.send(schemaCreate, {}, { name, content: avro() }),
    topic: (name: string) => this.send(topicCreate, {}, topicBody(name)),
    account: (name: string) => this.send(accountCreate, {}, { name, ...topicLists(['orders'], ['moves']) }),
  };
  readonly remove = {
    schema: (schema: string) => this.send(schemaDelete, { schema }),
    topic: (topic: string) => this.send(topicDelete, { topic }),
    account: (account: string) => this.send(accountDelete, { account }),
  };

  get server(): Program {
    if (!this.#server) throw new Error('The server was not started');
    return this.#server;
  }
  async start(): Promise<void> {
    this.#server = await Program.start(Number(this.#environment['PORT']), this.#environment);
  }
  async close(): Promise<void> {
    await this.#server?.end('SIGTERM');
    await this.database.drop();
    await removeData(this.dataDir);
  }

  /** Answers the pipeline. */
  async send(route: RouteShape, params: Record<string, string>, body?: unknown): Promise<string> {
    return ((await this.server.call(route, { params: { ...place, ...params }, body })) as PipelineRun).pipelineId;
  }
  async completed(pipelineId: string): Promise<void> {
    const { status, statusMessage } = await this.server.ended(pipelineId);
    const steps = status.steps.map(({ code, state, message }) => [code, state, message]);
    expect(status.state, `${statusMessage} ${JSON.stringify(steps)}`).toBe('COMPLETED');
  }
  /** The account `reader` reads it beside what it reads always. */
  async letRead(topic: string): Promise<void> {
    await this.completed(await this.send(accountUpdate, { account: 'reader' }, topicLists([], ['moves', topic])));
  }
  async takePassword(account: string): Promise<string> {
    return AccountPassword.parse(await this.server.call(accountPasswordTake, { params: { ...place, account } })).password;
  }
  async maySignIn(user: string, password: string): Promise<boolean> {
    const client = new RawClient(this.kafkaPort);
    const code = await client.signIn(user, password);
    client.close();
    return code === 0;
  }

  async password(): Promise<string> {
    return brokerPassword(this.database.pool, this.dataDir);
  }
  /** As somebody with the rights of the platform does it behind its back. */
  async asAdministrator<Answer>(work: (client: RawClient) => Promise<Answer>): Promise<Answer> {
    const client = await RawClient.signedIn(this.kafkaPort, 'slipway', await this.password());
    try {
      return await work(client);
    } finally {
      client.close();
    }
  }
  /** Once it runs: it starts again beside the server. */
  brokerPid(): Promise<number> {
    return vi.waitUntil(() => brokerPid(this.dataDir), { timeout: PATIENCE_MS });
  }
  async killBroker(): Promise<void> {
    killQuietly(await this.brokerPid(), 'SIGKILL');
  }

  /** Returns what exists but is not wanted, and what is wanted but does not exist. */
  async #differences(): Promise<string[]> {
    const subjects = await inRegistry(`http://127.0.0.1:${this.#environment['PORT']}`, programToken);
    const there = { ...(await onBroker(this.kafkaPort, await this.password())), subjects };
    return streamingDifferences(there, await wantedByRows(this.database.pool));
  }
  /** The broker may just be starting again. */
  async expectExact(): Promise<void> {
    await expect.poll(() => this.#differences().catch((error: unknown) => [String(error)])).toEqual([]);
  }
}
