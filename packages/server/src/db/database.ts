/** The pool, Kysely on top of it, and transactions with retries. */
import { createHash } from 'node:crypto';
import { Kysely, PostgresDialect, sql, type PostgresPool, type PostgresPoolClient, type Transaction } from 'kysely';
import pg from 'pg';
import { errorCode } from '#kernel/caught.ts';
import type { Log } from '#ports/log.ts';
import { createPool } from '#db/connections.ts';
import type { DB } from './types.ts';

export type Db = Kysely<DB>;

export interface Database {
  readonly pool: pg.Pool;
  readonly db: Db;
  close(): Promise<void>;
}

/** `connectionString`, or the `connection` that `startEmbeddedPostgres` returns; `max` is the number of connections. */
export type DatabaseConfig = pg.PoolConfig;

const STATEMENT_TIMEOUT_MS = 30_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;

export function openDatabase(config: DatabaseConfig, options: { log?: Log } = {}): Database {
  const settings = {
    max: 20,
    application_name: 'slipway',
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    types: { getTypeParser },
  };
  const pool = createPool({ ...settings, ...config }, options.log);
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: preparing(pool) }) });
  return { pool, db, close: () => db.destroy() };
}

const MARK = '/* prepared */';
/**
 * Ends a statement that each connection prepares once, so that PostgreSQL plans it a few times and not with each call. For frequent statements
 * whose text is always the same, and whose best plan does not depend on the values.
 */
export const prepared = sql.raw(MARK);

const statementNames = new Map<string, string>();
/** Name of a prepared statement. Texts without a mark have none. */
const statementName = (text: string): string | undefined => {
  if (!text.endsWith(MARK)) return undefined;
  const known = statementNames.get(text);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  statementNames.set(text, name);
  return name;
};

/** Kysely gives statements no names. */
const preparing = (pool: pg.Pool): PostgresPool => {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const wrap = (client: pg.PoolClient): PostgresPoolClient => {
    const query = (text: unknown, values?: unknown[]): unknown => {
      const name = typeof text === 'string' ? statementName(text) : undefined;
      return name === undefined ? client.query(text as string, values) : client.query({ name, text: text as string, values: values ?? [] });
    };
    return { query: query as PostgresPoolClient['query'], release: (isBroken) => client.release(isBroken) };
  };
  return {
    connect: async () => {
      const client = await pool.connect();
      const known = clients.get(client) ?? wrap(client);
      clients.set(client, known);
      return known;
    },
    end: () => pool.end(),
    options: pool.options,
  };
};

const { INT8, DATE } = pg.types.builtins;
// pg exports no names for array types.
const INT8_ARRAY: number = 1016;
const DATE_ARRAY: number = 1182;
const TEXT_ARRAY: number = 1009;

/** Parses counts and sizes as numbers and throws if a number cannot hold the value. Dates stay "YYYY-MM-DD": they have no time zone. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (format === 'binary') return pg.types.getTypeParser(oid, format);
  if (oid === INT8) return parseInt8;
  if (oid === INT8_ARRAY) return parseInt8Array;
  if (oid === DATE) return (text: string) => text;
  if (oid === DATE_ARRAY) return pg.types.getTypeParser(TEXT_ARRAY);
  return pg.types.getTypeParser(oid);
}

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number`);
  return value;
}

function parseInt8Array(text: string): (number | null)[] {
  const parse = pg.types.getTypeParser(INT8_ARRAY) as (text: string) => (string | null)[];
  return parse(text).map((element) => (element === null ? null : parseInt8(element)));
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';

/**
 * Runs `run` in a transaction and retries it after a serialization failure or deadlock. So `run` must have no side effects outside the
 * database. Other errors roll back and are rethrown.
 */
export async function transaction<Result>(db: Db, run: (trx: Transaction<DB>) => Promise<Result>, attempts = 5): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(run);
    } catch (error) {
      const code = errorCode(error);
      if (attempt >= attempts || (code !== SERIALIZATION_FAILURE && code !== DEADLOCK_DETECTED)) throw error;
    }
  }
}
