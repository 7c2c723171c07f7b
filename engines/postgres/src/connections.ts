/**
 * The only place that creates connections to PostgreSQL. A client that loses its connection between two queries emits `error`, which
 * ends the process if the client has no listener; a pool listens only to its idle clients. So our clients always have a listener.
 */
import pg from 'pg';
import type { Log } from '@slipway/foundation/ports/log.ts';

/** Swallows the `error` event: users of the client see the loss in the next query, or with their own listener. */
class HeardClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => {});
  }
}

/** Maximum wait for a connection while the database is down; then the caller gets an error. */
const CONNECT_TIMEOUT_MS = 4000;

export const createClient = (config: pg.ClientConfig): pg.Client => new HeardClient(config);

/** Connects for one piece of work. An error while the connection ends does not matter. */
export async function withClient<Result>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = createClient(config);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

export function createPool(config: pg.PoolConfig, log?: Log): pg.Pool {
  // The pool passes its whole configuration to each client, and hides the password from logs.
  const pool = new pg.Pool({ connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true, ...config, Client: HeardClient });
  pool.on('error', (error: Error & { code?: string }) => {
    const connection = config.application_name ?? 'slipway';
    if (!pool.ending) log?.warn({ code: error.code, reason: error.message, connection }, 'Lost an idle database connection');
  });
  return pool;
}

export type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/** Puts a function in front of the queries of all clients. Returns a function that removes it. Until then, queries have no more code. */
export const interceptQueries = (intercept: (query: Query) => Query): (() => void) => {
  const before = Object.getOwnPropertyDescriptor(pg.Client.prototype, 'query');
  if (!before) throw new Error('pg.Client has no method query');
  Object.defineProperty(pg.Client.prototype, 'query', { ...before, value: intercept(before.value) });
  return () => void Object.defineProperty(pg.Client.prototype, 'query', before);
};

/** For statements that take no parameters, such as DDL. */
export const { escapeIdentifier, escapeLiteral } = pg;
