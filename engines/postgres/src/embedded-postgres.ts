/**
 * Supervises the PostgreSQL that ships with Slipway: no configuration, no TCP port, and no process left behind, however Node ends.
 * It owns `$SLIPWAY_DATA/pg` (see embedded-directory.ts); a second process on the same directory is refused.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { keepRunning } from '@slipway/foundation/processes/keep-running.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import { lockDirectory } from '@slipway/foundation/directory-lock.ts';
import { prepareBinaries } from './embedded-binaries.ts';
import { prepareCluster } from './embedded-cluster.ts';
import {
  handOver,
  preparePostgresDirectory,
  prepareSocketDirectory,
  type PostgresDirectory,
  type PostgresUser,
} from './embedded-directory.ts';
import { launchPostgres } from './embedded-process.ts';
import { keepPassword } from './embedded-password.ts';
import { ROLE, setUpOnce, type Admission } from './embedded-setup.ts';
import { endSurvivor, isPostmaster } from './embedded-survivor.ts';

export interface EmbeddedConnection {
  /** The directory of the Unix socket, which no other user can enter. */
  readonly host: string;
  /** Part of the socket's name. There is a TCP port only if the settings include a listen address. */
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export interface EmbeddedPostgres {
  /** For `pg.Pool` and `pg.Client`; the database exists. */
  readonly connection: EmbeddedConnection;
  /** Ends every connection, writes a checkpoint, waits for the process and releases the directory. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Usually `$SLIPWAY_DATA`; created with mode 0700 if it is missing. */
  readonly dataDir: string;
  readonly log: Log;
  readonly database?: string;
  /** Server settings on top of ours, `name: value`. */
  readonly settings?: Record<string, string>;
  /** False in tests only: does not sync a new cluster to disk. */
  readonly isDurable?: boolean;
  /** Memory limit of one session in bytes. Unlimited by default. */
  readonly processBytes?: number;
  /** The user under root. Two clusters with different users cannot read each other's files. */
  readonly user?: PostgresUser;
  /** Additional access. By default the platform's role has access only to its own database. */
  readonly admission?: Admission;
}

/**
 * After a crash PostgreSQL syncs its files to disk before it reads its log. One syncfs call takes a fifth of the time of an fsync for
 * each of a thousand files. Before Linux 5.8 syncfs did not report disk errors.
 */
const hasHonestSyncfs = (): boolean => {
  const [major = 0, minor = 0] = os.release().split('.').map(Number);
  return process.platform === 'linux' && (major > 5 || (major === 5 && minor >= 8));
};

const DEFAULT_PORT = 5432;
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
  recovery_init_sync_method: hasHonestSyncfs() ? 'syncfs' : 'fsync',
};

/**
 * Starts PostgreSQL in the data directory and resolves when it accepts connections. Creates the cluster first if there is none.
 * Throws if another process owns the directory, if there are no binaries for the machine, or with the end of PostgreSQL's log.
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
  const { log, isDurable = true, database = 'slipway', admission, processBytes } = options;
  const startedAt = performance.now();
  const directory = preparePostgresDirectory(dataDir, undefined, options.user);
  await endSurvivor(path.join(directory.home, 'cluster'), log);
  takeOver(directory, log);
  const programs = prepareBinaries(directory);
  const socket = prepareSocketDirectory(directory);
  const password = keepPassword(path.join(dataDir, 'pg.password'));
  const port = Number(options.settings?.['port'] ?? DEFAULT_PORT);
  const connection = { host: socket.path, port, user: ROLE, password, database };
  const launch = (cluster: string, more: Record<string, string> = {}) =>
    launchPostgres({
      directory,
      programs,
      cluster,
      socket: socket.path,
      processBytes,
      settings: { ...SETTINGS, ...options.settings, ...more },
    });
  const setUp = (cluster: string, isNew: boolean) =>
    setUpOnce({ directory, cluster, isNew, socket: { host: socket.path, port }, database, password, admission, launch, log });
  const start = async () => {
    const cluster = await prepareCluster({ directory, programs, isDurable, setUp: (draft) => setUp(draft, true), log });
    await setUp(cluster, !isDurable);
    return { cluster, server: await launch(cluster) };
  };
  const { cluster, server } = await start().catch((error: unknown) => {
    socket.remove();
    throw error;
  });
  const keeper = keepRunning(server, () => launch(cluster), 'The embedded PostgreSQL', log);
  const stop = async () => {
    await keeper.stop();
    socket.remove();
    release();
  };
  log.info({ directory: directory.home, durationMs: Math.round(performance.now() - startedAt) }, 'Started the embedded PostgreSQL');
  return { connection, stop };
}

/** Returns the connection to a PostgreSQL that another process runs, or undefined if none runs. Needs read access to the password. */
export function runningConnection(dataDir: string, database = 'slipway'): EmbeddedConnection | undefined {
  const home = path.join(dataDir, 'pg');
  if (!fs.existsSync(home)) return undefined;
  const cluster = path.join(fs.realpathSync(home), 'cluster');
  const file = path.join(cluster, 'postmaster.pid');
  const lines = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : [];
  const [pid, , , port, host] = lines;
  if (!host || !isPostmaster(Number(pid), cluster)) return undefined;
  return { host, port: Number(port), user: ROLE, password: fs.readFileSync(path.join(dataDir, 'pg.password'), 'utf8').trim(), database };
}

/** Changes the owner of a cluster from an earlier version to PostgreSQL's own user. Called while no PostgreSQL runs on it. */
function takeOver(directory: PostgresDirectory, log: Log): void {
  const { home, user } = directory;
  const found = fs.statSync(path.join(home, 'cluster'), { throwIfNoEntry: false });
  if (!user || (found ?? fs.statSync(home)).uid === user.uid) return;
  if (found) log.warn({ directory: home, uid: user.uid }, 'Handing the embedded PostgreSQL over to a user of its own');
  handOver(home, user);
}
