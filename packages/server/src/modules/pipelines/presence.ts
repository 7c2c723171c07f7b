/**
 * A replica's sign of life: a session that holds an advisory lock on the replica's id and listens for announcements. PostgreSQL drops
 * the lock with the session, so a free lock on an id that still owns runs means a dead replica.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { createClient } from '#db/connections.ts';
import type { DatabaseConfig } from '#db/database.ts';
import { isDatabaseOutage } from '#db/outage.ts';
import type { Log } from '#ports/log.ts';
import { tryLock } from './poll-lock.ts';

export interface PresenceOptions {
  readonly connection: DatabaseConfig;
  readonly executorId: string;
  readonly channel: string;
  readonly log: Log;
  /** What another replica announced. */
  onAnnouncement(text: string): void;
  /** On the session, again and again, never two at once. `aliveForMs`: since the last reconnection; infinite without one. */
  onTick(client: pg.Client, aliveForMs: number): Promise<void>;
}

export const lockName = (executorId: string): string => `slipway:executor:${executorId}`;

const TICK_MS = 500;
const RECONNECT_MS = 100;
/** A database that does not answer at all is left for a new session. */
const QUERY_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5000;

export class Presence {
  readonly #options: PresenceOptions;
  #client: pg.Client | undefined;
  #isClosed = false;
  readonly #closing = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** Resolves when the lock is held. Throws when another process has this executor id. */
  async open(): Promise<void> {
    const session = await this.#connect();
    if (!(await tryLock(session.client, lockName(this.#options.executorId)))) {
      await session.client.end();
      throw new Error(`A pipeline engine with the id ${this.#options.executorId} is running already`);
    }
    this.#loop = this.#keep(session);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort();
    await this.#loop;
    await this.#client?.end().catch(() => {});
  }

  /** Ticks while the session is good, and opens another when it breaks. */
  async #keep(first: Session): Promise<void> {
    let session: Session | undefined = first;
    let openedAt = -Infinity;
    while (!this.#isClosed) {
      if (session && !session.isBroken()) {
        const isGood = await this.#tick(session.client, performance.now() - openedAt);
        if (!isGood) session = undefined;
        await this.#pause(TICK_MS);
      } else {
        session = await this.#reopen();
        openedAt = performance.now();
      }
    }
  }

  /** False when the session is of no use any more. */
  async #tick(client: pg.Client, aliveForMs: number): Promise<boolean> {
    try {
      await this.#options.onTick(client, aliveForMs);
      return true;
    } catch (error) {
      if (this.#isClosed) return true;
      this.#options.log.warn({ err: error }, 'The sweep over the pipelines failed: trying again');
      return !isDatabaseOutage(error);
    }
  }

  async #reopen(): Promise<Session | undefined> {
    await this.#client?.end().catch(() => {});
    try {
      const session = await this.#connect();
      // The old session may linger for a moment; until it is gone the lock is ours anyway.
      while (!this.#isClosed && !(await tryLock(session.client, lockName(this.#options.executorId)))) await this.#pause(RECONNECT_MS);
      this.#options.log.info({ executorId: this.#options.executorId }, 'The pipeline engine found the database again');
      // What was announced in between was not heard.
      this.#options.onAnnouncement('start');
      return session;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'The pipeline engine lost the database: trying again');
      await this.#pause(RECONNECT_MS);
      return undefined;
    }
  }

  async #connect(): Promise<Session> {
    // A machine that vanished without a word must not keep its lock for hours. Ignored on Unix sockets, which do not need it.
    const options = '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3';
    const timeouts = { query_timeout: QUERY_TIMEOUT_MS, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
    const settings = { ...timeouts, keepAlive: true, application_name: 'slipway presence', options };
    const client = createClient({ ...settings, ...this.#options.connection });
    this.#client = client;
    let isBroken = false;
    client.on('error', () => (isBroken = true));
    client.on('end', () => (isBroken = true));
    client.on('notification', ({ payload }) => this.#options.onAnnouncement(payload ?? ''));
    await client.connect();
    await client.query(`listen ${client.escapeIdentifier(this.#options.channel)}`);
    return { client, isBroken: () => isBroken };
  }

  #pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#closing.signal }).catch(() => {});
  }
}

interface Session {
  readonly client: pg.Client;
  readonly isBroken: () => boolean;
}
