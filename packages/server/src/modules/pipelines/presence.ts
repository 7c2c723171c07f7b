/**
 * A replica's sign of life: a session that holds an advisory lock on the replica's id and listens for announcements. PostgreSQL frees
 * the lock with the session, so a free lock on an id that still owns runs means a dead replica.
 */
import type pg from 'pg';
import { tryLock } from '#db/advisory-lock.ts';
import { keepConnection, sleep, type KeptConnection } from '#db/kept-connection.ts';
import { isDatabaseOutage } from '#db/outage.ts';
import type { Log } from '#ports/log.ts';
import { lockName, PIPELINE_CHANNEL } from './queue.sql.ts';

export interface PresenceOptions {
  readonly connection: pg.ClientConfig;
  readonly executorId: string;
  readonly log: Log;
  /** Receives announcements of waiting runs and cancellations. */
  onAnnouncement(text: string): void;
  /**
   * Called repeatedly on the session that holds the lock, never concurrently. `aliveForMs` is the time since the last reconnection,
   * infinite if there was none.
   */
  onTick(client: pg.ClientBase, aliveForMs: number): Promise<void>;
}

const TICK_MS = 500;
const RELOCK_MS = 100;
/** A crash of the database may lose claims: leases are checked with every write. A claim must not wait so long for a lock that the session times out. */
const SETTINGS = `set synchronous_commit = off; set lock_timeout = '2s'`;

/** Resolves when the lock is held. Throws when another process has this executor id. */
export async function openPresence(options: PresenceOptions): Promise<KeptConnection> {
  const { connection, executorId, log } = options;
  const first = Promise.withResolvers<void>();
  let isFirst = true;
  const session = keepConnection(connection, {
    // The workers of 0.1.0 say `presence`, by which those of this version know them.
    name: 'worker',
    log,
    use: async (client, signal) => {
      client.on('notification', ({ payload = '' }) => options.onAnnouncement(payload));
      await client.query(`${SETTINGS}; listen ${client.escapeIdentifier(PIPELINE_CHANNEL)}`);
      while (!signal.aborted && !(await tryLock(client, lockName(executorId)))) {
        if (isFirst) return first.reject(new Error(`A pipeline engine with the id ${executorId} is running already`));
        // Our last session may linger for a moment; until it is gone the lock is ours anyway.
        await sleep(RELOCK_MS, signal);
      }
      if (!isFirst) log.info({ executorId }, 'The pipeline engine found the database again');
      const openedAt = isFirst ? -Infinity : performance.now();
      isFirst = false;
      first.resolve();
      for (; !signal.aborted; await sleep(TICK_MS, signal)) await tick(options, client, performance.now() - openedAt);
    },
  });
  await first.promise.catch(async (error: unknown) => {
    await session.stop();
    throw error;
  });
  return session;
}

/** Keeps the session, and with it the lock, if a tick fails. Throws only if the database is unavailable. */
async function tick({ onTick, log }: PresenceOptions, client: pg.ClientBase, aliveForMs: number): Promise<void> {
  try {
    await onTick(client, aliveForMs);
  } catch (error) {
    if (isDatabaseOutage(error)) throw error;
    log.warn({ err: error }, 'The sweep over the pipelines failed: trying again');
  }
}
