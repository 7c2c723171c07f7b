/**
 * Supervisor of the PostgreSQL that ships with Slipway: no configuration, no TCP port, and no process left behind, whichever way
 * Node ends. It owns `$SLIPWAY_DATA/pg` (see embedded-directory.ts); a second process on the same directory is refused.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Log } from '#ports/log.ts';
import { lockDirectory } from './directory-lock.ts';
import { prepareBinaries } from './embedded-binaries.ts';
import { preparePostgresDirectory, prepareSocketDirectory, type PostgresDirectory } from './embedded-directory.ts';
import { endSurvivor } from './embedded-survivor.ts';

export interface EmbeddedPostgres {
  /** For `pg.Pool` and `pg.Client`: the socket's directory, the user and the database, which exists. */
  readonly connection: { readonly host: string; readonly user: string; readonly database: string };
  /** Resolves once, with what happened, when PostgreSQL has ended; `isExpected` after `stop()`. */
  readonly exited: Promise<{ isExpected: boolean; detail: string }>;
  /** Ends every connection, writes a checkpoint and waits for the process. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly database?: string;
  /** Server settings on top of ours, `name: value`. */
  readonly settings?: Record<string, string>;
  /** Tests only: do not write the new cluster through to the disk. */
  readonly isDurable?: boolean;
}

const USER = 'slipway';
const READY_POLL_MS = 10;
const START_MS = 60_000;
const STOP_MS = 20_000;
const LOG_BYTES = 10_000_000;

const SETTINGS: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '128MB',
  // Short statements only: compiling them costs more than it saves.
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
  const { log, database = 'slipway' } = options;
  const dataDir = path.resolve(options.dataDir);
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(path.join(dataDir, 'pg.lock'), `The data directory ${dataDir}`);
  try {
    const directory = preparePostgresDirectory(dataDir);
    const programs = prepareBinaries(directory);
    const cluster = await prepareCluster(directory, programs, options);
    await endSurvivor(cluster, log);
    const socket = prepareSocketDirectory(directory);
    const connection = { host: socket.path, user: USER, database };
    const server = await launch({ directory, programs, cluster, socket: socket.path, settings: { ...SETTINGS, ...options.settings } });
    const exited = server.exited.then((detail) => {
      socket.remove();
      lock.release();
      return { isExpected: server.isStopping(), detail };
    });
    await ensureDatabase(connection).catch(async (error: unknown) => {
      await server.stop();
      throw error;
    });
    return { connection, exited, stop: server.stop };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Made under another name and renamed, so that an interrupted first start does not leave half a cluster. */
async function prepareCluster(
  directory: PostgresDirectory,
  programs: string,
  { log, isDurable = true }: EmbeddedPostgresOptions,
): Promise<string> {
  const cluster = path.join(directory.home, 'cluster');
  if (fs.existsSync(path.join(cluster, 'PG_VERSION'))) return cluster;
  const startedAt = performance.now();
  const fresh = `${cluster}.new`;
  fs.rmSync(fresh, { recursive: true, force: true });
  const flags = ['-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale-provider=builtin', '--locale=C.UTF-8', '--no-instructions'];
  try {
    await promisify(execFile)(path.join(programs, 'bin/initdb'), ['-D', fresh, ...flags, ...(isDurable ? [] : ['--no-sync'])], {
      ...directory.user,
      cwd: '/',
    });
  } catch (cause) {
    const detail = (cause as { stderr?: string }).stderr?.trim() || String(cause);
    throw new Error(`PostgreSQL could not create its cluster in ${directory.home}: ${detail}`, { cause });
  }
  fs.renameSync(fresh, cluster);
  log.info({ directory: cluster, durationMs: Math.round(performance.now() - startedAt) }, 'Created the embedded PostgreSQL cluster');
  return cluster;
}

interface LaunchOptions {
  readonly directory: PostgresDirectory;
  readonly programs: string;
  readonly cluster: string;
  readonly socket: string;
  readonly settings: Record<string, string>;
}

interface Server {
  readonly exited: Promise<string>;
  readonly isStopping: () => boolean;
  readonly stop: () => Promise<void>;
}

/**
 * Standard input is the lifeline: when this process ends, even by SIGKILL, `read` returns and PostgreSQL is told to stop. The
 * process group is its own, so that Ctrl-C in the terminal reaches Node alone, which then closes things in order.
 */
const LIFELINE = 'exec 3<&0; "$@" </dev/null 3<&- & p=$!; (read x <&3; kill -INT $p) & wait $p';

async function launch(options: LaunchOptions): Promise<Server> {
  const { directory, programs, cluster, socket } = options;
  const logFile = openLog(directory);
  const settings = Object.entries(options.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [path.join(programs, 'bin/postgres'), '-D', cluster, '-k', socket, ...settings];
  const child = spawn('/bin/sh', ['-c', LIFELINE, 'slipway-postgres', ...command], {
    ...directory.user,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', logFile.descriptor],
    env: { PATH: process.env.PATH, TZ: 'UTC' },
  });
  fs.closeSync(logFile.descriptor);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`PostgreSQL ended with ${signal ?? `status ${code}`}: ${logFile.tail()}`));
  });
  let isStopping = false;
  const stop = async () => {
    isStopping = true;
    await endLifeline(child, cluster, exited);
  };
  await waitUntilReady(cluster, exited).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { exited, isStopping: () => isStopping, stop };
}

/** The last line of postmaster.pid turns to "ready" when connections are accepted. */
async function waitUntilReady(cluster: string, exited: Promise<string>): Promise<void> {
  let failure: string | undefined;
  void exited.then((detail) => (failure = detail));
  const deadline = performance.now() + START_MS;
  while (failure === undefined) {
    if (isReady(path.join(cluster, 'postmaster.pid'))) return;
    if (performance.now() > deadline) throw new Error(`PostgreSQL did not get ready within ${START_MS / 1000} s`);
    await delay(READY_POLL_MS);
  }
  throw new Error(failure);
}

function isReady(pidFile: string): boolean {
  try {
    return fs.readFileSync(pidFile, 'utf8').split('\n')[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

async function endLifeline(child: ChildProcess, cluster: string, exited: Promise<string>): Promise<void> {
  child.stdin?.on('error', () => {});
  child.stdin?.end();
  const timeout = new AbortController();
  const ended = await Promise.race([exited.then(() => true), delay(STOP_MS, false, { signal: timeout.signal })]);
  timeout.abort();
  if (!ended) process.kill(Number.parseInt(fs.readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8'), 10), 'SIGQUIT');
  await exited;
}

function openLog({ home }: PostgresDirectory): { descriptor: number; tail: () => string } {
  const file = path.join(home, 'postgres.log');
  if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) fs.renameSync(file, `${file}.1`);
  const descriptor = fs.openSync(file, 'a', 0o600);
  const start = fs.fstatSync(descriptor).size;
  const tail = () => fs.readFileSync(file).subarray(start).toString('utf8').trim().split('\n').slice(-3).join(' | ');
  return { descriptor, tail };
}

async function ensureDatabase(connection: EmbeddedPostgres['connection']): Promise<void> {
  const client = new pg.Client({ ...connection, database: 'postgres' });
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [connection.database]);
    if (!found.rowCount) await client.query(`create database ${client.escapeIdentifier(connection.database)}`);
  } finally {
    await client.end();
  }
}
