/**
 * The only place where connections to PostgreSQL are made. A client that loses its connection between two queries emits `error`, and
 * a client without a listener then ends the process; a pool listens to its idle clients alone. So ours listen from birth to death.
 */
import pg from 'pg';
import type { Log } from '#ports/log.ts';

/** Whoever uses the client learns of the loss from the next query, or from a listener of its own. */
class HeardClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => {});
  }
}

/** While the database is away a caller waits no longer than this for a connection, and then says so. */
const CONNECT_TIMEOUT_MS = 4000;

export const createClient = (config: pg.ClientConfig): pg.Client => new HeardClient(config);

export function createPool(config: pg.PoolConfig, log?: Log): pg.Pool {
  // The pool gives each client its whole configuration, and hides the password in it from logs.
  const pool = new pg.Pool({ connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true, ...config, Client: HeardClient });
  pool.on('error', (error: Error & { code?: string }) => {
    const connection = config.application_name ?? 'slipway';
    if (!pool.ending) log?.warn({ code: error.code, reason: error.message, connection }, 'Lost an idle database connection');
  });
  return pool;
}

/** For statements that take no parameters. */
export const { escapeIdentifier, escapeLiteral } = pg;
