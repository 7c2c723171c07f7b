/** Connects a backup to the platform's database: DATABASE_URL, a running server's embedded database, or one started temporarily. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { createClient } from '#db/connections.ts';
import { tryLockFile } from '#db/directory-lock.ts';
import { isDatabaseThere } from '#db/embedded-directory.ts';
import { runningConnection, startEmbeddedPostgres } from '#db/embedded-postgres.ts';
import { reachDatabase } from '#db/reach-database.ts';
import { errorMessage } from '#kernel/caught.ts';
import type { Config } from '#kernel/config.ts';
import { StartError } from '#kernel/start-error.ts';
import type { Log } from '#ports/log.ts';

export interface ReachedRows {
  readonly connection: pg.ClientConfig;
  readonly close: () => Promise<void>;
}

/** Maximum wait for a server that is just starting. */
const PATIENCE_MS = 30_000;
const POLL_MS = 200;

export async function reachRows({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>, log: Log): Promise<ReachedRows> {
  if (!fs.existsSync(dataDir)) throw new StartError(`There is no data directory ${dataDir}: set SLIPWAY_DATA to the platform's`);
  if (databaseUrl !== undefined) {
    await reachDatabase(databaseUrl, log);
    return { connection: { connectionString: databaseUrl }, close: async () => {} };
  }
  if (!isDatabaseThere(dataDir))
    throw new StartError(
      `There is no platform in ${dataDir}: set SLIPWAY_DATA to its data directory, and DATABASE_URL where it has a database of your own`,
    );
  const lock = tryLockFile(path.join(dataDir, 'pg.lock'));
  if (!lock) return joinRunning(dataDir);
  lock.release();
  const embedded = await startEmbeddedPostgres({ dataDir, log });
  return { connection: embedded.connection, close: embedded.stop };
}

async function joinRunning(dataDir: string): Promise<ReachedRows> {
  for (const deadline = performance.now() + PATIENCE_MS; ;) {
    const connection = runningConnection(dataDir);
    const failure = connection ? await tryConnect(connection) : 'it is not ready';
    if (connection && failure === undefined) return { connection, close: async () => {} };
    if (performance.now() > deadline)
      throw new StartError(`The database of ${dataDir} is in use by another process, and does not answer: ${failure ?? ''}`);
    await delay(POLL_MS);
  }
}

async function tryConnect(config: pg.ClientConfig): Promise<string | undefined> {
  const client = createClient(config);
  try {
    await client.connect();
    await client.query('select 1');
    return undefined;
  } catch (error) {
    return errorMessage(error);
  } finally {
    await client.end().catch(() => {});
  }
}
