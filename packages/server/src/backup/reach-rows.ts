/** Connects a backup to the platform's database: DATABASE_URL, a running server's embedded database, or one started temporarily. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { withClient } from '#db/connections.ts';
import { tryLockFile } from '#db/directory-lock.ts';
import { isDatabaseThere } from '#db/embedded-directory.ts';
import { runningConnection, startEmbeddedPostgres } from '#db/embedded-postgres.ts';
import { reachDatabase } from '#db/reach-database.ts';
import { errorMessage } from '#kernel/caught.ts';
import type { Config } from '#kernel/config.ts';
import { DiskFloor } from '#kernel/disk-floor.ts';
import { StartError } from '#kernel/start-error.ts';
import type { Log } from '#ports/log.ts';

export interface ReachedRows {
  readonly connection: pg.ClientConfig;
  readonly close: () => Promise<void>;
}

/** Maximum wait for a server that is just starting. */
const PATIENCE_MS = 30_000;
const POLL_MS = 200;
/** PostgreSQL writes its log in segments of this size. Without space for one it ends. */
const SEGMENT_BYTES = 16 << 20;

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
  try {
    const embedded = await startEmbeddedPostgres({ dataDir, log });
    return { connection: embedded.connection, close: embedded.stop };
  } catch (error) {
    await refuseFullDisk(dataDir, errorMessage(error));
    throw error;
  }
}

async function joinRunning(dataDir: string): Promise<ReachedRows> {
  for (const deadline = performance.now() + PATIENCE_MS; ;) {
    const connection = runningConnection(dataDir);
    const failure = connection ? await tryConnect(connection) : 'it is not ready';
    if (connection && failure === undefined) return { connection, close: async () => {} };
    await refuseFullDisk(dataDir, failure ?? '');
    if (performance.now() > deadline)
      throw new StartError(`The database of ${dataDir} does not answer: ${failure ?? ''}. Another Slipway process runs it: see its log.`);
    await delay(POLL_MS);
  }
}

/** Error for a full disk of the platform. It has no cause, so that nobody blames the archive's disk, which may be another one. */
export const fullDisk = (directory: string, reason: string): StartError =>
  new StartError(`The disk of ${directory} is full: ${reason}. Free some space and try again.`);

/** Throws if the database has too little space to run. */
async function refuseFullDisk(dataDir: string, failure: string): Promise<void> {
  const home = fs.realpathSync(path.join(dataDir, 'pg'));
  if (await new DiskFloor({ directory: home, floorBytes: SEGMENT_BYTES }).isShort())
    throw fullDisk(home, `the database there does not answer (${failure})`);
}

const tryConnect = (config: pg.ClientConfig): Promise<string | undefined> =>
  withClient(config, (client) => client.query('select 1')).then(() => undefined, errorMessage);
