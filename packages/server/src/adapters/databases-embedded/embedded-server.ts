/**
 * PostgreSQL for the databases of apps: a separate cluster in the data directory, which runs as its own user and shares nothing with the
 * platform's. It starts when first needed. Replicas on one machine share it, and one of them runs it.
 */
import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { runningConnection, startEmbeddedPostgres, type EmbeddedConnection, type EmbeddedPostgres } from '#db/embedded-postgres.ts';
import type { PostgresUser } from '#db/embedded-directory.ts';
import { readPid } from '#db/embedded-survivor.ts';
import { TakeOver } from '#kernel/engines/take-over.ts';
import type { DatabaseEndpoint } from '#ports/databases.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import { SessionMemoryWatch } from './session-memory.ts';

/** Differs from the user of the platform's cluster, so that neither can read the other's files. */
const OWN_USER: PostgresUser = { uid: 60_743, gid: 60_743 };
/** Group role for TCP logins. Excludes the platform's role and the superuser. */
const ADMITTED = 'service_login';
const LOOPBACK = '127.0.0.1';
const FIRST_PORT = 4432;
const PORTS_TRIED = 200;

/** Connections of all databases together, including those reserved for the platform. */
const MAX_CONNECTIONS = 2000;
const RESERVED_CONNECTIONS = 10;
const SUPERUSER_CONNECTIONS = 3;

const SETTINGS: Record<string, string> = {
  listen_addresses: LOOPBACK,
  max_connections: String(MAX_CONNECTIONS),
  reserved_connections: String(RESERVED_CONNECTIONS),
  superuser_reserved_connections: String(SUPERUSER_CONNECTIONS),
  cluster_name: 'slipway-databases',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '10000',
  // Utility statements are recorded with their literal values, such as passwords.
  'pg_stat_statements.track_utility': 'off',
  password_encryption: 'scram-sha-256',
  // A connection that has not authenticated yet blocks every DROP DATABASE.
  authentication_timeout: '5s',
  // Connections of clients that disappeared are closed soon.
  tcp_keepalives_idle: '60',
  idle_in_transaction_session_timeout: '1h',
};
const ADMISSION = {
  rights: 'createdb createrole',
  databases: 'all',
  // The platform's role is a member of every role that it creates.
  lines: [`host all platform ${LOOPBACK}/32 reject`, `host all +${ADMITTED} ${LOOPBACK}/32 scram-sha-256`],
  statements: [
    `do $$ begin if not exists (select from pg_roles where rolname = '${ADMITTED}') then create role ${ADMITTED} nologin; end if; end $$`,
    `grant ${ADMITTED} to platform with admin true, inherit false, set false`,
    // Backups must include rows that a team's policies hide from the team itself.
    'alter role platform bypassrls',
    'grant pg_monitor, pg_signal_backend, pg_use_reserved_connections to platform',
    'grant set on parameter temp_file_limit to platform',
    'revoke all on database postgres, template1, slipway from public',
    'create extension if not exists pg_stat_statements',
  ],
};

/** Memory limit per session, since a session may set `work_mem` as high as it likes. All sessions together get half of the memory. */
const SESSION_SHARE = 8;
const SESSIONS_SHARE = 2;
const SESSION_BYTES = { least: 512 * 2 ** 20, most: 4 * 2 ** 30 };
const sessionBytesOf = (machineBytes: number): number =>
  Math.min(Math.max(machineBytes / SESSION_SHARE, SESSION_BYTES.least), SESSION_BYTES.most);

export interface EmbeddedServerOptions {
  /** The directory `databases` in the data directory. */
  readonly dataDir: string;
  readonly log: Log;
  /** For tests only: if false, a new cluster does not sync to disk. */
  readonly isDurable?: boolean;
  /** Memory limit of one session. Defaults to a share of the machine's memory. */
  readonly sessionBytes?: number;
  /** Memory limit of all sessions together. Defaults to half of the machine's memory. */
  readonly sessionsBytes?: number;
}

export class EmbeddedServer {
  readonly admits = ADMITTED;
  readonly connections = MAX_CONNECTIONS - RESERVED_CONNECTIONS - SUPERUSER_CONNECTIONS;
  readonly #options: EmbeddedServerOptions;
  #own: Promise<EmbeddedPostgres> | undefined;
  #memory: SessionMemoryWatch | undefined;
  readonly #later: TakeOver;
  #isClosed = false;

  constructor(options: EmbeddedServerOptions) {
    this.#options = options;
    const attempt = async (): Promise<void> => void (await this.login());
    this.#later = new TakeOver(attempt, options.log, 'The embedded databases cannot be taken over; trying again');
  }

  /** If another replica runs the server, tries from then on to take it over: services must not wait until this one needs it again. */
  async login(): Promise<EmbeddedConnection> {
    const { dataDir } = this.#options;
    if (this.#isClosed) throw unavailable('The platform is closing');
    this.#own ??= this.#start();
    try {
      const { connection } = await this.#own;
      this.#later.stop();
      return connection;
    } catch (error) {
      this.#own = undefined;
      // Another replica runs it.
      const running = runningConnection(dataDir);
      if (running) this.#later.start();
      if (running) return running;
      throw unavailable(error instanceof Error ? error.message : String(error), error);
    }
  }

  async endpoint(): Promise<DatabaseEndpoint> {
    const { port } = await this.login();
    return { host: LOOPBACK, port, sslMode: 'disable' };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#later.stop();
    const own = await this.#own?.catch(() => undefined);
    await this.#memory?.stop();
    await own?.stop();
  }

  async #start(): Promise<EmbeddedPostgres> {
    const machineBytes = Math.min(os.totalmem(), process.constrainedMemory() || Infinity);
    const { dataDir, isDurable = true, log, sessionBytes = sessionBytesOf(machineBytes) } = this.#options;
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o711 });
    const port = String(await keptPort(path.join(dataDir, 'port')));
    const settings = { ...SETTINGS, port, ...(isDurable ? {} : { fsync: 'off' }) };
    const processBytes = sessionBytes;
    const own = await startEmbeddedPostgres({ dataDir, log, settings, isDurable, processBytes, user: OWN_USER, admission: ADMISSION });
    const budgetBytes = this.#options.sessionsBytes ?? machineBytes / SESSIONS_SHARE;
    const pidFile = path.join(fs.realpathSync(path.join(dataDir, 'pg')), 'cluster/postmaster.pid');
    await this.#memory?.stop();
    this.#memory = new SessionMemoryWatch({ postmaster: () => readPid(pidFile), connection: own.connection, budgetBytes, log });
    return own;
  }
}

const unavailable = (message: string, cause?: unknown): PortFailure =>
  new PortFailure('unavailable', message, { context: { engine: 'database server' }, cause });

/** Returns the port of the first start, which must not change because services use it. */
async function keptPort(file: string): Promise<number> {
  const kept = fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0;
  if (Number.isInteger(kept) && kept > 0) return kept;
  const port = await freePort();
  fs.writeFileSync(`${file}.new`, `${port}\n`, { flush: true });
  fs.renameSync(`${file}.new`, file);
  return port;
}

async function freePort(): Promise<number> {
  // Starts at a random port: servers that start at the same time would choose the same first free port.
  const begin = randomInt(PORTS_TRIED);
  for (let tried = 0; tried < PORTS_TRIED; tried++) {
    const port = FIRST_PORT + ((begin + tried) % PORTS_TRIED);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${FIRST_PORT} to ${FIRST_PORT + PORTS_TRIED - 1} is free`);
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, LOOPBACK, () => server.close(() => resolve(true)));
  });
