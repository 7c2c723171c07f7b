/** Waits at startup for the PostgreSQL of DATABASE_URL, and throws a readable error if it cannot be used. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { errorMessage } from '#kernel/caught.ts';
import { StartError } from '#kernel/start-error.ts';
import type { Log } from '#ports/log.ts';
import { withClient } from '#db/connections.ts';
import { isDatabaseOutage } from '#db/outage.ts';

/** Long enough for a database that starts together with the platform. */
const PATIENCE_MS = 20_000;
const RETRY_MS = 500;
const CONNECT_MS = 5000;
const LEAST_VERSION = 150_000;

export async function reachDatabase(connectionString: string, log: Log, patienceMs = PATIENCE_MS): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await lookOnce({ connectionString, connectionTimeoutMillis: CONNECT_MS });
    } catch (error) {
      if (error instanceof StartError) throw error;
      const reason = reasonOf(error);
      if (!isDatabaseOutage(error)) throw refusal(connectionString, `refuses the connection: ${reason}`, error);
      if (performance.now() > deadline)
        throw refusal(connectionString, `did not answer for ${Math.round(patienceMs / 1000)} seconds: ${reason}`, error);
      if (isFirst) log.warn({ reason }, 'The database of DATABASE_URL does not answer yet: waiting for it');
      await delay(RETRY_MS);
    }
  }
}

async function lookOnce(config: pg.ClientConfig): Promise<void> {
  await withClient(config, async (client) => {
    const { rows } = await client.query<{ number: number; name: string }>(
      "select current_setting('server_version_num')::int as number, current_setting('server_version') as name",
    );
    const version = rows[0];
    if (version && version.number < LEAST_VERSION)
      throw new StartError(`DATABASE_URL: this is PostgreSQL ${version.name}; Slipway needs 15 or newer`);
  });
}

/** The message omits the password, and the user name, which may be confidential. */
const refusal = (connectionString: string, what: string, cause: unknown): StartError => {
  const { hostname, port, pathname, searchParams } = new URL(connectionString);
  const host = hostname || searchParams.get('host') || 'localhost';
  return new StartError(`DATABASE_URL: the database ${pathname.slice(1) || '(default)'} at ${host}:${port || '5432'} ${what}`, { cause });
};

const reasonOf = (error: unknown): string => {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return errorMessage(first);
};
