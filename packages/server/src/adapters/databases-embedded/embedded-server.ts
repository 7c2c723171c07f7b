/**
 * The PostgreSQL for the databases of apps: a cluster of its own in the data directory, which runs as a user of its own and shares nothing
 * with the platform's. It is started when it is first needed. Replicas of one machine share it: one of them runs it.
 */
import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { runningConnection, startEmbeddedPostgres, type EmbeddedConnection, type EmbeddedPostgres } from '#db/embedded-postgres.ts';
import type { PostgresUser } from '#db/embedded-directory.ts';
import type { DatabaseEndpoint } from '#ports/databases.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';

/** Beside that of the platform's cluster, so that neither reads the other's files. */
const OWN_USER: PostgresUser = { uid: 60_743, gid: 60_743 };
/** Its members alone are let in over TCP: not the platform's role, and not the superuser. */
const ADMITTED = 'service_login';
const LOOPBACK = '127.0.0.1';
const FIRST_PORT = 4432;
const PORTS_TRIED = 200;

/** Of all databases together, and those of them that are the platform's alone. */
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
  // Statements that are no queries keep their values in the text: passwords, say.
  'pg_stat_statements.track_utility': 'off',
  password_encryption: 'scram-sha-256',
  // Whoever connects and does not sign in keeps everybody's DROP DATABASE waiting meanwhile.
  authentication_timeout: '5s',
  // A client that vanished holds none of them for long.
  tcp_keepalives_idle: '60',
  idle_in_transaction_session_timeout: '1h',
};
const ADMISSION = {
  rights: 'createdb createrole',
  databases: 'all',
  // The platform's role is a member of all that it makes.
  lines: [`host all platform ${LOOPBACK}/32 reject`, `host all +${ADMITTED} ${LOOPBACK}/32 scram-sha-256`],
  statements: [
    `do $$ begin if not exists (select from pg_roles where rolname = '${ADMITTED}') then create role ${ADMITTED} nologin; end if; end $$`,
    `grant ${ADMITTED} to platform with admin true, inherit false, set false`,
    // Backups hold the rows too that a team's policies hide from itself.
    'alter role platform bypassrls',
    'grant pg_monitor, pg_signal_backend, pg_use_reserved_connections to platform',
    'grant set on parameter temp_file_limit to platform',
    'revoke all on database postgres, template1, slipway from public',
    'create extension if not exists pg_stat_statements',
  ],
};

/** A session's own memory: it may set `work_mem` as high as it likes. Several sessions may ask for as much at the same time. */
const SESSION_SHARE = 8;
const SESSION_BYTES = { least: 512 * 2 ** 20, most: 4 * 2 ** 30 };
const sessionBytesOf = (machineBytes: number): number =>
  Math.min(Math.max(machineBytes / SESSION_SHARE, SESSION_BYTES.least), SESSION_BYTES.most);

export interface EmbeddedServerOptions {
  /** `databases` in the data directory. */
  readonly dataDir: string;
  readonly log: Log;
  /** Tests only: a new cluster is not written through to the disk. */
  readonly isDurable?: boolean;
  /** Memory of one session; by the machine's when not given. */
  readonly sessionBytes?: number;
}

export class EmbeddedServer {
  readonly admits = ADMITTED;
  readonly connections = MAX_CONNECTIONS - RESERVED_CONNECTIONS - SUPERUSER_CONNECTIONS;
  readonly #options: EmbeddedServerOptions;
  #own: Promise<EmbeddedPostgres> | undefined;
  #isClosed = false;

  constructor(options: EmbeddedServerOptions) {
    this.#options = options;
  }

  async login(): Promise<EmbeddedConnection> {
    const { dataDir } = this.#options;
    if (this.#isClosed) throw unavailable('The platform is closing');
    this.#own ??= this.#start();
    try {
      return (await this.#own).connection;
    } catch (error) {
      this.#own = undefined;
      // Another replica runs it.
      const running = runningConnection(dataDir);
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
    const own = await this.#own?.catch(() => undefined);
    await own?.stop();
  }

  async #start(): Promise<EmbeddedPostgres> {
    const { dataDir, isDurable = true, log, sessionBytes = sessionBytesOf(os.totalmem()) } = this.#options;
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o711 });
    const port = String(await keptPort(path.join(dataDir, 'port')));
    const settings = { ...SETTINGS, port, ...(isDurable ? {} : { fsync: 'off' }) };
    const processBytes = sessionBytes;
    return startEmbeddedPostgres({ dataDir, log, settings, isDurable, processBytes, user: OWN_USER, admission: ADMISSION });
  }
}

const unavailable = (message: string, cause?: unknown): PortFailure =>
  new PortFailure('unavailable', message, { context: { engine: 'database server' }, cause });

/** Services are given it, so that it stays what it was on the first start. */
async function keptPort(file: string): Promise<number> {
  const kept = fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0;
  if (Number.isInteger(kept) && kept > 0) return kept;
  const port = await freePort();
  fs.writeFileSync(`${file}.new`, `${port}\n`, { flush: true });
  fs.renameSync(`${file}.new`, file);
  return port;
}

async function freePort(): Promise<number> {
  // Not the first that is free: servers that start at the same moment would choose the same.
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
