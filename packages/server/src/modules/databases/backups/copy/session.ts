/** Sessions for copies. The same value gives the same text, whatever the settings of the server or database. */
import type pg from 'pg';
import { createClient } from '#db/connections.ts';
import type { DatabaseMaintenance } from '#ports/databases.ts';

/** Lock timeout for tables, in seconds. */
export const LOCK_SECONDS = 60;

/**
 * An empty search path makes PostgreSQL qualify every name, and no function of the database can shadow a system function. With row security
 * off, the copy fails instead of silently omitting rows that a policy hides.
 */
const settings = `
  set search_path = ''; set statement_timeout = 0; set lock_timeout = '${LOCK_SECONDS}s'; set idle_in_transaction_session_timeout = 0;
  set client_encoding = 'UTF8'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC';
  set extra_float_digits = 3; set bytea_output = 'hex'; set xmloption = content; set row_security = off; set check_function_bodies = off;
  set default_transaction_read_only = off`;
/** A view with functions, run with our rights, may have replaced a table meanwhile. Servers before 2024 don't have this setting. */
const hardened = `select pg_catalog.set_config(name, 'view, foreign-table', false) from pg_catalog.pg_settings
  where name = 'restrict_nonsystem_relation_kind'`;

export type CopySession = Pick<DatabaseMaintenance, 'host' | 'port' | 'sslMode' | 'database' | 'user' | 'password'>;

/** Converts `sslMode` to an option of `pg`. */
const sslOf = (mode: string): pg.ClientConfig['ssl'] => {
  if (mode === 'disable') return false;
  return { rejectUnauthorized: mode === 'verify-full' || mode === 'verify-ca' };
};

/** Opens a session that `signal` also ends. */
export async function openSession(
  { host, port, sslMode, database, user, password }: CopySession,
  { purpose, signal }: { readonly purpose: string; readonly signal: AbortSignal },
): Promise<pg.Client> {
  const client = createClient({
    host,
    port,
    database,
    user,
    password,
    ssl: sslOf(sslMode),
    application_name: `Slipway: ${purpose}`,
    connectionTimeoutMillis: 10_000,
  });
  const end = (): void => void client.end().catch(() => {});
  signal.addEventListener('abort', end, { once: true });
  client.once('end', () => signal.removeEventListener('abort', end));
  try {
    signal.throwIfAborted();
    await client.connect();
    await client.query(settings);
    if (purpose === 'backup') await client.query(hardened);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}
