/**
 * Supervisor of the PostgreSQL that ships with Slipway: no configuration, no TCP port, and no process left behind, whichever way
 * Node ends. It owns `$SLIPWAY_DATA/pg` (see embedded-directory.ts); a second process on the same directory is refused.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Log } from '#ports/log.ts';
import { createClient } from './connections.ts';
import { lockDirectory } from './directory-lock.ts';
import { prepareBinaries } from './embedded-binaries.ts';
import { CLUSTER_USER, prepareCluster } from './embedded-cluster.ts';
import { preparePostgresDirectory, prepareSocketDirectory } from './embedded-directory.ts';
import { keepRunning } from './embedded-keeper.ts';
import { launchPostgres } from './embedded-process.ts';
import { endSurvivor } from './embedded-survivor.ts';

export interface EmbeddedConnection {
  /** The directory of the Unix socket, which no other user can enter. */
  readonly host: string;
  readonly user: string;
  readonly database: string;
}

export interface EmbeddedPostgres {
  /** For `pg.Pool` and `pg.Client`; the database exists. */
  readonly connection: EmbeddedConnection;
  /** Ends every connection, writes a checkpoint, waits for the process and frees the directory. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Usually `$SLIPWAY_DATA`; made (0700) when missing. */
  readonly dataDir: string;
  readonly log: Log;
  readonly database?: string;
  /** Server settings on top of ours, `name: value`. */
  readonly settings?: Record<string, string>;
  /** False in tests only: do not write a new cluster through to the disk. */
  readonly isDurable?: boolean;
}

const SETTINGS: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '128MB',
  // Our statements are short: compiling them costs more than it saves.
  jit: 'off',
  TimeZone: 'UTC',
  log_timezone: 'UTC',
  cluster_name: 'slipway',
};

/**
 * Starts PostgreSQL in the data directory, making the cluster first when there is none, and answers when it takes connections.
 * Throws when another process owns the directory, when the machine has no binaries, or with the end of PostgreSQL's log.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = path.resolve(options.dataDir);
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(path.join(dataDir, 'pg.lock'), `The data directory ${dataDir}`);
  try {
    return await startLocked(dataDir, options, lock.release);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startLocked(dataDir: string, options: EmbeddedPostgresOptions, release: () => void): Promise<EmbeddedPostgres> {
  const { log, isDurable = true, database = 'slipway' } = options;
  const startedAt = performance.now();
  const directory = preparePostgresDirectory(dataDir);
  const programs = prepareBinaries(directory);
  const cluster = await prepareCluster({ directory, programs, isDurable, log });
  await endSurvivor(cluster, log);
  const socket = prepareSocketDirectory(directory);
  const connection = { host: socket.path, user: CLUSTER_USER, database };
  const settings = { ...SETTINGS, ...options.settings };
  const launch = () => launchPostgres({ directory, programs, cluster, socket: socket.path, settings });
  const server = await launch().catch((error: unknown) => {
    socket.remove();
    throw error;
  });
  const keeper = keepRunning(server, launch, log);
  const stop = async () => {
    await keeper.stop();
    socket.remove();
    release();
  };
  try {
    await ensureDatabase(connection);
  } catch (error) {
    await stop();
    throw error;
  }
  log.info({ directory: directory.home, durationMs: Math.round(performance.now() - startedAt) }, 'Started the embedded PostgreSQL');
  return { connection, stop };
}

async function ensureDatabase(connection: EmbeddedConnection): Promise<void> {
  const client = createClient({ ...connection, database: 'postgres' });
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [connection.database]);
    if (!found.rowCount) await client.query(`create database ${client.escapeIdentifier(connection.database)}`);
  } finally {
    await client.end();
  }
}
