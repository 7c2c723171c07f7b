/** Runs statements on one server, with one pool per login, and translates errors to port failures. */
import type pg from 'pg';
import { createClient, createPool } from '#db/connections.ts';
import { isDatabaseOutage, isStatementTimeout } from '#db/outage.ts';
import { errorCode } from '#kernel/caught.ts';
import { isPortFailure, PortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import type { DatabaseServer } from './database-server.ts';

/** Display name of the server in error messages. */
const ENGINE = 'database server';
/** Dropping a database waits for pending authentications: a minute by default. */
const STATEMENT_TIMEOUT_MS = 120_000;
const MAX_CONNECTIONS = 4;
/** Oldest version in which grants specify inherited rights. */
const OLDEST_VERSION = 160_000;

export type Statements = Pick<pg.ClientBase, 'query'>;

export class ServerSession {
  readonly server: DatabaseServer;
  readonly #log: Log;
  #pool: { readonly of: string; readonly pool: pg.Pool } | undefined;
  #isVersionKnown = false;
  #connections: number | undefined;

  constructor(server: DatabaseServer, log: Log) {
    this.server = server;
    this.#log = log;
    this.#connections = server.connections;
  }

  /** Connections for all databases together. Undefined until the server was first queried. */
  get connections(): number | undefined {
    return this.#connections;
  }

  /** Runs `work` in one of the server's databases, with a separate connection. */
  async runIn<T>(database: string, work: (client: Statements) => Promise<T>): Promise<T> {
    return translated(async () => {
      const settings = { application_name: 'slipway-databases', statement_timeout: STATEMENT_TIMEOUT_MS };
      const client = createClient({ ...settings, ...(await this.server.login()), database });
      try {
        await client.connect();
        return await work(client);
      } finally {
        await client.end().catch(() => {});
      }
    });
  }

  /** Runs `work` outside a transaction, since CREATE and DROP DATABASE are not allowed inside. */
  async run<T>(work: (client: Statements) => Promise<T>): Promise<T> {
    return translated(async () => {
      const client = await (await this.#connect()).connect();
      let failure: Error | undefined;
      try {
        await this.#checkVersion(client);
        return await work(client);
      } catch (error) {
        if (error instanceof Error) failure = error;
        throw error;
      } finally {
        // A failed client may be in an undefined state, so it is not reused.
        client.release(failure);
      }
    });
  }

  async transaction<T>(work: (client: Statements) => Promise<T>): Promise<T> {
    return this.run(async (client) => {
      await client.query('begin');
      const done = await work(client);
      await client.query('commit');
      return done;
    });
  }

  async close(): Promise<void> {
    await this.#pool?.pool.end();
    await this.server.close();
  }

  async #connect(): Promise<pg.Pool> {
    const login = await this.server.login();
    const of = JSON.stringify([login.host, login.port, login.user, login.password, login.database]);
    if (this.#pool?.of === of) return this.#pool.pool;
    const former = this.#pool?.pool;
    const settings = { max: MAX_CONNECTIONS, application_name: 'slipway-databases', statement_timeout: STATEMENT_TIMEOUT_MS };
    this.#pool = { of, pool: createPool({ ...settings, ...login }, this.#log) };
    void former?.end();
    return this.#pool.pool;
  }

  async #checkVersion(client: Statements): Promise<void> {
    if (this.#isVersionKnown) return;
    const { rows } = await client.query<{ version: number; connections: number }>(
      `select current_setting('server_version_num')::integer as version,
         current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
           - current_setting('reserved_connections')::integer as connections`,
    );
    if ((rows[0]?.version ?? 0) < OLDEST_VERSION) throw refused('PostgreSQL 16 or newer is needed');
    this.#isVersionKnown = true;
    this.#connections = rows[0]?.connections;
  }
}

const refused = (reason: string, cause?: unknown): PortFailure =>
  new PortFailure('rejected', `The database server refused: ${reason}`, { code: 'DatabaseServerRefused', context: { reason }, cause });

/**
 * Translates errors. PostgreSQL's messages contain names of roles and rights, but no passwords, since statements never contain one in clear
 * text.
 */
async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isPortFailure(error)) throw error;
    if (isDatabaseOutage(error) || isStatementTimeout(error))
      throw new PortFailure('unavailable', 'The database server does not answer', { context: { engine: ENGINE }, cause: error });
    // Only PostgreSQL's own errors have a five-character code.
    if (error instanceof Error && /^[0-9A-Z]{5}$/.test(errorCode(error) ?? '')) throw refused(error.message, error);
    throw error;
  }
}
