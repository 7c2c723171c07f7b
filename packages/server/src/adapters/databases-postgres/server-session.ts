/** Statements on one server: one pool for as long as its login is the same, and failures as the port names them. */
import type pg from 'pg';
import { createClient, createPool } from '#db/connections.ts';
import { isDatabaseOutage, isStatementTimeout } from '#db/outage.ts';
import { errorCode } from '#kernel/caught.ts';
import { isPortFailure, PortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import type { DatabaseServer } from './database-server.ts';

/** The name by which people learn that it does not answer. */
const ENGINE = 'database server';
/** Dropping a database waits for everybody who is about to sign in: a minute, unless the server has another limit. */
const STATEMENT_TIMEOUT_MS = 120_000;
const MAX_CONNECTIONS = 4;
/** Grants say which of their rights they pass on. */
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

  /** Connections for all databases together; undefined until the server was asked for the first time. */
  get connections(): number | undefined {
    return this.#connections;
  }

  /** In one of its databases, with a connection of its own. */
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

  /** One statement at a time, none of them in a transaction: CREATE and DROP DATABASE cannot be. */
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
        // One that failed may be in the middle of something.
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

/** Messages of PostgreSQL name roles and rights, never a password: statements carry none in clear. */
async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isPortFailure(error)) throw error;
    if (isDatabaseOutage(error) || isStatementTimeout(error))
      throw new PortFailure('unavailable', 'The database server does not answer', { context: { engine: ENGINE }, cause: error });
    // Only PostgreSQL's own errors have a code of five characters.
    if (error instanceof Error && /^[0-9A-Z]{5}$/.test(errorCode(error) ?? '')) throw refused(error.message, error);
    throw error;
  }
}
