/**
 * Keeps one dedicated connection and reconnects after every loss, for session state such as LISTEN and advisory locks.
 * A ping here and keep-alives on the server detect connections that died silently (a pulled cable).
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '#ports/log.ts';
import { createClient } from '#db/connections.ts';

export interface KeptConnectionOptions {
  /** Shown in pg_stat_activity and in the log. */
  readonly name: string;
  readonly log?: Log;
  /** Runs on every new connection. The signal aborts when that connection is lost, or on `stop()`. */
  readonly use: (client: pg.Client, signal: AbortSignal) => Promise<void>;
}

export interface KeptConnection {
  readonly isStopping: () => boolean;
  /** Closes the connection. When the promise resolves, the server has ended the session. */
  stop(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5000;
const PING_MS = 5000;
const QUERY_TIMEOUT_MS = 5000;
const RETRY_FIRST_MS = 50;
const RETRY_MOST_MS = 1000;
const END_MS = 1000;

/** Without these the server would keep the locks of a vanished peer for two hours. No effect on Unix sockets. */
const KEEP_ALIVES = 'set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3';

export function keepConnection(config: pg.ClientConfig, options: KeptConnectionOptions): KeptConnection {
  const stopping = new AbortController();
  const done = keepOpen(config, options, stopping.signal);
  const stop = () => {
    stopping.abort();
    return done;
  };
  return { isStopping: () => stopping.signal.aborted, stop };
}

async function keepOpen(config: pg.ClientConfig, options: KeptConnectionOptions, stopping: AbortSignal): Promise<void> {
  let waitMs = RETRY_FIRST_MS;
  const onOpen = () => (waitMs = RETRY_FIRST_MS);
  while (!stopping.aborted) {
    try {
      await openOnce(config, options, stopping, onOpen);
    } catch (error) {
      if (!stopping.aborted) options.log?.warn({ err: error, connection: options.name }, 'Lost a database session: connecting again');
    }
    await sleep(waitMs, stopping);
    waitMs = Math.min(waitMs * 2, RETRY_MOST_MS);
  }
}

async function openOnce(
  config: pg.ClientConfig,
  { name, use }: KeptConnectionOptions,
  stopping: AbortSignal,
  onOpen: () => void,
): Promise<void> {
  const client = createClient({
    ...config,
    keepAlive: true,
    application_name: `slipway ${name}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  const lost = new AbortController();
  client.on('error', (error) => lost.abort(error));
  client.on('end', () => lost.abort(new Error('The connection ended')));
  const signal = AbortSignal.any([stopping, lost.signal]);
  try {
    await client.connect();
    await client.query(KEEP_ALIVES);
    onOpen();
    await use(client, signal);
    while (!signal.aborted) {
      await sleep(PING_MS, signal);
      if (!signal.aborted) await client.query('select 1');
    }
    if (!stopping.aborted) throw lost.signal.reason;
  } finally {
    lost.abort();
    await Promise.race([client.end().catch(() => {}), delay(END_MS, undefined, { ref: false })]);
  }
}

/** Returns early, without an error, when the signal aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
