/**
 * A client for one environment's cluster: it opens connections on demand, closes them after a minute without requests, and sends requests
 * to any broker, a given broker, the controller or a group's coordinator.
 *
 * Does not use the package's `Admin`, which deduplicates concurrent calls by operation name alone (two concurrent calls that add partitions
 * to different topics both get the first answer), and which discards a whole answer if one part failed.
 */
import {
  Connection,
  ConnectionPool,
  findCoordinatorV4,
  FindCoordinatorKeyTypes,
  metadataV12,
  ResponseError,
  type API,
  type ConnectionOptions,
} from '@platformatic/kafka';
import { inSpan } from '#kernel/telemetry/tracing.ts';
import type { BrokerAddress } from '#ports/streaming.ts';
import type { ClusterAccess } from './cluster-source.ts';
import { failureFrom, isTimeout, throwIfFailed } from './failures.ts';
import { steadily } from './patience.ts';

type Metadata = Awaited<ReturnType<typeof metadataV12.api.async>>;

export const CLIENT_ID = 'slipway';
/** How long a cluster may work on a request. */
export const WORK_MS = 15_000;
const CONNECT_MS = 5000;
const REQUEST_MS = 20_000;
const IDLE_MS = 60_000;

export class KafkaCluster {
  readonly #open: () => Promise<ClusterAccess>;
  /**
   * A broker answers the requests of one connection in order. Fetches are large, so they use a separate pool that no other request waits
   * for.
   */
  #pools: { asking?: ConnectionPool; reading?: ConnectionPool } = {};
  #nodes = new Map<number, BrokerAddress>();
  #underWay = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(open: () => Promise<ClusterAccess>) {
    this.#open = open;
  }

  async metadata(topics: string[] | null): Promise<Metadata> {
    const answer = await this.ask('Metadata', metadataV12.api, topics, false, false);
    this.#nodes = new Map(answer.brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]));
    return answer;
  }

  /** Asks any broker. The answer contains the errors of its parts. */
  ask<Arguments extends unknown[], Answer>(operation: string, api: API<Arguments, Answer>, ...request: Arguments): Promise<Answer> {
    return this.#using('asking', operation, async (pool) => {
      const { brokers } = await this.access();
      return answerOf(api.async(await pool.getFirstAvailable([...brokers]), ...request));
    });
  }

  /** Asks the controller, which creates topics. Since Kafka 3.3, any broker forwards such requests. */
  async askController<Arguments extends unknown[], Answer>(
    operation: string,
    api: API<Arguments, Answer>,
    ...request: Arguments
  ): Promise<Answer> {
    const { controllerId } = await steadily(() => this.metadata([]));
    return this.askNode(controllerId, operation, api, ...request);
  }

  askNode<Arguments extends unknown[], Answer>(
    nodeId: number,
    operation: string,
    api: API<Arguments, Answer>,
    ...request: Arguments
  ): Promise<Answer> {
    return this.#using('asking', operation, async (pool) => answerOf(api.async(await pool.get(await this.#addressOf(nodeId)), ...request)));
  }

  /** Asks a broker for messages. */
  read<Answer>(nodeId: number, ask: (connection: Connection) => Promise<Answer>): Promise<Answer> {
    return this.#using('reading', 'Fetch', async (pool) => ask(await pool.get(await this.#addressOf(nodeId))));
  }

  /** Returns node id → groups that the node coordinates. */
  async coordinators(groups: readonly string[]): Promise<ReadonlyMap<number, readonly string[]>> {
    if (groups.length === 0) return new Map();
    const answer = await this.ask('FindCoordinator', findCoordinatorV4.api, FindCoordinatorKeyTypes.GROUP, [...groups]);
    const nodes = new Map<number, string[]>();
    for (const { key, nodeId, host, port, errorCode, errorMessage } of answer.coordinators) {
      throwIfFailed(errorCode, 'FindCoordinator', errorMessage);
      this.#nodes.set(nodeId, { host, port });
      nodes.set(nodeId, [...(nodes.get(nodeId) ?? []), key]);
    }
    return nodes;
  }

  /** Opens a separate pool for long polls, since a broker answers the requests of one connection in order. The caller closes it. */
  async openPool(): Promise<{ get(nodeId: number): Promise<Connection>; close(): Promise<void> }> {
    const pool = poolTo(await this.access());
    return { get: async (nodeId) => pool.get(await this.#addressOf(nodeId)), close: () => pool.close() };
  }

  /** Connects to one broker as another user. */
  async connectAs(broker: BrokerAddress, user: string, password: string): Promise<Connection> {
    const connection = new Connection(CLIENT_ID, optionsOf({ ...(await this.access()), user, password }));
    bearErrors(connection);
    await connection.connect(broker.host, broker.port);
    return connection;
  }

  /** Returns the brokers' addresses as seen from here. */
  async addresses(): Promise<readonly BrokerAddress[]> {
    const { brokers, isSingleNode } = await this.access();
    if (isSingleNode) return brokers;
    await this.metadata([]);
    return [...this.#nodes.values()];
  }

  access(): Promise<ClusterAccess> {
    return this.#open();
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const { asking, reading } = this.#pools;
    this.#pools = {};
    await Promise.all([asking?.close(), reading?.close()]);
  }

  async #addressOf(nodeId: number): Promise<BrokerAddress> {
    const { brokers, isSingleNode } = await this.access();
    const [first] = brokers;
    if (isSingleNode && first) return first;
    if (!this.#nodes.has(nodeId)) await this.metadata([]);
    const found = this.#nodes.get(nodeId);
    if (!found) throw failureFrom(new Error(`there is no broker ${nodeId}`), 'Metadata');
    return found;
  }

  async #using<T>(kind: 'asking' | 'reading', operation: string, work: (pool: ConnectionPool) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    this.#underWay++;
    try {
      const access = await this.access();
      const pool = (this.#pools[kind] ??= poolTo(access));
      const attributes = { 'messaging.system': 'kafka', 'messaging.operation.name': operation };
      return await inSpan(`kafka ${operation}`, { kind: 'client', attributes }, () => work(pool));
    } catch (error) {
      if (isTimeout(error)) await this.close();
      throw failureFrom(error, operation);
    } finally {
      if (--this.#underWay === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }
}

/**
 * Callers learn of a broken connection from their request. The connection may also emit errors more than once, even after the pool has
 * stopped listening: a hung broker breaks each step of the sign-in in progress. An error event without a listener would end this process.
 */
const bearErrors = (connection: Connection): void => void connection.on('error', () => undefined);

const poolTo = (access: ClusterAccess): ConnectionPool => {
  const pool = new ConnectionPool(CLIENT_ID, optionsOf(access));
  pool.on('connecting', ({ connection }) => connection && bearErrors(connection));
  return pool;
};

/** Returns the whole answer, even if a part of it failed. The caller checks each part. */
async function answerOf<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ResponseError) return error['response'] as Answer;
    throw error;
  }
}

const optionsOf = ({ mechanism, user, password, tls }: ClusterAccess): ConnectionOptions => ({
  connectTimeout: CONNECT_MS,
  requestTimeout: REQUEST_MS,
  sasl: { mechanism, username: user, password },
  ...(tls ? { tls: tls.certificateAuthority ? { ca: tls.certificateAuthority } : {} } : {}),
});
