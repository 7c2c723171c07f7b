/**
 * Leader election by a session advisory lock. PostgreSQL frees the lock when the holder's connection ends, so another replica takes over
 * from a killed one. A lost connection alone does not end leadership: while the database is down nobody can take the lock, so the leader
 * keeps working. It steps down only when another session holds the lock (decision record 23).
 */
import type pg from 'pg';
import type { Log } from '#ports/log.ts';
import type { DirectoryLock } from '#db/directory-lock.ts';
import { keepConnection, sleep } from './kept-connection.ts';

export interface HoldLockOptions {
  /** The lock was acquired, for the first time or again after an interruption. */
  readonly onAcquired: () => void;
  /** The session is lost. `onAcquired` or `onLost` follows when the database is back. */
  readonly onInterrupted: () => void;
  /** Another session has the lock. Not called by `stop()`. The holder keeps trying, and `onAcquired` may follow. */
  readonly onLost: () => void;
  /** Called repeatedly while another session has the lock. */
  readonly onElsewhere?: () => void;
  /** File lock that a replica must hold before it asks for the lock, so that after a database restart the same replica gets it back. */
  readonly fence?: (() => DirectoryLock | undefined) | undefined;
  readonly pollMs?: number;
  readonly log?: Log;
}

export interface LockHolder {
  isHeld(): boolean;
  /** Frees the lock. When the promise resolves, another session can take the lock. */
  stop(): Promise<void>;
}

/** Identifies a session: PostgreSQL may reuse the process id alone. */
interface Session {
  readonly pid: number;
  readonly since: string;
}

const POLL_MS = 500;

/** SQL that matches rows of `pg_locks`: the lock whose key hashes to the value after it, held in this database. */
export const HELD_LOCK = `locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
  and ((classid::bigint << 32) | objid::bigint) =`;

/** Tries to take the lock `key` until `stop()`, on its own connection. Polls, since a wait in pg_advisory_lock holds a snapshot. */
export function holdLock(config: pg.ClientConfig, key: string, options: HoldLockOptions): LockHolder {
  const { onAcquired, onElsewhere, onInterrupted, onLost, pollMs = POLL_MS, log } = options;
  let isHeld = false;
  let last: Session | undefined;
  let fence: DirectoryLock | undefined;
  const seek = async (client: pg.Client, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && options.fence && !(fence ??= options.fence())) {
      onElsewhere?.();
      await sleep(pollMs, signal);
    }
    while (!signal.aborted && !(await tryLock(client, key))) {
      onElsewhere?.();
      if (last && (await isTaken(client, key, last))) {
        last = undefined;
        onLost();
      }
      await sleep(pollMs, signal);
    }
  };
  const connection = keepConnection(config, {
    name: `lock ${key}`,
    ...(log && { log }),
    use: async (client, signal) => {
      await seek(client, signal);
      if (signal.aborted) return;
      const session = await ownSession(client);
      // The listener below would miss an abort that already happened.
      if (signal.aborted) return;
      last = session;
      isHeld = true;
      signal.addEventListener('abort', () => {
        isHeld = false;
        if (!connection.isStopping()) onInterrupted();
      });
      onAcquired();
    },
  });
  const stop = async (): Promise<void> => {
    await connection.stop();
    fence?.release();
  };
  return { isHeld: () => isHeld, stop };
}

/** Tries once, on the caller's session. The lock ends with that session or with pg_advisory_unlock. */
export async function tryLock(client: pg.ClientBase, key: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [key]);
  return rows[0]?.taken === true;
}

async function ownSession(client: pg.ClientBase): Promise<Session | undefined> {
  const { rows } = await client.query<Session>(
    'select pid, backend_start::text as since from pg_stat_activity where pid = pg_backend_pid()',
  );
  return rows[0];
}

/** Returns true if another session has the lock. Ends our own last session, which the server may still consider alive. */
async function isTaken(client: pg.ClientBase, key: string, last: Session): Promise<boolean> {
  const { rows } = await client.query<Session>(
    `select pid, backend_start::text as since from pg_locks join pg_stat_activity using (pid)
     where ${HELD_LOCK} hashtextextended($1, 0)`,
    [key],
  );
  const holder = rows[0];
  if (holder?.pid !== last.pid || holder.since !== last.since) return holder !== undefined;
  await client.query('select pg_terminate_backend($1)', [holder.pid]);
  return false;
}
